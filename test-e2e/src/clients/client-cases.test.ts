import { Instance } from '../instance/instance.js';
import { newAgent } from '../instance/new-agent.js';
import { casesOf, happens, OF_THE_SERVER, resultOf, type ClientCase } from './client-case.js';
import { FaultServer } from './fault-server.js';

const AGENT = '0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77';
const named = (cases: readonly ClientCase[]) => cases.map((one) => [one.name, one] as const);
const ofTheCall = ({ expect: expected }: ClientCase): object =>
  Object.fromEntries(Object.entries(expected).filter(([name]) => !OF_THE_SERVER.has(name)));

describe('the JavaScript client passes the cases of every client', () => {
  it.each(named(casesOf('faults.json')))('a server that plays: %s', async (_name, one) => {
    const server = await FaultServer.start(one.answers ?? []);
    try {
      const target = { apiKey: 'csn_live_key', agentId: AGENT, baseUrl: server.address };
      const happened = await happens(one, target);
      expect(resultOf(one, happened)).toEqual(ofTheCall(one));
      if (!('throws' in one.expect) && !('error' in one.expect)) expect(happened.thrown).toBeNull();
      const checks = server.seen.filter(({ path }) => path === '/v1/check');
      const sides: Record<string, () => unknown> = {
        requests: () => server.seen.map(({ path }) => path),
        sentAction: () => checks[0]?.body['action'],
        sentReport: () => ({ ...server.seen.at(-1)?.body, agentId: undefined }),
        sentAgent: () => server.seen.at(-1)?.body,
        idempotencyKeys: () => new Set(checks.map(({ headers }) => headers['idempotency-key'])).size,
      };
      for (const [name, side] of Object.entries(sides)) {
        if (name in one.expect) expect([name, side()]).toEqual([name, one.expect[name]]);
      }
      for (const { headers } of server.seen) {
        expect(headers).toMatchObject({ 'x-service-key': 'csn_live_key', authorization: 'Bearer csn_live_key' });
      }
    } finally {
      await server.stop();
    }
  });

  describe('a running service', () => {
    let instance: Instance;
    let session: Record<string, string>;
    beforeAll(async () => {
      instance = await Instance.start();
      session = await instance.session();
    }, 90_000);
    afterAll(() => instance?.discard());

    it.each(named(casesOf('service.json')))('%s', async (_name, one) => {
      const agentId = await newAgent(instance, session, one.agent?.profile);
      if (one.agent?.state !== undefined) {
        const way = one.agent.state === 'frozen' ? 'freeze' : 'deactivate';
        const changed = await instance.request('POST', `/v1/agents/${agentId}/${way}`, { headers: session, body: {} });
        expect(changed.status).toBe(200);
      }
      const { apiKey, baseUrl } = instance.bootstrap;
      const happened = await happens(one, { apiKey, agentId, baseUrl });
      expect(resultOf(one, happened)).toEqual(ofTheCall(one));
    });
  });
});
