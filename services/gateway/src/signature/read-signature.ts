import { hash, timingSafeEqual } from 'node:crypto';
import { readByteDictionary, readSignatureInput } from './structured.js';
import type { SignatureInput } from './structured.js';

/** A request that carries a signature. */
export interface SignedRequest {
  readonly method: string;
  /** The request target, as sent. */
  readonly url: string;
  readonly rawHeaders: readonly string[];
  readonly body: Uint8Array;
}

/** A signature of a request (RFC 9421) that covers what the profile requires; whether it is valid depends on its key. */
export interface SentSignature {
  readonly keyId: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** Seconds since 1970; `null`: none. */
  readonly expires: number | null;
  readonly nonce: string;
  /** The text that is signed (RFC 9421 section 2.5). */
  readonly base: string;
  /** 64 bytes. */
  readonly signature: Uint8Array;
}

/** A signature that cannot be valid, and why. */
export interface UnreadableSignature {
  readonly problem: string;
}

/** Always covered. */
const REQUIRED = ['@method', '@path', 'content-digest'] as const;
/** Covered where the request has them: anyone on the way could change them otherwise. */
const REQUIRED_IF_SENT = [
  'idempotency-key',
  'x-approval-id',
  'x-subject-token-digest',
  'x-countersign-agent',
  'x-countersign-principal',
  'x-countersign-session',
] as const;
/**
 * All that may be covered: the signed text is recorded, so that no credential may be in it. In place of a token of a trusted
 * issuer, its digest is covered.
 */
const COVERABLE: ReadonlySet<string> = new Set([
  ...REQUIRED,
  ...REQUIRED_IF_SENT,
  ...['@query', '@authority', 'content-type', 'content-length', 'date', 'traceparent'],
]);
const TOKEN = 'x-subject-token';
const TOKEN_DIGEST = 'x-subject-token-digest';
const PARAMETERS: ReadonlySet<string> = new Set(['created', 'expires', 'nonce', 'keyid', 'alg', 'tag']);
const MOST_NONCE_CHARACTERS = 128;
const SIGNATURE_BYTES = 64;
const ASCII = /^[\x20-\x7e]*$/;
/** The origin of a request target in absolute form. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

const MALFORMED_INPUT =
  'Signature-Input is malformed: send one signature, sig1=("@method" "@path" "content-digest");created=…;nonce="…";keyid="…", with components without parameters';
const MALFORMED_SIGNATURE = 'Signature is malformed: send one of 64 bytes, under the label of Signature-Input';
const MALFORMED_DIGEST = 'Content-Digest is malformed: send sha-256=:…:, sha-512=:…: or both';
const OTHER_DIGEST = 'Content-Digest is not that of the body';
const TOKEN_UNBOUND =
  'X-Subject-Token came without X-Subject-Token-Digest: send sha-256=:…: of the token, and cover that header';
const OTHER_TOKEN = 'X-Subject-Token-Digest is not sha-256=:…: of X-Subject-Token';

/** Reads the signature of a request. Linear in what was sent; never throws. */
export function readSignature(request: SignedRequest): SentSignature | UnreadableSignature {
  const headers = headersOf(request.rawHeaders);
  const given = headers.get('signature-input');
  if (given === undefined) return { problem: 'Signature came without Signature-Input: send both' };
  const input = readSignatureInput(given);
  if (input === null) return { problem: MALFORMED_INPUT };
  const sent = readByteDictionary(headers.get('signature') ?? '');
  const signature = sent?.size === 1 ? sent.get(input.label) : undefined;
  if (signature?.length !== SIGNATURE_BYTES) return { problem: MALFORMED_SIGNATURE };
  const parameters = readParameters(input.parameters);
  if ('problem' in parameters) return parameters;
  const recorded = input.components.find((name) => !name.startsWith('@') && !COVERABLE.has(name));
  if (recorded !== undefined) return { problem: coversTooMuch(recorded) };
  const { pathname, query } = targetOf(request.url);
  const missing = missingComponents(input.components, headers, query !== '');
  if (missing.length > 0) return { problem: `the signature does not cover ${missing.join(', ')}` };
  const problem = digestProblem(headers.get('content-digest'), request.body) ?? tokenProblem(headers);
  if (problem !== null) return { problem };
  const derived = new Map([
    ['@method', request.method],
    ['@path', pathname],
    ['@query', `?${query}`],
    ['@authority', (headers.get('host') ?? '').toLowerCase()],
  ]);
  const base = signatureBase(input, (name) => (name.startsWith('@') ? derived.get(name) : headers.get(name)));
  return typeof base === 'string' ? { ...parameters, base, signature } : base;
}

function coversTooMuch(name: string): string {
  if (name === TOKEN) return TOKEN_UNBOUND;
  const most = [...COVERABLE].map((one) => (one.startsWith('@') ? `"${one}"` : one)).join(', ');
  return `the signature covers ${name}, but the signed text is recorded: cover none but ${most}`;
}

/** The digest that is covered in place of a token has to be that of the token. */
function tokenProblem(headers: ReadonlyMap<string, string>): string | null {
  const token = headers.get(TOKEN);
  const given = headers.get(TOKEN_DIGEST);
  if (token === undefined) return given === undefined ? null : OTHER_TOKEN;
  if (given === undefined) return TOKEN_UNBOUND;
  const own = hash('sha256', Buffer.from(token, 'latin1'), 'buffer');
  const sent = readByteDictionary(given)?.get('sha-256');
  return sent?.length === own.length && timingSafeEqual(sent, own) ? null : OTHER_TOKEN;
}

/** By name in lower case; several of one name are joined (RFC 9421 section 2.1). */
function headersOf(raw: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase();
    const before = headers.get(name);
    const value = raw[i + 1]!.trim();
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return headers;
}

function readParameters(
  parameters: ReadonlyMap<string, number | string>,
): Pick<SentSignature, 'keyId' | 'created' | 'expires' | 'nonce'> | UnreadableSignature {
  for (const name of parameters.keys()) {
    if (!PARAMETERS.has(name)) return { problem: `the signature has the parameter ${name}, which is not known here` };
  }
  const created = parameters.get('created');
  const expires = parameters.get('expires') ?? null;
  const nonce = parameters.get('nonce');
  const keyId = parameters.get('keyid');
  const algorithm = parameters.get('alg') ?? 'ed25519';
  if (typeof created !== 'number') return { problem: 'the signature has no created, a time in whole seconds' };
  if (typeof expires === 'string') return { problem: 'expires of the signature is no time in whole seconds' };
  if (typeof nonce !== 'string' || nonce === '' || nonce.length > MOST_NONCE_CHARACTERS) {
    return { problem: `the signature has no nonce, a text of 1 to ${MOST_NONCE_CHARACTERS} characters` };
  }
  if (typeof keyId !== 'string') return { problem: 'the signature has no keyid, the id of a signing key of the agent' };
  if (algorithm !== 'ed25519') return { problem: 'alg of the signature is not ed25519' };
  return { keyId, created, expires, nonce };
}

function targetOf(url: string): { readonly pathname: string; readonly query: string } {
  const target = url.startsWith('/') ? url : url.replace(ORIGIN, '');
  const at = target.indexOf('?');
  return at < 0 ? { pathname: target, query: '' } : { pathname: target.slice(0, at), query: target.slice(at + 1) };
}

function missingComponents(
  covered: readonly string[],
  headers: ReadonlyMap<string, string>,
  hasQuery: boolean,
): readonly string[] {
  const sent = REQUIRED_IF_SENT.filter((name) => headers.has(name));
  const wanted = [...REQUIRED, ...(hasQuery ? ['@query'] : []), ...sent];
  return wanted.filter((name) => !covered.includes(name));
}

/** RFC 9530; `null`: each digest that is sent, and is known, is that of the body. */
function digestProblem(given: string | undefined, body: Uint8Array): string | null {
  if (given === undefined) return 'Content-Digest is missing';
  const digests = readByteDictionary(given);
  if (digests === null) return MALFORMED_DIGEST;
  const known = (['sha-256', 'sha-512'] as const).filter((name) => digests.has(name));
  if (known.length === 0) return MALFORMED_DIGEST;
  for (const name of known) {
    const own = hash(name.replace('-', ''), body, 'buffer');
    const sent = digests.get(name)!;
    if (sent.length !== own.length || !timingSafeEqual(sent, own)) return OTHER_DIGEST;
  }
  return null;
}

/** RFC 9421 section 2.5. */
export function signatureBase(
  { components, text }: Pick<SignatureInput, 'components' | 'text'>,
  valueOf: (component: string) => string | undefined,
): string | UnreadableSignature {
  const lines: string[] = [];
  for (const component of components) {
    const value = valueOf(component);
    if (value === undefined) {
      const what = component.startsWith('@') ? 'is not known here' : 'the request does not have';
      return { problem: `the signature covers ${component}, which ${what}` };
    }
    if (!ASCII.test(value)) return { problem: `the signature covers ${component}, which is not ASCII` };
    lines.push(`"${component}": ${value}`);
  }
  return [...lines, `"@signature-params": ${text}`].join('\n');
}
