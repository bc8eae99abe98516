import { createHash, createHmac } from 'node:crypto';

/** A request as it arrived; names of headers in lower case. */
export interface SignedRequest {
  readonly method: string;
  /** As it was sent: path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body, lower-case hex. */
  readonly bodySha256: string;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=(?<id>[^/]+)\/(?<scope>\d{8}\/[^/]+\/s3\/aws4_request), ?SignedHeaders=(?<names>[^,]+), ?Signature=(?<signature>[0-9a-f]{64})$/;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/**
 * Computes the signature of a request by AWS Signature Version 4 for S3, from its documentation and from nothing that the product
 * signs with.
 * @returns lower-case hex, and the header as it was sent; `null`: it has no such header
 */
export function signatureOf(
  request: SignedRequest,
  secretAccessKey: string,
): { readonly signature: string; readonly sent: Readonly<Record<string, string>> } | null {
  const sent = AUTHORIZATION.exec(request.headers['authorization'] ?? '')?.groups;
  if (sent === undefined) return null;
  const { scope = '', names = '' } = sent;
  const [path = '', query = ''] = request.path.split('?');
  const header = (name: string): string => (request.headers[name] ?? '').trim().replace(/ +/g, ' ');
  const canonical = [
    request.method,
    path,
    query,
    ...names.split(';').map((name) => `${name}:${header(name)}`),
    '',
    names,
    request.bodySha256,
  ].join('\n');
  const time = request.headers['x-amz-date'] ?? '';
  const [day = '', region = '', service = '', end = ''] = scope.split('/');
  const key = [day, region, service, end].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`);
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  return { signature: hmac(key, toSign).toString('hex'), sent };
}
