import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Route } from '@countersign/contracts';
import { createLogger } from '@countersign/process';
import { HttpAnswer, writeAnswer } from './answer.js';
import { createEdge } from './edge.js';
import { HttpRefusal } from './http-contract.js';
import { inputOf } from './route-input.js';

const common = {
  service: 'gateway',
  method: 'POST',
  operationId: 'x',
  summary: '',
  tag: '',
  auth: 'api-key',
  success: 200,
  responses: {},
} as const;
const asDenial: Route = {
  ...common,
  path: '/denied',
  body: { type: 'object' },
  refusedAs: { status: 200, body: { deny: true, inner: { why: '{reason}' } } },
};
const below: Route = { ...common, path: '/below', auth: 'none', withPathsBelow: true };

describe('the edge', () => {
  let failure: Error | null = null;
  const edge = createEdge({
    routes: [
      {
        route: asDenial,
        handle: (_route, _request, response) =>
          failure === null ? writeAnswer(response, new HttpAnswer(200, { deny: false })) : Promise.reject(failure),
      },
      {
        route: below,
        handle: (_route, received, response) => writeAnswer(response, new HttpAnswer(200, inputOf(received).sent)),
      },
    ],
    authenticator: {
      session: () => Promise.reject(new HttpRefusal(401, 'no session')),
      apiKey: (headers) =>
        headers.includes('secret')
          ? Promise.resolve({
              accountId: 'a',
              apiKeyId: 'k',
              powers: { rights: 1, agents: null, expiresAtMs: 1, first: true },
            })
          : Promise.reject(new HttpRefusal(401, 'no key', { 'www-authenticate': 'Bearer' })),
      notReady: () => [],
      stop: () => Promise.resolve(),
    },
    log: createLogger('silent'),
    observe: () => undefined,
    isUnavailable: (error) => error instanceof RangeError,
  });
  const server = createServer(edge);
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(() => server.close());

  const send = (method: string, path: string, body: string, headers: Record<string, string> = {}) =>
    new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
      const { port } = server.address() as AddressInfo;
      const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
        response.on('end', () => resolve({ status: response.statusCode!, text }));
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });

  const KEY = { 'x-service-key': 'secret' };
  it.each([
    ['no credentials', '{}', {}, null, 'no key'],
    ['another media type', '{}', { ...KEY, 'content-type': 'text/plain' }, null, 'application/json'],
    ['no JSON', '{', KEY, null, 'did not decide'],
    ['a body that the schema refuses', '[]', KEY, null, 'did not decide'],
    ['a body that is too large', `"${'x'.repeat(3 * 1024 * 1024)}"`, KEY, null, 'at most 1 MiB'],
    ['a refusal of the handler', '{}', KEY, new HttpRefusal(503, 'the service is starting'), 'the service is starting'],
    ['an error of the handler', '{}', KEY, new Error('secret path'), 'internal error'],
    ['a backend that is away', '{}', KEY, new RangeError('secret path'), 'at the moment: try again'],
  ])('answers %s in the form of the route', async (_what, body, headers, thrown, words) => {
    failure = thrown;
    const { status, text } = await send('POST', '/denied', body, headers);
    failure = null;
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({ deny: true, inner: { why: expect.stringContaining(words) as string } });
    expect(text).not.toContain('secret path');
  });

  it('answers what the handler answers', async () => {
    expect(await send('POST', '/denied', '{}', KEY)).toEqual({ status: 200, text: '{"deny":false}' });
  });

  it.each([
    ['GET', '/below'],
    ['DELETE', '/below/a%2Fb//c?x=%7B'],
    ['OPTIONS', '/below/../x'],
    ['PROPFIND', '/below/x/'],
  ])('passes %s %s to a route with the paths below it, as it was sent', async (method, target) => {
    const { status, text } = await send(method, target, '');
    expect([status, JSON.parse(text)]).toMatchObject([
      200,
      { method, target, rawHeaders: expect.arrayContaining(['Host']) as string[] },
    ]);
  });

  it.each(['/belowx', '/Below/x', '/'])('does not take %s for a path below a route', async (target) => {
    expect((await send('GET', target, '')).status).toBe(404);
  });
});
