import { createHash, createPrivateKey, createPublicKey, randomUUID, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import type { AgentKey } from '@countersign/contracts';

/** The key `test-key-ed25519` of RFC 9421, appendix B.1.4. */
export const RFC_KEY = createPrivateKey({
  key: Buffer.from('MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF', 'base64'),
  format: 'der',
  type: 'pkcs8',
});

export function agentKeyOf(key: KeyObject, id: string): AgentKey {
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  return { id, publicKey: x!, createdAt: '2026-01-01T00:00:00.000Z' };
}

export interface Signing {
  readonly key: KeyObject;
  readonly keyId: string;
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** Seconds since 1970; default: now. */
  readonly created?: number;
  readonly nonce?: string;
  /** Replaces the components. */
  readonly components?: readonly string[];
  /** Appended to the parameters. */
  readonly more?: string;
}

const COVERED = /^(idempotency-key|x-approval-id|x-subject-token-digest|x-countersign-)/;

/** The headers of a request with those of its signature. */
export function signed(of: Signing): Record<string, string> {
  const { key, keyId, method = 'POST', path = '/v1/check', query, headers = {}, body } = of;
  const { created = Math.floor(Date.now() / 1000), nonce = randomUUID(), more = '' } = of;
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
  const values: Record<string, string> = {
    '@method': method,
    '@path': path,
    ...(query === undefined ? {} : { '@query': `?${query}` }),
    'content-digest': digest,
    ...headers,
  };
  const names = Object.keys(values).filter(
    (name) => name.startsWith('@') || name === 'content-digest' || COVERED.test(name),
  );
  const { components = names } = of;
  const list = components.map((name) => `"${name}"`).join(' ');
  const params = `(${list});created=${created};nonce="${nonce}";keyid="${keyId}"${more}`;
  const lines = components.map((name) => `"${name}": ${values[name] ?? ''}`);
  const base = [...lines, `"@signature-params": ${params}`].join('\n');
  const signature = sign(null, Buffer.from(base), key).toString('base64');
  return {
    ...headers,
    'content-digest': digest,
    'signature-input': `sig1=${params}`,
    signature: `sig1=:${signature}:`,
  };
}
