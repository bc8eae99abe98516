import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import type { StreamCredentials, StreamSettings } from '@countersign/contracts';
import { seal } from '@countersign/process';
import { ObjectStore } from '../../testing/object-store.js';
import { batchSender, type SentBatch } from '../send-batch.js';
import { S3 } from './s3.js';
import type { SentRecord } from './sent-record.js';

const KEY = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
const SEAL = new Uint8Array(32);
const STREAM = '33333333-3333-4333-8333-333333333333';
const SETTINGS: StreamSettings = {
  bucket: 'audit-archive',
  region: 'eu-central-1',
  prefix: 'countersign/prod',
  lock: { mode: 'COMPLIANCE', days: 365 },
};
const BATCH: readonly SentRecord[] = ['one', 'two', 'three'].map((eventId, n) => ({
  ...{ eventId, eventType: 'action.checked', agentId: 'agent', sequence: n + 1, severity: null },
  ...{ occurredAt: '2026-03-01T23:59:59.999Z', format: 'ecs', text: JSON.stringify({ event: { id: eventId } }) },
}));
const TEXT = '{"event":{"id":"one"}}\n{"event":{"id":"two"}}\n{"event":{"id":"three"}}\n';

describe('objects of a stream to S3', () => {
  const store = new ObjectStore('audit-archive', 'eu-central-1', KEY);
  let now: () => number = Date.now;

  beforeAll(() => store.start());
  beforeEach(() => {
    store.versions.clear();
    store.refuse = () => null;
    store.isSilent = false;
    store.lock = 'enabled';
    now = Date.now;
  });
  afterAll(() => store.stop());

  function send(settings = SETTINGS, credentials: StreamCredentials = KEY, batch = BATCH): Promise<SentBatch> {
    const resolve = async () => [];
    const network = { allowedHosts: [new URL(store.origin).host], resolve, timeoutMs: 10_000 };
    const sendBatch = batchSender(SEAL, network, { originHost: null, clock: () => now() });
    const at = '2026-01-01T00:00:00.000Z';
    const sealedCredentials = seal(JSON.stringify(credentials), SEAL, STREAM);
    const stream = {
      id: STREAM,
      accountId: 'a',
      kind: 's3',
      url: `${store.origin}/`,
      format: 'ecs',
      settings,
    } as const;
    return sendBatch(
      { ...stream, sealedCredentials, filter: {}, enabled: true, createdAt: at, from: at, revision: 1 },
      batch,
    );
  }

  it('are signed, have a checksum, and are locked from then for as many days as the settings say', async () => {
    const at = Date.now();
    now = () => at;
    expect(await send()).toMatchObject({ status: 200, error: null });
    const digest = createHash('sha256').update('one\ntwo\nthree').digest('hex').slice(0, 16);
    const key = `countersign/prod/2026/03/01/${STREAM}/one-3-${digest}.jsonl`;
    expect([...store.versions.keys()]).toEqual([key]);
    const [version] = store.versions.get(key)!;
    expect(version).toMatchObject({ mode: 'COMPLIANCE', retainUntilMs: at + 365 * 86_400_000 });
    expect(version!.body.toString()).toBe(TEXT);
    expect(version!.headers).toMatchObject({
      'content-type': 'application/x-ndjson',
      'x-amz-checksum-sha256': createHash('sha256').update(TEXT).digest('base64'),
    });
    expect(version!.headers).not.toHaveProperty('content-md5');
  });

  it('are compressed, without a prefix, and with Content-MD5 for stores that do not know the other, if so set', async () => {
    const lock = { mode: 'GOVERNANCE', days: 1 } as const;
    const { bucket, region } = { bucket: 'audit-archive', region: 'eu-central-1' };
    expect(await send({ bucket, region, lock, gzip: true, checksum: 'md5' })).toMatchObject({ error: null });
    const [[key, versions]] = [...store.versions] as [
      [string, typeof store.versions extends Map<string, infer V> ? V : never],
    ];
    expect(key).toMatch(/^2026\/03\/01\/[0-9a-f-]{36}\/one-3-[0-9a-f]{16}\.jsonl\.gz$/);
    const [version] = versions;
    expect(gunzipSync(version!.body).toString()).toBe(TEXT);
    expect(version).toMatchObject({ mode: 'GOVERNANCE', headers: { 'content-type': 'application/gzip' } });
    expect(version!.headers['content-md5']).toBe(createHash('md5').update(version!.body).digest('base64'));
    expect(version!.headers).not.toHaveProperty('x-amz-checksum-sha256');
  });

  it('have the same key and content when they are sent again, at any time: one more version of the same', async () => {
    store.isSilent = true;
    expect(await send()).toMatchObject({ status: null, error: 'the connection failed' });
    store.isSilent = false;
    now = () => Date.now() + 60_000;
    expect(await send()).toMatchObject({ status: 200, error: null });
    const [versions] = [...store.versions.values()];
    expect([store.versions.size, versions!.length]).toEqual([1, 2]);
    expect(versions![1]!.body.equals(versions![0]!.body)).toBe(true);
    expect(versions![1]!.retainUntilMs).toBeGreaterThan(versions![0]!.retainUntilMs);
    await send(SETTINGS, KEY, BATCH.slice(0, 2));
    expect(store.versions.size).toBe(2);
  });

  it.each<[number, string, string?, number?]>([
    [403, 'AccessDenied'],
    [409, 'OperationAborted'],
    [412, 'PreconditionFailed'],
    [400, 'InvalidRequest'],
    [503, 'SlowDown', '7', 7_000],
    [503, 'SlowDown', new Date(Date.now() + 3_600_000).toUTCString(), 3_590_000],
    [500, 'InternalError', 'soon'],
  ])('are not delivered at %s %s, and the code is said', async (status, code, retryAfter, leastMs) => {
    store.refuse = () => ({ status, code, ...(retryAfter === undefined ? {} : { retryAfter }) });
    const sent = await send();
    expect(sent).toMatchObject({ status, error: `the host answered ${status} (${code})` });
    if (leastMs === undefined) expect(sent.retryAfterMs).toBeNull();
    else expect(sent.retryAfterMs).toBeGreaterThanOrEqual(leastMs);
    store.refuse = () => ({ status, code: '<script>' });
    expect(await send()).toMatchObject({ status, error: `the host answered ${status}` });
    expect(store.versions.size).toBe(0);
  });

  it('are not delivered to a bucket without object lock, nor to a store that takes no notice of it', async () => {
    store.lock = 'missing';
    expect(await send()).toMatchObject({
      status: 400,
      error: 'the host answered 400 (InvalidRequest): the bucket has no object lock',
    });
    expect(store.versions.size).toBe(0);
    store.lock = 'ignored';
    expect((await send()).error).toMatch(/^the store gave the object no version: /);
    store.lock = 'enabled';
    expect((await send()).error).toBeNull();
  });

  it('are compressed to the same bytes again, and may have `=` in their prefix', async () => {
    const settings = { ...SETTINGS, prefix: 'by=day/a.b_c-d', gzip: true };
    for (let n = 0; n < 2; n += 1) expect((await send(settings)).error).toBeNull();
    const [found] = store.versions;
    const [key, versions] = found!;
    expect(key).toMatch(/^by=day\/a\.b_c-d\/2026\//);
    expect(versions[1]!.body.equals(versions[0]!.body)).toBe(true);
  });

  it.each<[string, () => Promise<SentBatch>, string]>([
    ['another secret', () => send(SETTINGS, { ...KEY, secretAccessKey: 'x' }), '403 (SignatureDoesNotMatch)'],
    ['another key', () => send(SETTINGS, { ...KEY, accessKeyId: 'x' }), '403 (InvalidAccessKeyId)'],
    ['another region', () => send({ ...SETTINGS, region: 'us-east-1' }), '400 (AuthorizationHeaderMalformed)'],
    ['another bucket', () => send({ ...SETTINGS, bucket: 'other' }), '404 (NoSuchBucket)'],
  ])('are refused by the store for %s', async (_what, given, answer) => {
    expect((await given()).error).toBe(`the host answered ${answer}`);
  });

  it('are refused by the store when the clock is wrong', async () => {
    now = () => Date.now() - 3_600_000;
    expect((await send()).error).toBe('the host answered 403 (RequestTimeTooSkewed)');
  });

  it.each<[string, string, StreamCredentials, StreamSettings, string | null]>([
    ['all', 'https://s3.eu-central-1.amazonaws.com/', KEY, SETTINGS, null],
    ['a slash at the end', 'https://s3.example.com/', KEY, { ...SETTINGS, prefix: 'a/b/' }, null],
    ['no key', 'https://s3.example.com/', {}, SETTINGS, 'credentials.accessKeyId and credentials.secretAccessKey'],
    [
      'half a key',
      'https://s3.example.com/',
      { accessKeyId: 'x' },
      SETTINGS,
      'credentials.secretAccessKey are required',
    ],
    ['a token', 'https://s3.example.com/', { ...KEY, token: 'x' }, SETTINGS, 'credentials.token is not of this kind'],
    ['no settings', 'https://s3.example.com/', KEY, {}, 'settings.bucket is required'],
    ['no region', 'https://s3.example.com/', KEY, { bucket: 'abc' }, 'settings.region is required'],
    ['no lock', 'https://s3.example.com/', KEY, { bucket: 'abc', region: 'x' }, 'settings.lock is required'],
    ['dots', 'https://s3.example.com/', KEY, { ...SETTINGS, prefix: 'a/../b' }, 'settings.prefix must be names'],
    ['an empty name', 'https://s3.example.com/', KEY, { ...SETTINGS, prefix: 'a//b' }, 'settings.prefix must be names'],
    [
      'a slash at first',
      'https://s3.example.com/',
      KEY,
      { ...SETTINGS, prefix: '/a' },
      'settings.prefix must be names',
    ],
    ['a slash alone', 'https://s3.example.com/', KEY, { ...SETTINGS, prefix: '/' }, 'settings.prefix must be names'],
    ['a path', 'https://s3.example.com/audit-archive', KEY, SETTINGS, 'url must be the endpoint alone'],
    ['a query', 'https://s3.example.com/?a', KEY, SETTINGS, 'url must be the endpoint alone'],
    ['a host that begins as the bucket', 'https://audit-archive.example.com/', KEY, SETTINGS, null],
    [
      'the bucket',
      'https://audit-archive.s3.amazonaws.com/',
      KEY,
      SETTINGS,
      'url must be the endpoint without the bucket',
    ],
  ])('take as address, credentials and settings: %s', (_what, url, credentials, settings, problem) => {
    const found = S3.problem(new URL(url), credentials, settings);
    if (problem === null) expect(found).toBeNull();
    else expect(found).toContain(problem);
  });
});
