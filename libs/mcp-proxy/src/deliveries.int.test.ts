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
/** An event id to resume from, with a retry delay of 1 ms. */
const resumePoint = 'retry: 1\nid: a\ndata:\n\n';

describe('a request by HTTP', () => {
  let post: Answer;
  let get: Answer;
  let http: Server;
  let server: McpServer;
  let notes: string[];
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
    notes = [];
    get = (response) => void response.writeHead(405).end();
    const { port } = http.address() as AddressInfo;
    const address = readServerAddress(`http://user:hidden@127.0.0.1:${port}/mcp`, {});
    if (typeof address === 'string') throw new Error(address);
    server = await connectHttp(address, {
      line: (text) => void lines.push(text),
      failed: ({ text }, why) => void failures.push(`${text}: ${why}`),
      note: (line) => void notes.push(line),
    });
  });
  afterEach(async () => {
    server.end('now');
    await server.gone;
    expect(JSON.stringify([notes, failures])).not.toContain('hidden');
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

  it('is sent as it was judged, with the user name and password of the address', async () => {
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
      (response) => void response.writeHead(200, stream).end(resumePoint + event({ ...done, id: 2 })),
    ],
    ['no stream to resume it', (response) => void response.writeHead(200, stream).end(resumePoint)],
    ['JSON that answers something else', (response) => void response.writeHead(200, json).end('[]')],
    ['JSON that is not an answer', (response) => void response.writeHead(200, json).end('{"secret":1}')],
    ['no JSON', (response) => void response.writeHead(200, json).end('secret')],
    ['an error status', (response) => void response.writeHead(500).end('secret')],
    [
      'a redirect to another origin',
      (response) => void response.writeHead(307, { location: 'http://secret.example/' }).end('secret'),
    ],
    ['text', (response) => void response.writeHead(200, { 'content-type': 'text/secret' }).end('secret')],
    ['no answer at all', (response) => void response.destroy()],
  ])('that gets %s has failed, once, without text of the server', async (_, answer) => {
    post = answer;
    send();
    await until(() => failures.length > 0);
    expect(failures).toEqual([expect.stringMatching(/: the server at http:\/\/127\.0\.0\.1:\d+ failed \(.{5,80}\)$/u)]);
    expect(failures[0]).not.toContain('secret');
    expect(lines.filter((line) => line.includes('"id":1'))).toEqual([]);
  });

  it('that is refused is reported without its credentials', async () => {
    post = (response, { headers }) => void response.writeHead(401).end(`who is ${headers.authorization}?`);
    send();
    await until(() => failures.length > 0);
    expect(notes).toEqual([expect.stringMatching(/who is Basic …\?$/u)]);
  });

  it('is answered by a stream that resumes one that broke off', async () => {
    const eventIds: unknown[] = [];
    post = (response) => void response.writeHead(200, stream).end(resumePoint);
    get = (response, { headers }) => {
      eventIds.push(headers['last-event-id']);
      const text = eventIds.length < 4 ? event({ method: 'y' }, `id: ${eventIds.length}\n`) : event(done);
      response.writeHead(200, stream).end(text);
    };
    send();
    await until(() => lines.some((line) => line.includes('"id":1')));
    expect([eventIds, failures]).toEqual([['a', '1', '2', '3'], []]);
  });

  it('that is answered by an error resumes nothing, and reports nothing', async () => {
    post = (response) =>
      void response.writeHead(200, stream).end(resumePoint + event({ id: 1, error: { code: 1, message: 'm' } }));
    get = (response) => void response.writeHead(500).end();
    send();
    await until(() => lines.some((line) => line.includes('"id":1')));
    post = (response) => void response.writeHead(200, stream).end(resumePoint);
    get = (response) => void response.writeHead(200, stream).end(event({ id: 2, result: {} }));
    // A resume request would have been sent by then: the transport waits as long for both.
    send(request.replace('1', '2'));
    await until(() => lines.some((line) => line.includes('"id":2')));
    expect([notes, failures, asked.filter(({ method }) => method === 'GET').length]).toEqual([[], [], 1]);
  });

  it.each<[string, Answer]>([
    ['refuses', (response) => void response.writeHead(500).end('secret')],
    ['says something else', (response) => void response.writeHead(200, json).end('{}')],
    ['breaks off', (response) => void response.destroy()],
  ])('has failed if the resumed stream %s', async (_, answer) => {
    post = (response) => void response.writeHead(200, stream).end(resumePoint);
    get = answer;
    send();
    await until(() => failures.length > 0);
    expect(failures).toEqual([expect.stringContaining('broke off and could not be resumed')]);
  });

  it('with a reused id is not mistaken for the one before', async () => {
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
