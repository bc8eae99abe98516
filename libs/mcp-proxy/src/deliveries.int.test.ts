import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectHttp } from './http-server.js';
import { readMessage, type Message } from './message.js';
import type { McpServer } from './server.js';
import { readServerAddress } from './server-address.js';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const stream = { 'content-type': 'text/event-stream' };
const json = { 'content-type': 'application/json' };
const event = (message: object, id = ''): string => `${id}data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
const done = { id: 1, result: { a: 1 } };
/** A place to resume from, at once. */
const place = 'retry: 1\nid: a\ndata:\n\n';

describe('a request by HTTP', () => {
  let post: Answer;
  let get: Answer;
  let http: Server;
  let server: McpServer;
  let told: string[];
  const asked: { readonly method: string; readonly text: string; readonly authorization: string | undefined }[] = [];
  const lines: string[] = [];
  const failures: string[] = [];

  beforeAll(async () => {
    http = createServer((request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (part: string) => (text += part));
      request.on('end', () => {
        const { method = '', headers } = request;
        asked.push({ method, text, authorization: headers.authorization });
        (method === 'GET' ? get : post)(response, request);
      });
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(async () => {
    for (const list of [asked, lines, failures]) list.length = 0;
    told = [];
    get = (response) => void response.writeHead(405).end();
    const { port } = http.address() as AddressInfo;
    const address = readServerAddress(`http://user:hidden@127.0.0.1:${port}/mcp`, {});
    if (typeof address === 'string') throw new Error(address);
    server = await connectHttp(address, {
      line: (text) => void lines.push(text),
      failed: ({ text }, why) => void failures.push(`${text}: ${why}`),
      note: (line) => void told.push(line),
    });
  });
  afterEach(async () => {
    server.end('now');
    await server.gone;
    expect(JSON.stringify([told, failures])).not.toContain('hidden');
  });
  afterAll(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });

  const request = '{"jsonrpc":"2.0","id":1,"method":"x","params":{"n":12345678901234567890}}';
  const send = (text = request): void => server.send(readMessage(text) as Message);
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
  };

  it('is sent as it was judged, with the name and password of the address', async () => {
    post = (response) => void response.writeHead(200, stream).end(event(done));
    send();
    await until(() => lines.length === 1);
    expect(asked).toEqual([{ method: 'POST', text: request, authorization: 'Basic dXNlcjpoaWRkZW4=' }]);
    expect(JSON.parse(lines[0]!)).toMatchObject(done);
  });

  it.each<[string, Answer]>([
    ['202', (response) => void response.writeHead(202).end()],
    ['a stream that ends at once', (response) => void response.writeHead(200, stream).end()],
    ['a stream that ends early', (response) => void response.writeHead(200, stream).end(event({ method: 'secret' }))],
    ['a stream that ends within', (response) => void response.writeHead(200, stream).end(event(done).slice(0, -9))],
    [
      'a stream that is cut',
      (response) => {
        response.writeHead(200, stream).write(event({ method: 'secret' }));
        setImmediate(() => response.destroy());
      },
    ],
    ['an answer to something else', (response) => void response.writeHead(200, stream).end(event({ ...done, id: 2 }))],
    [
      'a stream that could be resumed, and holds an answer to something else',
      (response) => void response.writeHead(200, stream).end(place + event({ ...done, id: 2 })),
    ],
    ['no stream to resume it', (response) => void response.writeHead(200, stream).end(place)],
    ['JSON that answers something else', (response) => void response.writeHead(200, json).end('[]')],
    ['JSON that is no answer', (response) => void response.writeHead(200, json).end('{"secret":1}')],
    ['no JSON', (response) => void response.writeHead(200, json).end('secret')],
    ['no status of success', (response) => void response.writeHead(500).end('secret')],
    ['another place', (response) => void response.writeHead(307, { location: 'http://secret.example/' }).end('secret')],
    ['text', (response) => void response.writeHead(200, { 'content-type': 'text/secret' }).end('secret')],
    ['no answer at all', (response) => void response.destroy()],
  ])('that gets %s has failed, once, in words of our own', async (_, answer) => {
    post = answer;
    send();
    await until(() => failures.length > 0);
    expect(failures).toEqual([expect.stringMatching(/: the server at http:\/\/127\.0\.0\.1:\d+ failed \(.{5,80}\)$/u)]);
    expect(failures[0]).not.toContain('secret');
    expect(lines.filter((line) => line.includes('"id":1'))).toEqual([]);
  });

  it('that is refused with what it brought is told of without that', async () => {
    post = (response, { headers }) => void response.writeHead(401).end(`who is ${headers.authorization}?`);
    send();
    await until(() => failures.length > 0);
    expect(told).toEqual([expect.stringMatching(/who is Basic …\?$/u)]);
  });

  it('is answered by a stream that resumes the one that broke off', async () => {
    const places: unknown[] = [];
    post = (response) => void response.writeHead(200, stream).end(place);
    get = (response, { headers }) => {
      places.push(headers['last-event-id']);
      const text = places.length < 4 ? event({ method: 'y' }, `id: ${places.length}\n`) : event(done);
      response.writeHead(200, stream).end(text);
    };
    send();
    await until(() => lines.some((line) => line.includes('"id":1')));
    expect([places, failures]).toEqual([['a', '1', '2', '3'], []]);
  });

  it('that is answered by an error resumes nothing, and says nothing of that', async () => {
    post = (response) =>
      void response.writeHead(200, stream).end(place + event({ id: 1, error: { code: 1, message: 'm' } }));
    get = (response) => void response.writeHead(500).end();
    send();
    await until(() => lines.some((line) => line.includes('"id":1')));
    post = (response) => void response.writeHead(200, stream).end(place);
    get = (response) => void response.writeHead(200, stream).end(event({ id: 2, result: {} }));
    // By then the place was asked for, if ever: the transport waits as long for both.
    send(request.replace('1', '2'));
    await until(() => lines.some((line) => line.includes('"id":2')));
    expect([told, failures, asked.filter(({ method }) => method === 'GET').length]).toEqual([[], [], 1]);
  });

  it.each<[string, Answer]>([
    ['refuses', (response) => void response.writeHead(500).end('secret')],
    ['says something else', (response) => void response.writeHead(200, json).end('{}')],
    ['breaks off', (response) => void response.destroy()],
  ])('has failed where what should resume its answer %s', async (_, answer) => {
    post = (response) => void response.writeHead(200, stream).end(place);
    get = answer;
    send();
    await until(() => failures.length > 0);
    expect(failures).toEqual([expect.stringContaining('broke off and could not be resumed')]);
  });

  it('whose id is used again is not taken for the one before', async () => {
    const open: ServerResponse[] = [];
    post = (response) => void open.push(response.writeHead(200, stream));
    send();
    await until(() => open.length === 1);
    open[0]!.write(event(done));
    await until(() => lines.length === 1);
    send();
    await until(() => open.length === 2);
    open[0]!.end();
    open[1]!.end(event({ ...done, result: { a: 2 } }));
    await until(() => lines.length === 2);
    expect(failures).toEqual([]);
  });
});
