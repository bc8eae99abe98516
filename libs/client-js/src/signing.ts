import { kindOf, requireKnown } from './check-options.js';

/** A key with which the agent signs its checks. Its public part is registered: `POST /v1/agents/{id}/signing-keys`. */
export interface SigningKey {
  /** Ed25519: a JWK (RFC 8037) with `d`, as an object or as JSON; or PKCS #8 as PEM. */
  readonly privateKey: string | PrivateJwk;
  /** Default: the thumbprint of the key (RFC 7638), which is the id that the service gives it. */
  readonly keyId?: string;
}

export interface PrivateJwk {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly d: string;
}

/** Headers that change what is judged: the service requires that a signature covers each that is sent. */
const COVERED = [
  'idempotency-key',
  'x-approval-id',
  'x-countersign-agent',
  'x-countersign-principal',
  'x-countersign-session',
] as const;

const PEM = /^-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----$/u;
/** PKCS #8 of a private key of Ed25519, up to its 32 bytes. */
const ED25519_PKCS8 = '\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20';
const KEY_ID = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/u;
/** Made when it is needed: not every platform has an encoder. */
const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

interface LoadedKey {
  readonly key: Awaited<ReturnType<typeof crypto.subtle.importKey>>;
  readonly keyId: string;
}

/** Time and nonce of a signature; given only where one is to be repeated exactly. */
export interface Moment {
  /** Seconds since 1970. */
  readonly created: number;
  readonly nonce: string;
}

/** @throws TypeError where the key is not one that can sign */
export function requireSigningKey(given: SigningKey): void {
  requireKnown(given, ['privateKey', 'keyId'], 'signingKey');
  if ((globalThis as { readonly crypto?: { readonly subtle?: object } }).crypto?.subtle === undefined) {
    throw new TypeError('signingKey: this platform has no Web Crypto: use Node 20 or later');
  }
  if (given.keyId !== undefined && !KEY_ID.test(given.keyId)) {
    throw new TypeError('signingKey.keyId: 1 to 200 visible ASCII characters, without quotes and backslashes');
  }
  read(given.privateKey);
}

/** Signs requests by HTTP Message Signatures (RFC 9421). */
export class Signer {
  readonly #given: SigningKey;
  #loaded: Promise<LoadedKey> | null = null;

  constructor(given: SigningKey) {
    this.#given = given;
  }

  /**
   * The headers that sign a POST request, each time with another nonce.
   * @param path as the service sees it
   * @param headers of the request, their names in lower case
   */
  async headersFor(
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    moment: Moment = { created: Math.floor(Date.now() / 1000), nonce: globalThis.crypto.randomUUID() },
  ): Promise<Record<'content-digest' | 'signature-input' | 'signature', string>> {
    const { key, keyId } = await (this.#loaded ??= load(this.#given));
    const digest = `sha-256=:${base64(await crypto.subtle.digest('SHA-256', utf8(body)))}:`;
    const values: [string, string][] = [
      ['@method', 'POST'],
      ['@path', path],
      ['content-digest', digest],
    ];
    for (const name of COVERED) {
      const value = headers[name];
      if (value !== undefined) values.push([name, value]);
    }
    const list = values.map(([name]) => `"${name}"`).join(' ');
    const input = `(${list});created=${moment.created};nonce="${moment.nonce}";keyid="${keyId}";alg="ed25519"`;
    const lines = [...values.map(([name, value]) => `"${name}": ${value}`), `"@signature-params": ${input}`];
    const signature = await crypto.subtle.sign('Ed25519', key, utf8(lines.join('\n')));
    return {
      'content-digest': digest,
      'signature-input': `sig1=${input}`,
      signature: `sig1=:${base64(signature)}:`,
    };
  }
}

type ReadKey = { readonly jwk: PrivateJwk } | { readonly pkcs8: Uint8Array<ArrayBuffer> };

const UNREADABLE =
  'signingKey.privateKey: an Ed25519 key as a JWK with d, or as PEM that begins with BEGIN PRIVATE KEY';

/** @throws TypeError */
function read(privateKey: unknown): ReadKey {
  if (typeof privateKey === 'string') {
    const pem = PEM.exec(privateKey.trim());
    if (pem !== null) return { pkcs8: readPkcs8(pem[1]!.replace(/\s/gu, '')) };
    try {
      return read(JSON.parse(privateKey));
    } catch {
      throw new TypeError(UNREADABLE);
    }
  }
  if (typeof privateKey !== 'object' || privateKey === null)
    throw new TypeError(`${UNREADABLE}, not ${kindOf(privateKey)}`);
  const { kty, crv, x, d } = privateKey as Partial<PrivateJwk>;
  if (kty !== 'OKP' || crv !== 'Ed25519' || !isCoordinate(x) || !isCoordinate(d)) throw new TypeError(UNREADABLE);
  return { jwk: { kty, crv, x, d } };
}

/** 32 bytes in base64url without padding (RFC 8037 section 2). */
function isCoordinate(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{43}$/u.test(value);
}

/** @throws TypeError where it is no private key of Ed25519 (RFC 8410 section 7) */
function readPkcs8(base64Text: string): Uint8Array<ArrayBuffer> {
  let text: string;
  try {
    text = atob(base64Text);
  } catch {
    throw new TypeError(UNREADABLE);
  }
  if (!text.startsWith(ED25519_PKCS8) || text.length !== ED25519_PKCS8.length + 32) throw new TypeError(UNREADABLE);
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

async function load({ privateKey, keyId }: SigningKey): Promise<LoadedKey> {
  const given = read(privateKey);
  const { subtle } = crypto;
  const key =
    'jwk' in given
      ? await subtle.importKey('jwk', given.jwk, 'Ed25519', true, ['sign'])
      : await subtle.importKey('pkcs8', given.pkcs8, 'Ed25519', true, ['sign']);
  const { x } = await subtle.exportKey('jwk', key);
  const thumbprint = await subtle.digest('SHA-256', utf8(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`));
  const id = base64(thumbprint).replace(/\+/gu, '-').replace(/\//gu, '_').replace(/=/gu, '');
  return { key, keyId: keyId ?? id };
}

function base64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}
