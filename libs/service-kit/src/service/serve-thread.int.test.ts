import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Controller, Inject, Module } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { route, uuid } from '@countersign/contracts';
import type { ApiKeyFacts, Route, SessionFacts } from '@countersign/contracts';
import type { Counters } from '@countersign/counters';
import { openSqliteLog } from '@countersign/event-log';
import type { LogBatch, SqliteLog } from '@countersign/event-log';
import { loadConfig } from '../configuration/load-config.js';
import { mintApiKey } from '../credentials/api-key.js';
import { sessionTokens } from '../credentials/session-tokens.js';
import { HttpAnswer } from '../edge/answer.js';
import { HttpRefusal } from '../edge/http-contract.js';
import type { ApiKeyCaller } from '../edge/http-contract.js';
import type { RouteInput } from '../edge/route-input.js';
import { createRegistry } from '../health/metrics.js';
import { StoreUnreachable } from '../mongo/mongo-errors.js';
import { HttpRoute, Input } from '../hosting/decorators.js';
import { createLogger } from '../logging/logger.js';
import { versionedRecord } from '../projections/versioned-record.js';
import type { ServiceDefinition } from './definition.js';
import { Neighbourhood } from './neighbourhood.js';
import { serveThread } from './serve-thread.js';
import type { ServingThread } from './serve-thread.js';
import type { ThreadContext } from './start-services.js';

const common = { service: 'policy', summary: '', tag: 'things', success: 200, responses: {} } as const;
const body = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } as const;
const listThings = route({
  ...common,
  method: 'GET',
  path: '/v1/things/{id}',
  operationId: 'listThings',
  auth: 'none',
  params: { id: uuid },
  query: { limit: { type: 'integer', minimum: 1, maximum: 1000, default: 50 } },
});
const makeThing = route({
  ...common,
  method: 'POST',
  path: '/v1/things',
  operationId: 'makeThing',
  auth: 'session',
  role: 'member',
  body,
  success: 201,
});
const checkThing = route({
  ...common,
  method: 'POST',
  path: '/v1/check-thing',
  operationId: 'checkThing',
  auth: 'api-key',
  body,
});
const openThing = route({ ...common, method: 'POST', path: '/v1/open', operationId: 'openThing', auth: 'none', body });
const looseThing = route({
  ...common,
  method: 'POST',
  path: '/v1/loose',
  operationId: 'looseThing',
  auth: 'none',
  body,
  bodyOptional: true,
  bodyLimit: 'verification',
});
const streamThing = route({ ...common, method: 'GET', path: '/v1/stream', operationId: 'streamThing', auth: 'none' });
const failThing = route({ ...common, method: 'GET', path: '/v1/fail', operationId: 'failThing', auth: 'none' });
const ROUTES = [listThings, makeThing, checkThing, openThing, looseThing, streamThing, failThing];

interface Seen {
  readonly batches: number[];
  failures: number;
}
const SEEN = Symbol('seen');

@Controller()
class ThingsController {
  readonly #seen: Seen;
  constructor(@Inject(SEEN) seen: Seen) {
    this.#seen = seen;
  }

  @HttpRoute(listThings)
  list(@Input() input: RouteInput): unknown {
    return { params: input.params, query: input.query, from: input.remoteAddress };
  }

  @HttpRoute(makeThing)
  make(@Input() { body: thing, caller }: RouteInput<{ name: string }>): unknown {
    return { name: thing.name, by: caller.email };
  }

  @HttpRoute(checkThing)
  check(@Input() { caller }: RouteInput<unknown, unknown, ApiKeyCaller>): unknown {
    return caller;
  }

  @HttpRoute(openThing)
  open(@Input() { body: thing }: RouteInput): unknown {
    return thing;
  }

  @HttpRoute(looseThing)
  loose(@Input() { body: thing }: RouteInput): unknown {
    return thing;
  }

  @HttpRoute(streamThing)
  stream(): HttpAnswer {
    async function* chunks(): AsyncGenerator<string> {
      for (let i = 0; i < 3; i += 1) yield `${i};`;
    }
    return HttpAnswer.stream(200, 'text/plain', chunks(), { 'x-kind': 'stream' });
  }

  @HttpRoute(failThing)
  async fail(@Input() { headers }: RouteInput): Promise<never> {
    if (headers['x-store'] === 'gone') throw new StoreUnreachable('the store cannot be reached');
    throw new Error('password of the database is hunter2');
  }

  @EventPattern('agent-events')
  async onEvents(@Payload() batch: LogBatch): Promise<void> {
    await Promise.resolve();
    if (this.#seen.failures > 0) {
      this.#seen.failures -= 1;
      throw new Error('the store is away');
    }
    for (const { offset } of batch.records) this.#seen.batches.push(offset);
  }
}

@Module({})
class ThingsModule {}

function definitionWith(seen: Seen, routes: readonly Route[] = ROUTES): ServiceDefinition {
  return {
    name: 'policy',
    routes,
    reads: ['agent-events'],
    writes: [],
    after: [],
    start: async () => ({
      module: {
        module: ThingsModule,
        controllers: [ThingsController],
        providers: [{ provide: SEEN, useValue: seen }],
      },
      consumer: { group: 'things', position: () => (seen.batches.length === 0 ? null : Math.max(...seen.batches) + 1) },
      notReady: () => [],
      stop: async () => undefined,
    }),
  };
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

describe('a serving thread', () => {
  const versions = new Map<string, number>();
  const seen: Seen = { batches: [], failures: 0 };
  let dataDir: string;
  let eventLog: SqliteLog;
  let thread: ThreadContext;
  let serving: ServingThread;
  let send: (method: string, path: string, headers?: Record<string, string>, body?: string | Buffer) => Promise<Answer>;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'countersign-kit-'));
    eventLog = await openSqliteLog({ file: join(dataDir, 'log.db') });
    thread = {
      config: loadConfig({ COUNTERSIGN_DATA_DIR: dataDir }),
      log: createLogger('silent'),
      eventLog,
      counters: {
        version: async (kind: string, id: string) => versions.get(`${kind}/${id}`) ?? null,
      } as unknown as Counters,
      metrics: createRegistry('test', false),
      neighbourhood: new Neighbourhood(),
      clock: () => Date.now(),
      chain: () => Promise.reject(new Error('no chain in this test')),
      publicUrl: () => serving.address,
    };
    serving = await serveThread([definitionWith(seen)], thread, {
      on: { host: '127.0.0.1', port: 0 },
      process: { notReady: () => serving.notReady(), metrics: () => thread.metrics.metrics(), routes: () => ROUTES },
    });
    send = (method, path, headers = {}, payload) =>
      new Promise((resolve, reject) => {
        const request = httpRequest(`${serving.address}${path}`, { method, headers }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString('utf8'),
            }),
          );
        });
        request.on('error', reject);
        request.end(payload);
      });
  });

  afterAll(async () => {
    await serving.closeIntake(1000);
    await serving.stop();
    await eventLog.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const errorOf = (answer: Answer): unknown => JSON.parse(answer.text).error;

  it('answers probes and describes its routes', async () => {
    expect((await send('GET', '/healthz')).status).toBe(200);
    await until(async () => (await send('GET', '/readyz')).status === 200);
    const metrics = await send('GET', '/metrics');
    expect(metrics.headers['content-type']).toContain('text/plain');
    expect(metrics.text).toContain('countersign_http_request_duration_seconds_bucket');
    const document = JSON.parse((await send('GET', '/v1/openapi.json')).text);
    expect(document.openapi).toBe('3.1.0');
    expect(document.info.version).toBe('1.0.0');
    expect(Object.keys(document.paths)).toContain('/v1/things/{id}');
  });

  it('knows no other route, and no other method', async () => {
    expect((await send('GET', '/v1/nothing')).status).toBe(404);
    expect((await send('GET', '/v1/things/')).status).toBe(404);
    const wrong = await send('DELETE', '/v1/things');
    expect([wrong.status, wrong.headers.allow, errorOf(wrong)]).toEqual([405, 'POST', 'use POST']);
    const options = await send('OPTIONS', '/v1/stream');
    expect([options.status, options.headers.allow]).toEqual([405, 'GET, HEAD']);
    const head = await send('HEAD', `/v1/things/${randomUUID()}`);
    expect([head.status, head.text]).toEqual([200, '']);
    expect(Number(head.headers['content-length'])).toBeGreaterThan(10);
  });

  it('validates, coerces and fills parameters', async () => {
    const id = randomUUID();
    expect(JSON.parse((await send('GET', `/v1/things/${id}?limit=7&other=1`)).text)).toEqual({
      params: { id },
      query: { limit: 7 },
      from: '127.0.0.1',
    });
    expect(JSON.parse((await send('GET', `/v1/things/${id}`)).text).query).toEqual({ limit: 50 });
    for (const [path, words] of [
      ['x', 'path parameter id must be a UUID'],
      ['%ff', 'path parameter id must be percent-encoded UTF-8'],
      [`${id}?limit=0x10`, 'query parameter limit must be an integer'],
      [`${id}?limit=1001`, 'query parameter limit must be at most 1000'],
      [`${id}?limit=1&limit=2`, 'query parameter limit must be given only once'],
    ]) {
      const answer = await send('GET', `/v1/things/${path}`);
      expect([answer.status, errorOf(answer)]).toEqual([400, words]);
    }
  });

  it('takes JSON alone, and no more of it than is allowed', async () => {
    const json = JSON.stringify({ name: 'a' });
    expect((await send('POST', '/v1/open', {}, json)).status).toBe(200);
    expect((await send('POST', '/v1/open', { 'content-type': 'application/json; charset=UTF-8' }, json)).status).toBe(
      200,
    );
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/json; charset=latin1' },
      { 'content-encoding': 'gzip' },
      { 'content-encoding': 'identity' },
    ]) {
      expect((await send('POST', '/v1/open', headers, json)).status).toBe(415);
    }
    expect((await send('POST', '/v1/open', {}, Buffer.alloc(1024 * 1024 + 1, 0x20))).status).toBe(413);
    expect(
      (await send('POST', '/v1/open', { 'transfer-encoding': 'chunked' }, Buffer.alloc(3 * 1024 * 1024))).status,
    ).toBe(413);
    expect((await send('POST', '/v1/loose', {}, `${' '.repeat(2 * 1024 * 1024)}${json}`)).status).toBe(200);
    expect((await send('POST', '/v1/loose')).text).toContain('name is required');
    for (const text of [
      '',
      '{',
      '{"name":"a","name":"b"}',
      '"\\ud800"',
      '\ufeff{}',
      `${'['.repeat(33)}${']'.repeat(33)}`,
    ]) {
      expect((await send('POST', '/v1/open', {}, text)).status).toBe(400);
    }
    const bytes = Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    expect((await send('POST', '/v1/open', {}, bytes)).status).toBe(400);
    const proto = await send('POST', '/v1/open', {}, '{"name":"a","__proto__":{"x":1}}');
    expect(proto.text).toBe('{"name":"a","__proto__":{"x":1}}');
  });

  it('hides what went wrong inside', async () => {
    const answer = await send('GET', '/v1/fail');
    expect([answer.status, answer.text]).toEqual([500, '{"error":"internal error"}']);
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('asks to come again while a store is gone', async () => {
    const answer = await send('GET', '/v1/fail', { 'x-store': 'gone' });
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
    expect(answer.text).toContain('try again');
  });

  it('streams', async () => {
    const answer = await send('GET', '/v1/stream');
    expect([answer.text, answer.headers['x-kind']]).toEqual(['0;1;2;', 'stream']);
  });

  it('answers what is not HTTP with 400', async () => {
    const answers = await Promise.all(
      [
        'NONSENSE\r\n\r\n',
        'GET / HTTP/1.1\r\nbad header\r\n\r\n',
        `GET / HTTP/1.1\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`,
      ].map((text) => sendRaw(serving.address, text)),
    );
    expect(answers.map((text) => text.slice(0, 12))).toEqual(['HTTP/1.1 400', 'HTTP/1.1 400', 'HTTP/1.1 431']);
    expect(await sendRaw(serving.address, 'GET /v1/stream HTTP/1.1\r\nconnection: close\r\n\r\n')).toContain(
      'send a Host header',
    );
  });

  describe('with a session', () => {
    const account = randomUUID();
    const publish = (sid: string, version: number, facts: Partial<SessionFacts> = {}): Promise<unknown> =>
      eventLog.append([
        versionedRecord<SessionFacts>('sessions', sid, version, {
          accountId: account,
          userId: randomUUID(),
          email: 'admin@example.com',
          role: 'member',
          expiresAt: new Date(Date.now() + 60_000).toISOString(),
          revokedAt: null,
          ...facts,
        }),
      ]);
    const bearer = async (sid: string, accountId = account): Promise<Record<string, string>> => {
      const tokens = await sessionTokens(thread);
      return { authorization: `Bearer ${await tokens.sign({ sid, accountId }, new Date(Date.now() + 60_000))}` };
    };
    const make = async (headers: Record<string, string>, text = '{"name":"a"}'): Promise<Answer> =>
      send('POST', '/v1/things', headers, text);

    it('says who calls, and judges credentials before the body and the role after it', async () => {
      const [member, auditor] = [randomUUID(), randomUUID()];
      await publish(member, 1);
      await publish(auditor, 1, { role: 'auditor' });
      for (const sid of [member, auditor]) versions.set(`session/${sid}`, 1);
      const made = await make(await bearer(member));
      expect([made.status, made.text]).toEqual([201, '{"name":"a","by":"admin@example.com"}']);
      expect((await make({}, '{')).status).toBe(401);
      expect((await make({}, '{')).headers['www-authenticate']).toBe('Bearer');
      expect((await make(await bearer(auditor), '{}')).status).toBe(400);
      const refused = await make(await bearer(auditor));
      expect([refused.status, errorOf(refused)]).toEqual([403, 'the role auditor may not do this: it needs member']);
    });

    it('sees a revocation that is in force although its record comes later', async () => {
      const sid = randomUUID();
      await publish(sid, 1);
      expect((await make(await bearer(sid))).status).toBe(201);
      versions.set(`session/${sid}`, 2);
      const answer = make(await bearer(sid));
      await publish(sid, 2, { revokedAt: new Date().toISOString() });
      expect((await answer).status).toBe(401);
    });

    it('answers 503 while that record does not come', async () => {
      const sid = randomUUID();
      await publish(sid, 1);
      versions.set(`session/${sid}`, 9);
      expect((await make(await bearer(sid))).status).toBe(503);
    });

    it.each([
      ['has expired', { expiresAt: new Date(Date.now() - 1).toISOString() }],
      ['was revoked', { revokedAt: new Date().toISOString() }],
      ['belongs to another account', { accountId: randomUUID() }],
    ])('is none when it %s', async (_case, facts) => {
      const sid = randomUUID();
      await publish(sid, 1, facts);
      versions.set(`session/${sid}`, 1);
      expect((await make(await bearer(sid))).status).toBe(401);
    });

    it('refuses foreign tokens', async () => {
      const { authorization = '' } = await bearer(randomUUID());
      const [head = '', claims = ''] = authorization.slice('Bearer '.length).split('.');
      const none = Buffer.from('{"alg":"none"}').toString('base64url');
      for (const token of [`${none}.${claims}.`, `${head}.${claims}.AAAA`, 'a.b.c', mintApiKey(randomBytes)]) {
        expect((await make({ authorization: `Bearer ${token}` })).status).toBe(401);
      }
    });
  });

  describe('with an API key', () => {
    const publish = (id: string, key: string, version: number, revokedAt: string | null = null): Promise<unknown> =>
      eventLog.append([
        versionedRecord<ApiKeyFacts>('api-keys', id, version, {
          accountId: 'account',
          name: 'k',
          prefix: key.slice(0, 16),
          sha256: createHash('sha256').update(key).digest('hex'),
          createdAt: new Date().toISOString(),
          revokedAt,
        }),
      ]);
    const check = (headers: Record<string, string>): Promise<Answer> =>
      send('POST', '/v1/check-thing', headers, '{"name":"a"}');

    it('knows a key, also one that was made a moment ago', async () => {
      const [id, key] = [randomUUID(), mintApiKey(randomBytes)];
      await publish(id, key, 1);
      versions.set(`api-key/${id}`, 1);
      versions.set(`api-key/${createHash('sha256').update(key).digest('hex')}`, 1);
      const answer = await check({ 'x-service-key': key });
      expect([answer.status, answer.text]).toEqual([200, JSON.stringify({ accountId: 'account', apiKeyId: id })]);
      expect((await check({ authorization: `Bearer ${key}` })).status).toBe(200);
      expect((await check({ 'x-service-key': 'wrong', authorization: `Bearer ${key}` })).status).toBe(401);
    });

    it('refuses unknown and revoked keys', async () => {
      const [id, key] = [randomUUID(), mintApiKey(randomBytes)];
      expect((await check({ 'x-service-key': key })).status).toBe(401);
      await publish(id, key, 2, new Date().toISOString());
      versions.set(`api-key/${id}`, 2);
      expect((await check({ 'x-service-key': key })).status).toBe(401);
      expect((await check({})).status).toBe(401);
    });
  });

  it('gives a consumer its batch again when it fails, and stands still meanwhile', async () => {
    seen.failures = 2;
    await eventLog.append([{ topic: 'agent-events', key: 'a', value: '{}' }]);
    await until(() => serving.notReady().some((problem) => problem.includes('the store is away')));
    await until(() => seen.batches.length === 1);
    await eventLog.append([{ topic: 'agent-events', key: 'a', value: '{}' }]);
    await until(() => seen.batches.length === 2);
    expect(new Set(seen.batches).size).toBe(2);
    await until(() => serving.notReady().length === 0);
  });

  it('serves probes alone until it may serve', async () => {
    let may = false;
    const later = await serveThread(
      [definitionWith({ batches: [], failures: 0 })],
      { ...thread, metrics: createRegistry('later', false) },
      {
        on: { host: '127.0.0.1', port: 0 },
        process: { notReady: () => [], metrics: async () => '', routes: () => ROUTES },
        mayServe: () => may,
      },
    );
    const status = async (path: string) => (await fetch(`${later.address}${path}`)).status;
    const path = `/v1/things/${randomUUID()}`;
    expect([await status(path), await status('/healthz')]).toEqual([503, 200]);
    may = true;
    expect(await status(path)).toBe(200);
    await later.closeIntake(1000);
    await later.stop();
  });

  it('refuses to start with a route that nothing handles', async () => {
    const orphan = route({ ...common, method: 'GET', path: '/v1/orphan', operationId: 'orphan', auth: 'none' });
    const start = serveThread(
      [definitionWith({ batches: [], failures: 0 }, [orphan])],
      { ...thread, metrics: createRegistry('orphan', false), neighbourhood: new Neighbourhood() },
      { on: { host: '127.0.0.1', port: 0 } },
    );
    await expect(start).rejects.toThrow('policy declares routes that nothing handles: GET /v1/orphan');
  });

  it('names the address that is in use', async () => {
    const port = Number(new URL(serving.address).port);
    const start = serveThread(
      [],
      { ...thread, metrics: createRegistry('twin', false) },
      { on: { host: '127.0.0.1', port } },
    );
    await expect(start).rejects.toThrow(`port ${port} on 127.0.0.1 is in use`);
  });
});

function sendRaw(address: string, text: string): Promise<string> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString('latin1')));
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
  });
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new HttpRefusal(500, 'waited ten seconds in vain');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
