import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { route } from '@countersign/contracts';
import type { Authenticator } from '../credentials/authenticator.js';
import { createLogger } from '../logging/logger.js';
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
        routes: [limited, posted, open].map((one) => ({
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

  /** @param ends whether the body ends */
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET', ends = true): Promise<Answer> =>
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
      if (ends) sent.end();
      else sent.write('{');
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
    expect((await ask('/limited', headers, 'POST', false)).status).toBe(429);
  });

  it('believes nobody’s word for an address but that of the proxy in front, where one is configured', async () => {
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
