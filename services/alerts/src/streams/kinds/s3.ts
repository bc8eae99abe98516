import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { AwsV4Signer } from 'aws4fetch';
import type { StreamCredentials, StreamSettings } from '@countersign/contracts';
import { others, type HttpKind } from './kind.js';
import { objectKey, prefixProblem } from './object-key.js';
import { jsonOf } from './sent-record.js';

const DAY_MS = 86_400_000;

/**
 * Amazon S3, and stores with its interface: an object of JSON lines for each batch, which nothing can overwrite or delete until
 * its retention ends (object lock). A batch that is sent again has the same key, and makes one more version of the same object.
 */
export const S3: HttpKind = {
  settings: ['bucket', 'region', 'prefix', 'gzip', 'checksum', 'lock'],
  repeatsBatches: true,
  problem: (url, credentials, settings) =>
    credentialsProblem(credentials) ?? settingsProblem(settings) ?? addressProblem(url, settings),
  async request(batch, { streamId, url, settings, credentials, nowMs }) {
    const { bucket = '', prefix = '', gzip = false } = settings;
    const lines = Buffer.from(batch.map((record) => `${jsonOf(record)}\n`).join(''));
    const body = gzip ? gzipSync(lines) : lines;
    const key = objectKey(batch, { prefix, streamId, suffix: gzip ? '.jsonl.gz' : '.jsonl' });
    const address = new URL(`/${bucket}/${key}`, url);
    const headers = {
      'content-type': gzip ? 'application/gzip' : 'application/x-ndjson',
      ...lockOf(settings, nowMs),
      ...checksumOf(body, settings),
    };
    return {
      url: address.href,
      method: 'PUT',
      headers: await signed(address, headers, body, settings, credentials, nowMs),
      body,
    };
  },
  refused: (_answer, _batch, headers) => (isVersion(headers['x-amz-version-id']) ? null : WITHOUT_VERSIONS),
  explained(answer) {
    const code = /<Code>([A-Za-z.]{1,64})<\/Code>/.exec(answer ?? '')?.[1];
    if (code === undefined) return null;
    return NO_LOCK.test(answer ?? '') ? `(${code}): the bucket has no object lock` : `(${code})`;
  },
};

/** In the message of an error, as Amazon S3 writes it, and stores with its interface. */
const NO_LOCK = /<Message>[^<]*missing Object ?Lock ?Configuration/i;

/**
 * A bucket with object lock has versions, and the answer to each `PUT` names its own. Where there is none, the store takes no notice of
 * the lock, or has locks without versions: it overwrites the object of a batch that is sent again, or refuses it for ever.
 */
const WITHOUT_VERSIONS =
  'the store gave the object no version: use a bucket with versions and object lock, of a store that has both';

function isVersion(id: string | readonly string[] | undefined): boolean {
  return typeof id === 'string' && id !== '' && id !== 'null';
}

function credentialsProblem(credentials: StreamCredentials): string | null {
  const { accessKeyId, secretAccessKey } = credentials;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    return 'credentials.accessKeyId and credentials.secretAccessKey are required for s3';
  }
  return others(credentials, ['accessKeyId', 'secretAccessKey']);
}

function settingsProblem({ bucket, region, prefix = '', lock }: StreamSettings): string | null {
  if (bucket === undefined) return 'settings.bucket is required for s3';
  if (region === undefined) return 'settings.region is required for s3; where there is none, us-east-1';
  if (lock === undefined) return 'settings.lock is required for s3: mode GOVERNANCE or COMPLIANCE, and days';
  return prefixProblem(prefix);
}

function addressProblem(url: URL, { bucket = '' }: StreamSettings): string | null {
  if (url.pathname !== '/' || url.search !== '') {
    return 'url must be the endpoint alone, such as https://s3.eu-central-1.amazonaws.com: bucket and prefix are settings';
  }
  // A name of a host may begin as the bucket is called: only Amazon S3 and stores that are named after it are recognized.
  return url.hostname.startsWith(`${bucket}.s3`) ? 'url must be the endpoint without the bucket' : null;
}

function lockOf({ lock }: StreamSettings, nowMs: number): Readonly<Record<string, string>> {
  if (lock === undefined) throw new Error('a stream to S3 has no lock');
  return {
    'x-amz-object-lock-mode': lock.mode,
    'x-amz-object-lock-retain-until-date': new Date(nowMs + lock.days * DAY_MS).toISOString(),
  };
}

/** An object with a retention is accepted only with a checksum. */
function checksumOf(body: Uint8Array, { checksum = 'sha256' }: StreamSettings): Readonly<Record<string, string>> {
  const digest = createHash(checksum).update(body).digest('base64');
  return checksum === 'md5' ? { 'content-md5': digest } : { 'x-amz-checksum-sha256': digest };
}

/** Headers with a signature of version 4 over all of them that it may cover, the path and the body. */
async function signed(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
  { region = '' }: StreamSettings,
  { accessKeyId = '', secretAccessKey = '' }: StreamCredentials,
  nowMs: number,
): Promise<Readonly<Record<string, string>>> {
  const signer = new AwsV4Signer({
    method: 'PUT',
    url: url.href,
    headers: { ...headers, 'x-amz-content-sha256': createHash('sha256').update(body).digest('hex') },
    accessKeyId,
    secretAccessKey,
    region,
    service: 's3',
    datetime: new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, ''),
  });
  return Object.fromEntries((await signer.sign()).headers.entries());
}
