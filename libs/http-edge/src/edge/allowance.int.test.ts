import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { route } from '@countersign/contracts';
import type { Authenticator } from '../credentials/authenticator.js';
import { createLogger } from '@countersign/process';
import { AddressAllowance } from './address-allowance.js';
import { HttpAnswer, writeAnswer } from './answer.js';
import { CLIENT_ADDRESS_HEADER, createEdge } from './edge.js';

const common = {
  service: 'verification',
  summary: '',
  tag: 'Public',
  auth: 'none',
  success: 200,
  responses: {},
} as const;
const limited = route({ ...common, method: 'GET', path: '/limited', operationId: 'limited', perAddress: 1 });
const posted = route({ ...common, method: 'POST', path: '/limited', operationId: 'posted', perAddress: 1, body: {} });
const heavy = route({
  ...common,
  method: 'POST',
  path: '/heavy',
  operationId: 'heavy',
  perAddress: 0.5,
  perAddressMiB: 1,
  body: {},
});
const open = route({ ...common, method: 'GET', path: '/open', operationId: 'open' });

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

describe('the allowance of an address, at the edge', () => {
  let server: Server;
  let now = 0;

  async function edge(behindEdge: boolean): Promise<void> {
    now = 0;
    server = createServer(
      createEdge({
        routes: [limited, posted, heavy, open].map((one) => ({
          route: one,
          handle: (_route, _request, response) => writeAnswer(response, new HttpAnswer(200, { ok: true })),
        })),
        authenticator: {} as Authenticator,
        log: createLogger('silent'),
        observe: () => undefined,
        behindEdge,
        allowance: new AddressAllowance(2, () => now),
      }),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
  }
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  /** @param body `null`: it begins, and does not end */
  const ask = (
    path: string,
    headers: Record<string, string> = {},
    method = 'GET',
    body: string | null = '',
  ): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const { port } = server.address() as AddressInfo;
      const sent = httpRequest({ host: '127.0.0.1', port, path, method, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => {
          sent.destroy();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      });
      sent.on('error', reject);
      if (body === null) sent.write('{');
      else sent.end(body);
    });

  it('refuses what goes beyond it, with the time to wait, on the routes that take from it alone', async () => {
    await edge(false);
    expect((await ask('/limited')).status).toBe(200);
    expect((await ask('/nowhere')).status).toBe(404);
    expect((await ask('/limited')).status).toBe(200);
    const refused = await ask('/limited');
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('30');
    expect(refused.headers['cache-control']).toBe('no-store');
    expect(JSON.parse(refused.text)).toEqual({ error: expect.any(String) });
    expect((await ask('/open')).status).toBe(200);
    now += 30_000;
    expect((await ask('/limited')).status).toBe(200);
  });

  it('refuses before a body has come', async () => {
    await edge(false);
    await ask('/limited');
    await ask('/limited');
    const headers = { 'content-type': 'application/json', 'content-length': '1000000' };
    expect((await ask('/limited', headers, 'POST', null)).status).toBe(429);
  });

  it('takes more for a larger body, as it is announced, and the most for one that is not', async () => {
    const json = { 'content-type': 'application/json' };
    const size = 512 * 1024;
    const half = { ...json, 'content-length': String(size) };
    const body = `{${' '.repeat(size - 2)}}`;
    await edge(false);
    // Each is a half, and a half for its half MiB: together the two that there are.
    for (const status of [200, 200]) expect((await ask('/heavy', half, 'POST', body)).status).toBe(status);
    expect((await ask('/heavy', half, 'POST', null)).headers['retry-after']).toBe('30');
    now += 60_000;
    // One and a half for the MiB that it might have been: a half is left, and another is wanted.
    const chunked = { ...json, 'transfer-encoding': 'chunked' };
    expect((await ask('/heavy', chunked, 'POST', '{}')).status).toBe(200);
    expect((await ask('/heavy', half, 'POST', null)).headers['retry-after']).toBe('15');
  });

  it('accepts a client address only from the proxy in front, if one is configured', async () => {
    const from = (n: number): Record<string, string> => ({
      [CLIENT_ADDRESS_HEADER]: `192.0.2.${n}`,
      'x-forwarded-for': `192.0.2.${n}`,
      'x-real-ip': `192.0.2.${n}`,
      forwarded: `for=192.0.2.${n}`,
    });
    await edge(false);
    const statuses = [];
    for (const n of [1, 2, 3]) statuses.push((await ask('/limited', from(n))).status);
    expect(statuses).toEqual([200, 200, 429]);
    server.closeAllConnections();
    server.close();
    await edge(true);
    for (const n of [1, 2, 3]) {
      const own = { [CLIENT_ADDRESS_HEADER]: `192.0.2.${n}` };
      expect((await ask('/limited', own)).status).toBe(200);
      expect((await ask('/limited', own)).status).toBe(200);
      expect((await ask('/limited', { ...from(n + 100), ...own })).status).toBe(429);
    }
  });
});
