import type { AddressInfo } from 'node:net';
import { Countersign, type Action } from '@countersign/client';
import { guardRequests as guardExpress } from '@countersign/client/express';
import { guardRequests as guardFastify } from '@countersign/client/fastify';
import express, { type Request } from 'express';
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { FaultServer } from './fault-server.js';

const AGENT = '0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77';
const ANOTHER = '1c8e5b1f-7a3c-4d4b-8c1f-1e4a6e2d3b88';
const refund = (body: unknown): Action => ({ actionType: 'refund', payload: body });

/** The requests sent to the guarded service, and how to stop it. */
type Start = (
  countersign: Countersign,
) => Promise<{ address: string; handled: string[]; stop: () => Promise<unknown> }>;

const onExpress: Start = async (countersign) => {
  const handled: string[] = [];
  const app = express();
  app.use(express.json());
  const guard = guardExpress(countersign, {
    action: ({ path, body }: Request) => (path === '/health' ? null : refund(body)),
    agentId: (request) => (request.path === '/fails' ? ANOTHER : undefined),
  });
  app.use(guard);
  app.all('/{*rest}', ({ path }, response) => {
    handled.push(path);
    if (path === '/fails') throw new Error('the till is empty');
    response.json({ paid: true });
  });
  // Express logs errors of handlers.
  app.set('env', 'test');
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = (): Promise<unknown> => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { address, handled, stop };
};

const onFastify: Start = async (countersign) => {
  const handled: string[] = [];
  const app = Fastify({ forceCloseConnections: true });
  await app.register(
    guardFastify(countersign, {
      action: ({ url, body }: FastifyRequest) => (url === '/health' ? null : refund(body)),
      agentId: ({ url }) => (url === '/fails' ? ANOTHER : undefined),
    }),
  );
  app.post('/*', ({ url }) => {
    handled.push(url);
    if (url === '/fails') throw new Error('the till is empty');
    return { paid: true };
  });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  return { address, handled, stop: () => app.close() };
};

describe.each([
  ['Express', onExpress],
  ['Fastify', onFastify],
])('a service on %s that acts for agents', (_name, start) => {
  const allowed = { status: 200, body: { allowed: true }, headers: { 'x-event-id': AGENT } };
  const logged = { status: 201, body: { eventId: AGENT } };
  const guarded = async (answers: Parameters<typeof FaultServer.start>[0], failMode?: 'throw') => {
    const decides = await FaultServer.start(answers);
    const options = { apiKey: 'k', agentId: AGENT, baseUrl: decides.address, retries: 0 };
    const service = await start(new Countersign(failMode === undefined ? options : { ...options, failMode }));
    const ask = async (path: string): Promise<{ status: number; json: unknown }> => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(service.address + path, { method: 'POST', headers, body: '{"usd":40}' });
      return { status: answer.status, json: await answer.json().catch(() => null) };
    };
    const reported = async (count: number): Promise<unknown[]> => {
      while (decides.seen.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
      return decides.seen.map(({ path, body }) => [path, body['agentId'], body['outcome'] ?? body['action']]);
    };
    const stop = async (): Promise<void> => void (await Promise.all([service.stop(), decides.stop()]));
    return { ...service, ask, reported, stop, seen: decides.seen };
  };

  it('checks the body of the request, and reports the answer, for the agent that the request names', async () => {
    const { ask, handled, reported, stop } = await guarded([allowed, logged, allowed, logged]);
    expect(await ask('/refunds')).toEqual({ status: 200, json: { paid: true } });
    const action = { type: 'refund', payload: { usd: 40 } };
    const first = [
      ['/v1/check', AGENT, action],
      ['/v1/mcp/log', AGENT, 'succeeded'],
    ];
    expect(await reported(2)).toEqual(first);
    expect((await ask('/fails')).status).toBe(500);
    expect(await reported(4)).toEqual([...first, ['/v1/check', ANOTHER, action], ['/v1/mcp/log', ANOTHER, 'failed']]);
    expect(handled).toEqual(['/refunds', '/fails']);
    await stop();
  });

  it('handles no denied or undecided request, and sends no check if there is nothing to check', async () => {
    const denied = {
      status: 200,
      body: { allowed: false, reason: 'no', severity: 'P1', violation_type: 'off_limits' },
    };
    const { ask, handled, seen, stop } = await guarded([denied, 'close']);
    const body = { allowed: false, reason: 'no', severity: 'P1', violation_type: 'off_limits' };
    expect(await ask('/refunds')).toEqual({ status: 403, json: body });
    expect(await ask('/refunds')).toMatchObject({ status: 503, json: { allowed: false, code: 'unreachable' } });
    expect([handled, seen.length]).toEqual([[], 2]);
    expect((await ask('/health')).status).toBe(200);
    expect([handled, seen.length]).toEqual([['/health'], 2]);
    await stop();
  });

  it('stays closed if its client throws', async () => {
    const { ask, handled, stop } = await guarded(['close'], 'throw');
    expect([(await ask('/refunds')).status, handled]).toEqual([503, []]);
    await stop();
  });
});

describe('the guard on Fastify', () => {
  it('precedes the routes of its scope and of the plugins in it, also earlier ones, and of no other scope', async () => {
    const decides = await FaultServer.start([{ status: 200, body: { allowed: false, reason: 'no' } }]);
    const countersign = new Countersign({ apiKey: 'k', agentId: AGENT, baseUrl: decides.address });
    const app = Fastify({ forceCloseConnections: true });
    const route = (path: string) => (scope: FastifyInstance) => void scope.get(path, () => ({ paid: true }));
    const plugin = (path: string) => (scope: FastifyInstance, _options: object, done: () => void) => {
      route(path)(scope);
      done();
    };
    await app.register(plugin('/plugin-before'));
    await app.register(async (scope) => {
      void scope.register(plugin('/waiting-before'));
      await scope.register(plugin('/inner-before'));
      route('/before')(scope);
      await scope.register(guardFastify(countersign, { action: () => ({ actionType: 'pay' }) }));
      await scope.register(plugin('/inner-after'));
      route('/after')(scope);
    });
    route('/outside')(app);
    const address = await app.listen({ port: 0, host: '127.0.0.1' });
    const guarded = ['/before', '/after', '/waiting-before', '/inner-before', '/inner-after'];
    const answers: unknown[] = [];
    for (const path of [...guarded, '/plugin-before', '/outside', '/none']) {
      answers.push([path, (await fetch(address + path)).status]);
    }
    await Promise.all([app.close(), decides.stop()]);
    expect(answers).toEqual([
      ...guarded.map((path) => [path, 403]),
      ['/plugin-before', 200],
      ['/outside', 200],
      ['/none', 404],
    ]);
  });
});
