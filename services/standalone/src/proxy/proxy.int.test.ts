import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { IncomingMessage, RequestListener, Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLIENT_ADDRESS_HEADER } from '@countersign/http-edge';
import { createProxy, type Proxy } from './proxy.js';

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

describe('the proxy', () => {
  let folder: string;
  let upstream: Server;
  let edge: Server;
  let proxy: Proxy;
  let handler: RequestListener;
  let listening = true;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-proxy-'));
    const path = join(folder, 's');
    upstream = createServer((request, response) => handler(request, response));
    await new Promise<void>((resolve) => upstream.listen(path, resolve));
    proxy = createProxy(() => (listening ? path : null));
    edge = createServer(proxy.handle);
    await new Promise<void>((resolve) => edge.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    proxy.close();
    edge.closeAllConnections();
    upstream.closeAllConnections();
    await new Promise((resolve) => edge.close(resolve));
    await new Promise((resolve) => upstream.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  const send = (method: string, headers: Record<string, string>, ...chunks: Buffer[]): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { port } = edge.address() as AddressInfo;
      const request = httpRequest({ port, method, headers, path: '/a/b?c=d' }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
        response.on('error', reject);
      });
      request.on('error', reject);
      for (const chunk of chunks) request.write(chunk);
      request.end();
    });

  /** Everything received until the other side closes. */
  const sendText = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const { port } = edge.address() as AddressInfo;
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      let answer = '';
      socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
      socket.on('close', () => resolve(answer));
      socket.on('error', reject);
    });

  it('forwards everything with the caller’s address, which a caller cannot set', async () => {
    let seen: IncomingMessage | null = null;
    handler = (request, response) => {
      seen = request;
      response.writeHead(201, 'Made', ['Set-Cookie', 'a', 'Set-Cookie', 'b', 'X-Own', '1']);
      request.pipe(response);
    };
    const answer = await send(
      'POST',
      {
        [CLIENT_ADDRESS_HEADER]: '6.6.6.6',
        'X-Own': '2',
        'X-Hop': '3',
        connection: `x-hop, authorization, ${CLIENT_ADDRESS_HEADER}`,
        authorization: 'Bearer t',
      },
      Buffer.from('body'),
    );
    expect([answer.status, answer.text, answer.headers['set-cookie'], answer.headers['x-own']]).toEqual([
      201,
      'body',
      ['a', 'b'],
      '1',
    ]);
    const { method, url, headers } = seen as unknown as IncomingMessage;
    expect([method, url, headers['x-own'], headers.authorization]).toEqual(['POST', '/a/b?c=d', '2', 'Bearer t']);
    expect(headers[CLIENT_ADDRESS_HEADER]).toBe('127.0.0.1');
    expect(headers['x-hop']).toBeUndefined();
  });

  it('forwards an answer that arrives before the end of the request', async () => {
    handler = (_request, response) => {
      response.writeHead(413, { 'content-length': '3', connection: 'close' });
      response.end('big');
    };
    const megabytes = Array.from({ length: 8 }, () => Buffer.alloc(1024 * 1024));
    const answer = await send('POST', {}, ...megabytes);
    expect([answer.status, answer.text]).toEqual([413, 'big']);
  });

  it('breaks off an answer that the other side breaks off', async () => {
    handler = (_request, response) => {
      response.writeHead(200, { 'content-length': '10' });
      response.write('half', () => response.destroy());
    };
    await expect(send('GET', {})).rejects.toThrow();
  });

  it('aborts the request on the other side when the caller disconnects', async () => {
    let closed: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => (closed = resolve));
    const { port } = edge.address() as AddressInfo;
    const request = httpRequest({ port, method: 'GET' });
    handler = (_request, response) => {
      response.on('close', closed);
      request.destroy();
    };
    request.on('error', () => undefined).end();
    await gone;
  });

  it('forwards no byte of a body that its headers do not announce', async () => {
    const seen: string[] = [];
    handler = (request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers[CLIENT_ADDRESS_HEADER] as string}`);
      request.resume();
      response.end('{}');
    };
    const smuggled = `POST /b HTTP/1.1\r\nHost: x\r\n${CLIENT_ADDRESS_HEADER}: 6.6.6.6\r\nContent-Length: 0\r\n\r\n`;
    // Node's defaults drop headers beyond the two thousandth.
    const many = 'a:\r\n'.repeat(2100);
    const text = `GET /a HTTP/1.1\r\nHost: x\r\n${many}Content-Length: ${smuggled.length}\r\n\r\n${smuggled}`;
    await sendText(`${text}GET /c HTTP/1.0\r\n\r\n`);
    expect(seen).toEqual(['GET /a 127.0.0.1', 'GET /c 127.0.0.1']);
  });

  it('closes the connection of a request that was answered before its end', async () => {
    handler = (_request, response) => {
      response.writeHead(401, { 'content-length': '2' });
      response.end('{}');
    };
    const connections = (): Promise<number> =>
      new Promise((resolve) => upstream.getConnections((_error, count) => resolve(count)));
    const before = await connections();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => sendText('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n1')),
    );
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await connections()).toBeLessThanOrEqual(before);
  });

  it('answers 503 while no server listens', async () => {
    listening = false;
    const answer = await send('POST', {}, Buffer.from('x'));
    listening = true;
    expect([answer.status, Object.keys(JSON.parse(answer.text) as object), answer.headers['retry-after']]).toEqual([
      503,
      ['error'],
      '1',
    ]);
  });
});
