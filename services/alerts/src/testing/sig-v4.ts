import { createHash, createHmac } from 'node:crypto';

/** A request as it arrived; names of headers in lower case. */
export interface SignedRequest {
  readonly method: string;
  /** As it was sent: path and query. */
  readonly path: string;
  /** Several values of a name with a comma between them. */
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body, lower-case hex. */
  readonly bodySha256: string;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=(?<id>[^/]+)\/(?<scope>\d{8}\/[^/]+\/(?<service>[^/]+)\/aws4_request), ?SignedHeaders=(?<names>[^,]+), ?Signature=(?<signature>[0-9a-f]{64})$/;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/**
 * Computes the signature of a request by AWS Signature Version 4 ("Create a signed AWS API request" in the user guide of IAM), with
 * the path as Amazon S3 takes it: not normalized, and encoded once. It uses nothing that the product signs with.
 * @returns lower-case hex, and the header as it was sent; `null`: it has no such header
 */
export function signatureOf(
  request: SignedRequest,
  secretAccessKey: string,
): { readonly signature: string; readonly sent: Readonly<Record<string, string>> } | null {
  const sent = AUTHORIZATION.exec(request.headers['authorization'] ?? '')?.groups;
  if (sent === undefined) return null;
  const { scope = '', names = '' } = sent;
  const canonical = canonicalRequest(request, names);
  const time = request.headers['x-amz-date'] ?? '';
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  return { signature: hmac(key, toSign).toString('hex'), sent };
}

/** @param names of the signed headers, as in the header `Authorization` */
export function canonicalRequest({ method, path, headers, bodySha256 }: SignedRequest, names: string): string {
  const [place = '', query = ''] = path.split('?');
  const parameters = query === '' ? [] : query.split('&').map(parameter);
  const header = (name: string): string => (headers[name] ?? '').trim().replace(/ +/g, ' ');
  return [
    method,
    place.split('/').map(encoded).join('/'),
    parameters
      .sort(([a, x], [b, y]) => compared(a, b) || compared(x, y))
      .map(([name, value]) => `${name}=${value}`)
      .join('&'),
    ...names.split(';').map((name) => `${name}:${header(name)}`),
    '',
    names,
    bodySha256,
  ].join('\n');
}

function parameter(text: string): readonly [string, string] {
  const [name = '', value = ''] = text.split('=');
  return [encoded(name), encoded(value)];
}

/** Every byte but the unreserved characters of RFC 3986, as `%XY`, also where the client sent it as it is. */
function encoded(text: string): string {
  return encodeURIComponent(decodeURIComponent(text)).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function compared(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
