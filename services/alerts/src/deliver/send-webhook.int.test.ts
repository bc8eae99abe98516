import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import type { Address, Sent } from '@countersign/service-kit';
import { sendWebhook } from './send-webhook.js';

const HEADERS = { 'webhook-id': 'msg_1' };

describe('sending a webhook', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function listen(listener: RequestListener): Promise<number> {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }

  function send(url: string, { allowedHosts = [], addresses = [], timeoutMs = 5_000 }: Options = {}): Promise<Sent> {
    return sendWebhook(url, '{"a":1}', HEADERS, { allowedHosts, resolve: async () => addresses, timeoutMs });
  }

  interface Options {
    readonly allowedHosts?: readonly string[];
    readonly addresses?: readonly Address[];
    readonly timeoutMs?: number;
  }

  it('posts body and headers to the address that was checked', async () => {
    const seen: unknown[] = [];
    const port = await listen((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        const { host, 'content-type': type, 'webhook-id': id } = request.headers;
        seen.push({ method: request.method, url: request.url, host, type, id, body });
        response.writeHead(204).end();
      });
    });
    const host = `hooks.example.com:${port}`;
    const addresses = [{ address: '127.0.0.1', family: 4 }];
    expect(await send(`http://${host}/in?x=1`, { allowedHosts: [host], addresses })).toEqual({
      status: 204,
      error: null,
    });
    expect(seen).toEqual([
      { method: 'POST', url: '/in?x=1', host, type: 'application/json', id: 'msg_1', body: '{"a":1}' },
    ]);
  });

  it.each([
    ['one private address', [{ address: '10.0.0.5', family: 4 }]],
    [
      'one of several that is not public',
      [
        { address: '8.8.8.8', family: 4 },
        { address: '::ffff:127.0.0.1', family: 6 },
      ],
    ],
    ['the metadata service', [{ address: '169.254.169.254', family: 4 }]],
  ])('sends nothing if the name has %s', async (_what, addresses) => {
    expect(await send('https://hooks.example.com/', { addresses })).toEqual({
      status: null,
      error: 'the host has an address that is not public',
    });
  });

  it('checks a stored URL again, and reports names that do not resolve', async () => {
    expect((await send('https://127.0.0.1/')).error).toBe('destination must be publicly reachable');
    expect((await send('https://hooks.example.com/')).error).toBe('the host name does not resolve');
  });

  it('follows no redirect', async () => {
    let asked = 0;
    const port = await listen((_request, response) => {
      asked += 1;
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    const host = `127.0.0.1:${port}`;
    expect(await send(`http://${host}/`, { allowedHosts: [host] })).toEqual({
      status: 302,
      error: 'the host answered 302',
    });
    expect(asked).toBe(1);
  });

  it('gives up on a host that does not answer, or not in time', async () => {
    const port = await listen(() => undefined);
    const host = `127.0.0.1:${port}`;
    const options = { allowedHosts: [host], timeoutMs: 200 };
    expect(await send(`http://${host}/`, options)).toEqual({ status: null, error: 'no answer in time' });
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    expect(await send(`http://${host}/`, options)).toEqual({ status: null, error: 'the connection was refused' });
  });

  it('stops reading an endless answer', async () => {
    let written = 0;
    const port = await listen((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => {
        response.write(Buffer.alloc(8_192));
        written += 8_192;
      }, 1);
      response.on('close', () => clearInterval(timer));
    });
    const host = `127.0.0.1:${port}`;
    expect(await send(`http://${host}/`, { allowedHosts: [host] })).toEqual({ status: 200, error: null });
    expect(written).toBeLessThan(4_000_000);
  });

  it('reports no text of a host that does not speak HTTP', async () => {
    const server = createTcpServer((socket) => socket.end('220 mail ready\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await send(`http://${host}/`, { allowedHosts: [host] })).toEqual({
      status: null,
      error: 'the connection failed',
    });
    server.close();
  });
});
