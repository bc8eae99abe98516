import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { route } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import { createRegistry } from '@countersign/process';
import { PeerRegistry } from './peer-registry.js';
import { serveThread } from './serve-thread.js';
import { common, definitionWith, ROUTES, ThingsBench } from './things.test-setup.js';
import type { Answer } from './things.test-setup.js';

describe('a serving thread', () => {
  const bench = new ThingsBench();
  const { send, seen } = bench;
  beforeAll(() => bench.open());
  afterAll(() => bench.close());

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

  it('refuses other routes and other methods', async () => {
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

  it('accepts only JSON, up to the size limit', async () => {
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

  it('hides internal errors', async () => {
    const answer = await send('GET', '/v1/fail');
    expect([answer.status, answer.text]).toEqual([500, '{"error":"internal error"}']);
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('returns 503 with Retry-After while a store is unavailable', async () => {
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
      ].map((text) => sendRaw(bench.serving.address, text)),
    );
    expect(answers.map((text) => text.slice(0, 12))).toEqual(['HTTP/1.1 400', 'HTTP/1.1 400', 'HTTP/1.1 431']);
    expect(await sendRaw(bench.serving.address, 'GET /v1/stream HTTP/1.1\r\nconnection: close\r\n\r\n')).toContain(
      'send a Host header',
    );
  });

  it('redelivers a batch whose handler failed, and is blocked meanwhile', async () => {
    seen.failures = 2;
    await bench.eventLog.append([{ topic: 'agent-events', key: 'a', value: '{}' }]);
    await until(() => bench.serving.notReady().some((problem) => problem.includes('the store is away')));
    await until(() => seen.batches.length === 1);
    await bench.eventLog.append([{ topic: 'agent-events', key: 'a', value: '{}' }]);
    await until(() => seen.batches.length === 2);
    expect(new Set(seen.batches).size).toBe(2);
    await until(() => bench.serving.notReady().length === 0);
  });

  it('hands the batches over again that a store has lost', async () => {
    seen.batches.length = 0;
    await bench.eventLog.append([{ topic: 'agent-events', key: 'a', value: '{}' }]);
    await until(() => seen.batches.length === 3);
    expect([...seen.batches]).toEqual([0, 1, 2]);
    await until(() => bench.serving.notReady().length === 0);
  });

  it('serves probes alone until it may serve', async () => {
    let may = false;
    const later = await serveThread(
      [definitionWith({ batches: [], failures: 0 })],
      { ...bench.thread, metrics: createRegistry('later', false) },
      {
        on: { host: '127.0.0.1', port: 0 },
        process: {
          notReady: () => [],
          registry: () => Promise.resolve(createRegistry('other', false)),
          routes: () => ROUTES,
        },
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
      { ...bench.thread, metrics: createRegistry('orphan', false), peers: new PeerRegistry() },
      { on: { host: '127.0.0.1', port: 0 } },
    );
    await expect(start).rejects.toThrow('policy declares routes that nothing handles: GET /v1/orphan');
  });

  it('refuses what the configuration turns off, and reads no credential for it', async () => {
    const secret = route({ ...common, method: 'GET', path: '/v1/secret', operationId: 'secret', auth: 'session' });
    const without = await serveThread(
      [
        {
          name: 'policy',
          routes: [secret],
          reads: [],
          writes: [],
          after: [],
          start: async () => ({
            handle: () => Promise.reject(new Error('it is off')),
            off: new Map([['secret', 'it is off here']]),
            notReady: () => [],
            stop: async () => undefined,
          }),
        },
      ],
      { ...bench.thread, metrics: createRegistry('off', false), eventLog: undefined as never },
      { on: { host: '127.0.0.1', port: 0 } },
    );
    const answer = await fetch(`${without.address}/v1/secret`, { headers: { authorization: 'Bearer x' } });
    expect([answer.status, await answer.json()]).toEqual([404, { error: 'it is off here' }]);
    await without.closeIntake(1000);
    await without.stop();
  });

  it('names the address that is in use', async () => {
    const port = Number(new URL(bench.serving.address).port);
    const start = serveThread(
      [],
      { ...bench.thread, metrics: createRegistry('twin', false) },
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
    if (Date.now() > deadline) throw new HttpRefusal(500, 'no success within ten seconds');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
