import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readProbe } from './probe.js';

const FIGURES = 'countersign_anchoring_chain_reachable 1\n';
const READY = '{"ready":true}';

describe('a probe', () => {
  const servers: Server[] = [];
  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  /** Answers by path. */
  const answering = (answers: Record<string, readonly [number, string]>): Promise<string> =>
    serve((request, response) => {
      const [status, body] = answers[request.url ?? ''] ?? [404, ''];
      response.writeHead(status, { location: '/readyz' }).end(body);
    });
  afterAll(() => {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });
  const read = (url: string, token: string | null = null) => readProbe({ name: 'one', url }, token);

  it('says what a process says', async () => {
    const url = await answering({ '/readyz': [200, READY], '/metrics': [200, FIGURES] });
    expect(await read(url)).toEqual([
      {
        service: { name: 'one', state: 'ready', waitingFor: [], problem: null },
        samples: [{ name: 'countersign_anchoring_chain_reachable', labels: {}, value: 1 }],
      },
    ]);
    const body = JSON.stringify({ ready: false, waitingFor: ['policy: the store', 'x'.repeat(9999), 7] });
    const waiting = await answering({ '/readyz': [503, body], '/metrics': [200, FIGURES] });
    const [found] = await read(waiting);
    expect(found?.service).toMatchObject({ state: 'waiting', problem: null });
    expect(found?.service.waitingFor.map(({ length }) => length)).toEqual([17, 500, 1]);
    expect(found?.samples).toHaveLength(1);
  });

  it.each([
    [200, '{"ready":false}'],
    [200, '{"ready":"true"}'],
    [200, '<html>ready</html>'],
    [200, 'null'],
    [200, ''],
    [302, READY],
    [500, READY],
    [503, READY],
    [503, '{"ready":false,"waitingFor":{}}'],
  ])('never takes for ready what does not say so: %d %s', async (status, body) => {
    const [found] = await read(await answering({ '/readyz': [status, body], '/metrics': [200, FIGURES] }));
    expect(found?.service.state).toBe('unknown');
    expect(found?.service.problem).toContain(`GET /readyz answers ${status}`);
    expect(found?.samples).toEqual([]);
  });

  it('ends in time, and with a bounded answer', async () => {
    const silent = await serve(() => undefined);
    const slow = await serve((_request, response) => {
      const timer = setInterval(() => response.write(' '), 50);
      response.on('close', () => clearInterval(timer));
    });
    const large = await serve((_request, response) => {
      const more = (): void => {
        while (response.write(' '.repeat(65_536)) && !response.destroyed);
      };
      response.on('drain', more);
      more();
    });
    const begun = performance.now();
    const found = (await Promise.all([silent, slow, large, 'http://127.0.0.1:1'].map((url) => read(url)))).flat();
    expect(performance.now() - begun).toBeLessThan(15_000);
    expect(found.map(({ service }) => service.state)).toEqual(Array(4).fill('unknown'));
    expect(found.map(({ service }) => service.problem)).toEqual([
      'no answer within 2 s',
      'no answer within 2 s',
      'the answer has more than 2097152 bytes',
      'ECONNREFUSED',
    ]);
  }, 30_000);

  it('says of a name that has no address that it is unknown', async () => {
    const [found] = await read('http://countersign.invalid');
    expect(found?.service).toMatchObject({ name: 'one', state: 'unknown' });
    expect(found?.service.problem).not.toBeNull();
  });

  it('sends the token with figures alone, and says why they are missing', async () => {
    const sent: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      sent.push(`${request.url} ${request.headers.authorization ?? 'none'}`);
      const isAllowed = request.url === '/readyz' || request.headers.authorization === 'Bearer secret';
      response.writeHead(isAllowed ? 200 : 401).end(request.url === '/readyz' ? READY : FIGURES);
    });
    expect((await read(url, 'secret'))[0]?.service.problem).toBeNull();
    expect(sent.sort()).toEqual(['/metrics Bearer secret', '/readyz none']);
    const [found] = await read(url);
    expect(found?.service).toEqual({
      name: 'one',
      state: 'ready',
      waitingFor: [],
      problem: 'its figures cannot be read: GET /metrics answers 401',
    });
    expect(found?.samples).toEqual([]);
  });
});
