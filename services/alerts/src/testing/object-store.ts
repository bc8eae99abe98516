import { createHash } from 'node:crypto';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { signatureOf } from './sig-v4.js';

/** A version of an object. */
export interface Version {
  readonly body: Buffer;
  readonly headers: IncomingHttpHeaders;
  readonly mode: string;
  readonly retainUntilMs: number;
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message?: string;
  readonly retryAfter?: string;
}

const CLOCK_SKEW_MS = 900_000;

/**
 * A store of objects with the interface of S3, of one bucket with object lock, addressed by path: it takes `PUT` alone, verifies
 * signature, checksum and retention as Amazon S3 does, and keeps every version.
 */
export class ObjectStore {
  /** By key. */
  readonly versions = new Map<string, Version[]>();
  /** Refuses a request, whatever it is; `null`: it is judged. */
  refuse: () => Refusal | null = () => null;
  /** Stores an object, and breaks the connection in place of an answer. */
  isSilent = false;
  /** Made with object lock; `ignored`: the store takes no notice of it. */
  lock: 'enabled' | 'missing' | 'ignored' = 'enabled';
  #server: Server | null = null;
  #port = 0;

  constructor(
    readonly bucket: string,
    readonly region: string,
    readonly key: { readonly accessKeyId: string; readonly secretAccessKey: string },
  ) {}

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Lines of the current version of each object. */
  lines(): readonly string[] {
    return [...this.versions].flatMap(([key, versions]) => {
      const { body } = versions.at(-1)!;
      return (key.endsWith('.gz') ? gunzipSync(body) : body).toString().trimEnd().split('\n');
    });
  }

  async start(): Promise<void> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('error', () => undefined);
      request.on('end', () => this.#take(request, Buffer.concat(chunks), response));
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Ends all connections, also in the middle of a request. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }

  #take(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const refusal = this.refuse() ?? this.#problem(request, body);
    if (refusal !== null) {
      const { status, code, message = 'a message', retryAfter } = refusal;
      const headers = {
        'content-type': 'application/xml',
        ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
      };
      const text = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
      response.writeHead(status, headers).end(text);
      return;
    }
    const { headers } = request;
    const version = {
      body,
      headers,
      mode: String(headers['x-amz-object-lock-mode']),
      retainUntilMs: retainUntilMs(headers),
    };
    const key = (request.url ?? '').slice(`/${this.bucket}/`.length);
    const versions = this.versions.get(key) ?? [];
    versions.push(version);
    this.versions.set(key, versions);
    if (this.isSilent) response.destroy();
    else response.writeHead(200, this.lock === 'ignored' ? {} : { 'x-amz-version-id': `v${versions.length}` }).end();
  }

  #problem(request: IncomingMessage, body: Buffer): Refusal | null {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    const bodySha256 = createHash('sha256').update(body).digest('hex');
    const path = request.url ?? '';
    const signed = signatureOf({ method: request.method ?? '', path, headers, bodySha256 }, this.key.secretAccessKey);
    if (signed === null) return { status: 403, code: 'AccessDenied' };
    const { signature, sent } = signed;
    if (sent['id'] !== this.key.accessKeyId) return { status: 403, code: 'InvalidAccessKeyId' };
    if (sent['service'] !== 's3' || sent['scope']!.split('/')[1] !== this.region)
      return { status: 400, code: 'AuthorizationHeaderMalformed' };
    if (headers['x-amz-content-sha256'] !== bodySha256) return { status: 400, code: 'XAmzContentSHA256Mismatch' };
    const mustBeSigned = Object.keys(headers).filter((name) => name === 'host' || name.startsWith('x-amz-'));
    const names = sent['names']!.split(';');
    if (!mustBeSigned.every((name) => names.includes(name))) return { status: 403, code: 'AccessDenied' };
    if (signature !== sent['signature']) return { status: 403, code: 'SignatureDoesNotMatch' };
    const time = (headers['x-amz-date'] ?? '').replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5');
    if (!(Math.abs(Date.parse(time) - Date.now()) < CLOCK_SKEW_MS))
      return { status: 403, code: 'RequestTimeTooSkewed' };
    if (request.method !== 'PUT') return { status: 405, code: 'MethodNotAllowed' };
    if (!path.startsWith(`/${this.bucket}/`)) return { status: 404, code: 'NoSuchBucket' };
    if (this.lock === 'missing') {
      return { status: 400, code: 'InvalidRequest', message: 'Bucket is missing Object Lock Configuration' };
    }
    return checksumProblem(headers, body) ?? lockProblem(request.headers);
  }
}

function checksumProblem(headers: Readonly<Record<string, string>>, body: Buffer): Refusal | null {
  const { 'content-md5': md5, 'x-amz-checksum-sha256': sha256 } = headers;
  // "Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object requests with Object Lock parameters".
  if (md5 === undefined && sha256 === undefined) return { status: 400, code: 'InvalidRequest' };
  const digest = (algorithm: string): string => createHash(algorithm).update(body).digest('base64');
  if (md5 !== undefined && md5 !== digest('md5')) return { status: 400, code: 'BadDigest' };
  return sha256 !== undefined && sha256 !== digest('sha256') ? { status: 400, code: 'BadDigest' } : null;
}

function lockProblem(headers: IncomingHttpHeaders): Refusal | null {
  const isMode = ['GOVERNANCE', 'COMPLIANCE'].includes(String(headers['x-amz-object-lock-mode']));
  return isMode && retainUntilMs(headers) > Date.now() ? null : { status: 400, code: 'InvalidArgument' };
}

function retainUntilMs(headers: IncomingHttpHeaders): number {
  return Date.parse(String(headers['x-amz-object-lock-retain-until-date']));
}
