import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { Countersign, type CountersignOptions } from './index.js';

describe('a client on Node, without a fetch of its own', () => {
  let server: Server;
  let handle: (response: ServerResponse, request: IncomingMessage) => void;
  let seen: IncomingMessage[];
  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push(request);
      request.resume().on('end', () => handle(response, request));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    seen = [];
    handle = (response) => response.end('{"allowed":true}');
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const client = (options: Partial<CountersignOptions> = {}): Countersign => {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return new Countersign({ apiKey: 'k', agentId: 'a', baseUrl, retries: 0, ...options });
  };
  const pay = { actionType: 'pay' };

  it('uses node:http, unless fetch was replaced or is passed', async () => {
    const { fetch } = globalThis;
    const one = client();
    await one.check(pay);
    await client({ fetch: (url, init) => fetch(url, init) }).check(pay);
    globalThis.fetch = (url, init) => fetch(url, init);
    try {
      expect(await one.check(pay)).toEqual({ allowed: true });
    } finally {
      globalThis.fetch = fetch;
    }
    // Only fetch says how it came to ask.
    expect(seen.map(({ headers }) => 'sec-fetch-mode' in headers)).toEqual([false, true, true]);
  });

  it.each([
    ['', false],
    ['Node.js/22', false],
    ['Deno/2.1', true],
  ])('knows Node where a navigator says %j', async (userAgent, isByFetch) => {
    const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
    Object.defineProperty(globalThis, 'navigator', { value: { userAgent }, configurable: true, writable: true });
    try {
      await client().check(pay);
    } finally {
      if (before === undefined) delete (globalThis as { navigator?: unknown }).navigator;
      else Object.defineProperty(globalThis, 'navigator', before);
    }
    expect(seen.map(({ headers }) => 'sec-fetch-mode' in headers)).toEqual([isByFetch]);
  });

  it('uses fetch if a proxy is set for it', async () => {
    // It is there from the first request of fetch on.
    await fetch('data:,');
    const globals = globalThis as unknown as Record<symbol, { dispatch(...request: readonly unknown[]): unknown }>;
    const place = Symbol.for('undici.globalDispatcher.1');
    const before = globals[place]!;
    class EnvHttpProxyAgent {
      dispatch(...request: readonly unknown[]): unknown {
        return before.dispatch(...request);
      }
    }
    globals[place] = new EnvHttpProxyAgent();
    try {
      await client().check(pay);
    } finally {
      globals[place] = before;
    }
    await client().check(pay);
    expect(seen.map(({ headers }) => 'sec-fetch-mode' in headers)).toEqual([true, false]);
  });

  it('sends the length of its body in bytes, and keeps its connection', async () => {
    const one = client();
    for (let n = 0; n < 3; n += 1) await one.check({ ...pay, payload: 'groß' });
    const body = JSON.stringify({ agentId: 'a', action: { payload: 'groß', type: 'pay' } });
    const lengths = seen.map(({ headers }) => Number(headers['content-length']));
    expect(lengths).toEqual(Array(3).fill(Buffer.byteLength(body)));
    expect(new Set(seen.map(({ socket }) => socket)).size).toBe(1);
  });

  it('reads a chunked answer to its end, and aborts an endless one', async () => {
    const text = Buffer.from('{"allowed":false,"reason":"zu groß"}');
    const cut = text.indexOf('ß') + 1;
    handle = (response) => {
      response.write(text.subarray(0, cut));
      setImmediate(() => response.end(text.subarray(cut)));
    };
    expect(await client().check(pay)).toMatchObject({ allowed: false, reason: 'zu groß' });
    const closed = new Promise<void>((resolve) => {
      handle = (response) => {
        const piece = Buffer.alloc(64 * 1024, ' ');
        const more = (): void => void (response.destroyed || response.write(piece, more));
        response.on('close', resolve);
        more();
      };
    });
    expect(await client().check(pay)).toMatchObject({ allowed: false, violations: ['invalid_response'] });
    await closed;
  });

  it.each([
    ['101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n', 'invalid_response'],
    ['101 Switching Protocols\r\n\r\n', 'invalid_response'],
    ['101 Switching Protocols\r\nupgrade: h2c\r\ncontent-length: 2\r\n\r\n{}', 'invalid_response'],
    ['103 Early Hints\r\nlink: </a>\r\n\r\n', 'unreachable'],
    ['200 OK\r\ncontent-length: 90\r\n\r\n{', 'unreachable'],
    ['200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{', 'unreachable'],
  ])('comes to an end where something other than an answer is sent: %j', async (sent, code) => {
    const other = createTcpServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(`HTTP/1.1 ${sent}`));
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    expect(await client({ baseUrl }).check(pay)).toMatchObject({ allowed: false, violations: [code] });
    await new Promise((resolve) => other.close(resolve));
  });

  it('takes an IPv6 address, and a base path', async () => {
    const other = createServer((request, response) => {
      seen.push(request);
      request.resume().on('end', () => response.end('{"allowed":true}'));
    });
    const listens = await new Promise<boolean>((resolve) => {
      other.once('error', () => resolve(false));
      other.listen(0, '::1', () => resolve(true));
    });
    // A machine without IPv6 has nothing to show.
    if (!listens) return;
    const baseUrl = `http://[::1]:${(other.address() as AddressInfo).port}/proxy/`;
    expect(await client({ baseUrl }).check(pay)).toEqual({ allowed: true });
    expect(seen.map(({ url }) => url)).toEqual(['/proxy/v1/check']);
    other.closeAllConnections();
    await new Promise((resolve) => other.close(resolve));
  });

  it('abandons a request that its caller cancels, before and within the answer', async () => {
    for (const begins of [false, true]) {
      const left = new AbortController();
      const closed = new Promise<void>((resolve) => {
        handle = (response) => {
          response.on('close', resolve);
          if (begins) response.write('{"allowed":');
          setImmediate(() => left.abort(new Error('no longer needed')));
        };
      });
      await expect(client({ failMode: 'open' }).check(pay, { signal: left.signal })).rejects.toThrow(
        'no longer needed',
      );
      await closed;
    }
    const gone = AbortSignal.abort(new Error('before'));
    await expect(client().check(pay, { signal: gone })).rejects.toThrow('before');
    expect(seen.length).toBe(2);
  });
});
