import { connect } from 'node:net';
import type { Instance } from '../instance/instance.js';
import { onEachProfile } from '../instance/profiles.js';
import type { RequestOptions } from '../instance/request.js';

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

onEachProfile('hostile input', (start) => {
  let instance: Instance;
  let session: { readonly authorization: string };

  beforeAll(async () => {
    instance = await start();
    session = await instance.session();
  }, 90_000);
  afterAll(() => instance.discard());

  const action = (payload: string): string =>
    `{"agentId":"${instance.bootstrap.agentId}","action":{"type":"x","payload":${payload}}}`;

  const BODIES: readonly (readonly [string, () => string | Uint8Array, number])[] = [
    ['a duplicate key', () => '{"agentId":"a","agentId":"b","action":{"type":"x"}}', 400],
    ['a duplicate key behind an escape', () => action('{"a":1,"\\u0061":2}'), 400],
    ['a lone surrogate', () => action('"\\ud800"'), 400],
    ['a byte-order mark', () => `\ufeff${action('1')}`, 400],
    [
      'invalid UTF-8',
      () => Buffer.concat([Buffer.from(action('"')).subarray(0, -2), Buffer.from([0xff, 0xfe]), Buffer.from('"}}')]),
      400,
    ],
    ['a number beyond every double', () => action('1e999'), 400],
    ['33 levels', () => action(deep(40)), 400],
    ['100,000 levels', () => action(deep(100_000)), 400],
    ['10,001 keys', () => action(`{${Array.from({ length: 10_001 }, (_, i) => `"k${i}":1`).join(',')}}`), 400],
    ['a string over 256 KiB', () => action(`"${'x'.repeat(262_145)}"`), 400],
    ['2 MiB', () => action(`"${'x'.repeat(2 * 1024 * 1024)}"`), 413],
    ['nothing', () => '', 400],
    ['a bare word', () => 'true', 400],
    ['a trailing comma', () => '{"agentId":1,}', 400],
  ];

  it.each(BODIES)('POST /v1/check refuses %s', async (_what, body, status) => {
    const answer = await instance.request('POST', '/v1/check', {
      headers: { 'x-service-key': instance.bootstrap.apiKey },
      raw: body(),
    });
    expect([answer.status, Object.keys(answer.json ?? {})]).toEqual([status, ['error']]);
    expect(answer.text).not.toMatch(/\.js|\/services\/|node_modules|\bat .*:\d/);
  });

  it.each(BODIES.filter(([what]) => !what.includes('2 MiB') && !what.includes('agent')))(
    'POST /v1/agents refuses %s',
    async (_what, body, status) => {
      const answer = await instance.request('POST', '/v1/agents', { headers: session, raw: body() });
      expect([answer.status, Object.keys(answer.json ?? {})]).toEqual([status, ['error']]);
    },
  );

  it.each<readonly [string, RequestOptions & { method: string; path: string }, number]>([
    ['an unknown route', { method: 'GET', path: '/v1/nothing' }, 404],
    ['GET /v1/audit, which does not exist', { method: 'GET', path: '/v1/audit' }, 404],
    [
      'POST /v1/behavior-profiles, which does not exist',
      { method: 'POST', path: '/v1/behavior-profiles', body: {} },
      404,
    ],
    ['a wrong method', { method: 'GET', path: '/v1/check' }, 405],
    [
      'another content type',
      { method: 'POST', path: '/v1/check', raw: '{}', headers: { 'content-type': 'text/plain' } },
      401,
    ],
    ['a key id that is none', { method: 'GET', path: '/v1/keys/nonsense' }, 400],
    ['an unknown key', { method: 'GET', path: '/v1/keys/key_0000000000000000' }, 404],
    ['an inclusion request with nothing in it', { method: 'POST', path: '/v1/inclusion/verify', body: {} }, 400],
  ])('%s is refused with {error}', async (_what, { method, path, ...options }, status) => {
    const answer = await instance.request(method, path, options);
    expect([answer.status, Object.keys(answer.json ?? {})]).toEqual([status, ['error']]);
    if (status === 405) expect(answer.headers.allow).toBe('POST');
  });

  it('refuses encoded bodies and other types with 415 once the caller is known', async () => {
    const key = { 'x-service-key': instance.bootstrap.apiKey };
    const encoded = { ...key, 'content-encoding': 'gzip' };
    expect((await instance.request('POST', '/v1/check', { headers: encoded, raw: '{}' })).status).toBe(415);
    const text = { ...key, 'content-type': 'text/plain' };
    expect((await instance.request('POST', '/v1/check', { headers: text, raw: '{}' })).status).toBe(415);
  });

  it('treats __proto__ as plain data', async () => {
    const answer = await instance.request('POST', '/v1/check', {
      headers: { 'x-service-key': instance.bootstrap.apiKey },
      raw: `{"agentId":"${instance.bootstrap.agentId}","action":{"type":"x","__proto__":{"type":"y"},"metadata":{"__proto__":{"constructor":1}}}}`,
    });
    expect(answer.text).toBe('{"allowed":true}');
  });

  it('survives requests that are not HTTP, and continues', async () => {
    const { hostname, port } = new URL(instance.bootstrap.baseUrl);
    for (const bytes of [
      '\0\0\0\0',
      'GET / HTTP/9.9\r\n\r\n',
      'POST /v1/check HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\nhello',
      `GET / HTTP/1.1\r\n${'x: y\r\n'.repeat(5000)}\r\n`,
    ]) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => socket.end(bytes));
        socket.on('data', () => undefined);
        socket.on('error', () => undefined);
        socket.on('close', () => resolve());
        setTimeout(() => socket.destroy(), 2000).unref();
      });
    }
    expect((await instance.check({ type: 'x' })).status).toBe(200);
  });
});
