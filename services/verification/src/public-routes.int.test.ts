import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import type { Counters } from '@countersign/counters';
import { openSqliteLog } from '@countersign/event-log';
import { createLogger, createRegistry, loadConfig } from '@countersign/process';
import { PeerRegistry, serveThread } from '@countersign/service-kit';
import type { ServingThread, ThreadContext } from '@countersign/service-kit';
import { definition } from './definition.js';
import * as given from './public-facts.test-setup.js';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

describe('the public routes, with every other service gone', () => {
  let dataDir: string;
  let serving: ServingThread;

  const ask = (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string,
    address = serving.address,
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(address);
      const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
      const request = httpRequest({ hostname, port, method, path, headers: { ...type, ...headers } }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      });
      request.on('error', reject).end(body);
    });
  const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> => ask('GET', path, headers);
  const post = (path: string, body: unknown): Promise<Answer> => ask('POST', path, {}, JSON.stringify(body));
  const until = async (holds: () => Promise<boolean>): Promise<void> => {
    while (!(await holds())) await sleep(20);
  };

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'countersign-public-'));
    const packages = join(dataDir, 'reporting', 'packages');
    await mkdir(packages, { recursive: true });
    await writeFile(join(packages, given.PACKAGE.sha256), given.PACKAGE_TEXT);
    const eventLog = await openSqliteLog({ file: join(dataDir, 'log.db') });
    await eventLog.append(given.PUBLISHED);
    const gone = (what: string): never => {
      throw new Error(`${what} is gone`);
    };
    const thread: ThreadContext = {
      config: loadConfig({ COUNTERSIGN_DATA_DIR: dataDir, COUNTERSIGN_PUBLIC_REQUESTS_PER_MINUTE: '10000000' }),
      log: createLogger('silent'),
      eventLog,
      counters: new Proxy({} as Counters, { get: () => () => gone('counters') }),
      metrics: createRegistry('test', false),
      peers: new PeerRegistry(),
      clock: () => Date.now(),
      chain: () => Promise.reject(new Error('the chain is gone')),
      publicUrl: () => serving.address,
    };
    serving = await serveThread([definition], thread, { on: { host: '127.0.0.1', port: 0 } });
    await until(async () => serving.notReady().length === 0);
    await until(async () => (await get(`/v1/verify/${given.SSN}`)).text.includes('"action_count":5'));
    await until(async () => (await get(`/v1/verify/${given.SSN}`)).text.includes('"Inactive"'));
    await until(async () => (await get(`/v1/reports/by-pdf-sha256/${'56'.repeat(32)}`)).status === 500);
    await eventLog.close();
  });
  afterAll(async () => {
    await serving.closeIntake(1000);
    await serving.stop();
    await rm(dataDir, { recursive: true });
  });

  it('all take from the allowance of an address', () => {
    expect(definition.routes.filter(({ perAddress }) => perAddress === undefined)).toEqual([]);
  });

  it('tell of a registered agent what is public, whatever has become of it, and of no other', async () => {
    const answer = await get(`/v1/verify/${given.SSN}`);
    expect([answer.status, JSON.parse(answer.text)]).toEqual([
      200,
      {
        verified: true,
        agent_type: null,
        registered_at: '2026-01-02T00:00:00.000Z',
        created_at: '2026-01-01T00:00:00.000Z',
        action_count: 5,
        status: 'Inactive',
        owner_wallet: given.WALLET,
      },
    ]);
    expect((await get(`/v1/verify/${given.SSN.toLowerCase()}`)).text).toBe(answer.text);
    expect((await get('/v1/verify/CSN-0000-0000-0000-0000')).status).toBe(404);
    const wrong = given.SSN.slice(0, -1) + (given.SSN.endsWith('0') ? '1' : '0');
    for (const ssn of [wrong, 'CSN-1', given.AGENT, encodeURIComponent(`${given.SSN}\n`)]) {
      const refused = await get(`/v1/verify/${ssn}`);
      expect([refused.status, Object.keys(JSON.parse(refused.text) as object)]).toEqual([400, ['error']]);
    }
  });

  it('hand out the packages that are public, and say no more of the others than they may', async () => {
    const open = await get(`/v1/reports/${given.OPEN_REPORT.toUpperCase()}/public`);
    expect([open.status, open.text]).toEqual([200, given.PACKAGE_TEXT]);
    expect((await get(`/v1/reports/by-pdf-sha256/${given.PDF}`)).text).toBe(given.PACKAGE_TEXT);
    const closed = await get(`/v1/reports/${given.CLOSED_REPORT}/public`);
    const none = await get('/v1/reports/0198a1b2-0000-4000-8000-0000000000ff/public');
    expect([closed.status, closed.text]).toEqual([404, none.text]);
    const issued = await get(`/v1/reports/by-pdf-sha256/${given.CLOSED_PDF}`);
    expect([issued.status, JSON.parse(issued.text)]).toEqual([
      200,
      {
        issued: true,
        public: false,
        pdfSha256: given.CLOSED_PDF,
        sha256: 'aa'.repeat(32),
        publicKeyUrl: `${serving.address}/v1/keys/${given.KEY_ID}`,
        issued_at: '2026-03-02T12:00:00.000Z',
      },
    ]);
    for (const path of [`${given.WITHDRAWN_REPORT}/public`, `by-pdf-sha256/${'34'.repeat(32)}`]) {
      const { status, text } = await get(`/v1/reports/${path}`);
      expect([status, JSON.parse(text)]).toEqual([404, { error: `withdrawn: ${given.REASON}` }]);
    }
    expect((await get('/v1/reports/nonsense/public')).status).toBe(400);
    expect((await get(`/v1/reports/by-pdf-sha256/${'A'.repeat(64)}`)).status).toBe(400);
    const broken = await get(`/v1/reports/${given.BROKEN_REPORT}/public`);
    expect([broken.status, JSON.parse(broken.text)]).toEqual([500, { error: 'the look-up failed: try again' }]);
  });

  it('are not sent again to who has them', async () => {
    const paths: readonly (readonly [string, RegExp])[] = [
      ['/v1/keys', /^public, max-age=\d+$/],
      [`/v1/keys/${given.KEY_ID}`, /immutable/],
      [`/v1/verify/${given.SSN}`, /^public, max-age=\d+$/],
      [`/v1/reports/${given.OPEN_REPORT}/public`, /^public, no-cache$/],
      [`/v1/reports/by-pdf-sha256/${given.PDF}`, /^public, no-cache$/],
    ];
    for (const [path, cache] of paths) {
      const first = await get(path);
      expect([first.status, first.headers['cache-control']]).toEqual([200, expect.stringMatching(cache)]);
      const etag = String(first.headers.etag);
      const again = await get(path, { 'if-none-match': etag });
      expect([again.status, again.text, again.headers.etag]).toEqual([304, '', etag]);
      expect(again.headers['cache-control']).toBe(first.headers['cache-control']);
      expect(again.headers['content-length']).toBeUndefined();
      expect((await get(path, { 'if-none-match': '"another"' })).status).toBe(200);
      const head = await ask('HEAD', path);
      expect([head.status, head.text, head.headers.etag]).toEqual([200, '', etag]);
    }
    const refused = await get('/v1/verify/CSN-0000-0000-0000-0000', { 'if-none-match': '*' });
    expect([refused.status, refused.headers['cache-control']]).toEqual([404, 'no-store']);
  });

  it('verify packages and reports by the keys that they have, and say that no chain was asked', async () => {
    const pem = await get(`/v1/keys/${given.KEY_ID}`);
    expect(pem.text.trim()).toBe(given.PEM.trim());
    for (const name of ['package', 'report']) {
      const { status, text } = await post('/v1/inclusion/verify', { [name]: given.PACKAGE, more: 1 });
      const answer = JSON.parse(text) as { readonly events: unknown[] };
      expect(status).toBe(200);
      expect(answer).toMatchObject({ ok: true, signature: { valid: true }, chain: { checked: false } });
      expect(answer.events).toHaveLength(given.PACKAGE.events.length);
    }
    const { event } = given.PACKAGE.events[0]!;
    const single = await post('/v1/inclusion/verify', { event, proof: given.PACKAGE.inclusionProofs[0] });
    expect(JSON.parse(single.text)).toMatchObject({
      ok: false,
      event: { rootMatches: true, anchored: true },
      chain: { checked: false },
      canonical: expect.stringContaining('"eventId"'),
    });
    for (const missing of [{}, { event }, { proof: {} }, { package: null }, { report: [] }, { event: 1, proof: 1 }]) {
      const { status, text } = await post('/v1/inclusion/verify', missing);
      expect([status, Object.keys(JSON.parse(text) as object)]).toEqual([400, ['error']]);
    }
  });

  it('answer 500 in the shape of an anchor check where the chain was the question', async () => {
    const { sha256, signature, timestamp } = given.PACKAGE;
    const body = { anchor_tx_signature: timestamp.anchor_tx_signature.replaceAll('0', '1'), sha256, signature };
    const { status, text } = await post('/v1/chain/verify', body);
    expect([status, JSON.parse(text)]).toEqual([
      500,
      { confirmed: false, error: expect.any(String), block_height: null, slot: null, confirmations: null },
    ]);
  });

  it('are never 500 for what they are asked with', async () => {
    const part = fc.oneof(
      fc.string({ unit: fc.nat(0xd7ff).map((code) => String.fromCharCode(code)), maxLength: 40 }),
      fc.constantFrom('..', '%', '\u0000', '__proto__', given.SSN, given.OPEN_REPORT, given.KEY_ID, given.PDF),
    );
    const encoded = fc.oneof(
      part.map((text) => encodeURIComponent(text)),
      fc.string({
        unit: fc.constantFrom('%', 'C', 'S', 'N', '-', '0', 'f', '.', '~', '+'),
        minLength: 1,
        maxLength: 40,
      }),
    );
    const path = fc
      .tuple(
        fc.constantFrom('/v1/verify/*', '/v1/keys/*', '/v1/reports/*/public', '/v1/reports/by-pdf-sha256/*'),
        encoded,
      )
      .map(([route, id]) => route.replace('*', () => id));
    await fc.assert(
      fc.asyncProperty(path, fc.string({ unit: 'grapheme-ascii', maxLength: 20 }), async (asked, header) => {
        const { status } = await get(asked, { 'if-none-match': header });
        expect([200, 304, 400, 404]).toContain(status);
      }),
      { numRuns: 200 },
    );
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom<unknown>(given.PACKAGE, ...given.PACKAGE.inclusionProofs),
    );
    const body = fc.dictionary(fc.constantFrom('package', 'report', 'event', 'proof', 'sha256'), value);
    await fc.assert(
      fc.asyncProperty(body, async (sent) => {
        expect([200, 400]).toContain((await post('/v1/inclusion/verify', sent)).status);
        expect((await post('/v1/chain/verify', { ...sent, signature: 1 })).status).toBe(400);
      }),
      { numRuns: 60 },
    );
  });

  it('tell a failed look-up from an unknown one', async () => {
    const packages = join(dataDir, 'reporting', 'packages');
    await rm(packages, { recursive: true });
    await writeFile(packages, 'no folder');
    const { status, text } = await get(`/v1/reports/${given.OPEN_REPORT}/public`);
    expect([status, JSON.parse(text)]).toEqual([500, { error: 'the look-up failed: try again' }]);
    expect((await get('/v1/keys')).status).toBe(200);
  });
});
