import { createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Countersign } from './client.js';
import { Signer } from './signing.js';
import type { SigningKey } from './signing.js';

interface Vector {
  readonly privateKey: { kty: string; crv: string; x: string; d: string };
  readonly pem: string;
  readonly keyId: string;
  readonly path: string;
  readonly created: number;
  readonly nonce: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signed: Readonly<Record<string, string>>;
}
const VECTOR = JSON.parse(readFileSync(new URL('../signed-check.json', import.meta.url), 'utf8')) as Vector;
const { privateKey, pem, created, nonce, path, headers, body, signed } = VECTOR;

/** A client whose requests are kept, and answered one after the other. */
function client(signingKey: SigningKey | undefined, statuses: readonly number[] = [200]) {
  const sent: { url: string; headers: Record<string, string>; body: string }[] = [];
  const countersign = new Countersign({
    apiKey: 'k',
    agentId: 'a',
    baseUrl: 'https://example.com/prefix',
    fetch: async (url, init) => {
      sent.push({ url, headers: init.headers as Record<string, string>, body: init.body as string });
      const status = statuses[sent.length - 1] ?? 200;
      return new Response(status === 200 ? '{"allowed":true}' : '{"allowed":false,"reason":"r","code":"unavailable"}', {
        status,
      });
    },
    ...(signingKey === undefined ? {} : { signingKey }),
  });
  return { countersign, sent };
}

describe('a signed check', () => {
  it.each([
    ['a JWK', privateKey],
    ['a JWK as JSON', JSON.stringify(privateKey)],
    ['PEM', pem],
  ])('is the shared vector, byte for byte, by a key as %s', async (_form, given) => {
    expect(await new Signer({ privateKey: given }).headersFor(path, headers, body, { created, nonce })).toEqual(signed);
  });

  it('covers what is sent, with another nonce in each attempt', async () => {
    const { countersign, sent } = client({ privateKey, keyId: 'k1' }, [503, 200]);
    expect(await countersign.check({ actionType: 'a' }, { session: 's' })).toMatchObject({ allowed: true });
    expect(sent).toHaveLength(2);
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: privateKey.x }, format: 'jwk' });
    for (const { headers: all } of sent) {
      const input = all['signature-input']!.slice('sig1='.length);
      expect(input).toContain('"idempotency-key" "x-countersign-session");created=');
      expect(input).toContain('keyid="k1"');
      const names = [...input.slice(0, input.indexOf(')')).matchAll(/"([^"]+)"/g)].map(([, name]) => name!);
      const derived: Record<string, string> = { '@method': 'POST', '@path': '/v1/check' };
      const lines = names.map((name) => `"${name}": ${derived[name] ?? all[name]!}`);
      const base = [...lines, `"@signature-params": ${input}`].join('\n');
      const signature = Buffer.from(all['signature']!.slice('sig1=:'.length, -1), 'base64');
      expect(verify(null, Buffer.from(base), key, signature)).toBe(true);
    }
    expect(sent[0]!.headers['signature-input']).not.toBe(sent[1]!.headers['signature-input']);
  });

  it('is not signed without a key, and a scan never is', async () => {
    const plain = client(undefined);
    await plain.countersign.check({ actionType: 'a' });
    const scan = client({ privateKey });
    await scan.countersign.scan('text');
    for (const { headers: all } of [...plain.sent, ...scan.sent]) expect(all).not.toHaveProperty('signature');
  });

  it.each([
    ['no key', {}],
    ['a public key', { privateKey: { kty: 'OKP', crv: 'Ed25519', x: privateKey.x } }],
    ['another curve', { privateKey: { ...privateKey, crv: 'X25519' } }],
    ['a short private part', { privateKey: { ...privateKey, d: 'AAAA' } }],
    ['another kind of key as PEM', { privateKey: pem.replace('MC4CAQAwBQYDK2Vw', 'MC4CAQAwBQYDK2Vu') }],
    ['PEM that is cut off', { privateKey: pem.replace(/.{8}\n-----END/, '\n-----END') }],
    ['text', { privateKey: 'secret' }],
    ['a quote in its id', { privateKey, keyId: 'a"b' }],
    ['an unknown member', { privateKey, keyID: 'a' }],
  ])('is refused at once with %s', (_what, signingKey) => {
    expect(() => client(signingKey as unknown as SigningKey)).toThrow(TypeError);
  });
});
