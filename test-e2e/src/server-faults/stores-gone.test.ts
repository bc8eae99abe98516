import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '#infra/processes/ask.js';
import { fsckClean } from '../instance/fsck.js';
import { eventually } from '../instance/request.js';
import { onOwnServers } from './own-servers.js';
import { statuses, SteadyLoad, type TimedAttempt } from './steady-load.js';
import { late, newAgents, settled, wrongRefusals } from './whole.js';

/** Also met by a busy test machine. */
const DEADLINE_MS = 3000;
/** Cost of one check, and an agent's spending limit. */
const COST = 0.25;
const LIMIT = 100;

const env = () => ({ COUNTERSIGN_CHECK_DEADLINE_MS: String(DEADLINE_MS) });

onOwnServers('a store that becomes unavailable under load', { env }, (own) => {
  const attempts: TimedAttempt[] = [];

  const readiness = async () => {
    const { status, json } = await own().instance.request('GET', '/readyz');
    return { status, waitingFor: (json as { waitingFor?: readonly string[] }).waitingFor ?? [] };
  };

  it('MongoDB: checks continue, lists return 503 with a time to retry, then everything is listed', async () => {
    const { instance, session, agentIds, mongo } = own();
    const load = new SteadyLoad(instance, { name: 'mongo', perSecond: 100, agentIds });
    await sleep(2000);
    await mongo.kill();
    const notReady = await eventually('readiness names it', 30, async () => {
      const found = await readiness();
      return found.waitingFor.some((why) => why.includes('the store cannot be reached')) ? found : null;
    });
    expect(notReady.status).toBe(503);
    // Without the driver's messages, which contain addresses.
    expect(notReady.waitingFor.filter((why) => /ECONN|127\.0\.0\.1|Mongo/.test(why))).toEqual([]);
    for (const path of ['/v1/events', '/v1/alerts', '/v1/agents']) {
      const { status, headers, json } = await instance.request('GET', path, { headers: session });
      expect([path, status, headers['retry-after']]).toEqual([path, 503, expect.stringMatching(/^\d+$/)]);
      expect(json).toEqual({ error: expect.any(String) });
    }
    const refusingAt = performance.now();
    await sleep(2000);
    const away = load.since(refusingAt);
    expect(away.length).toBeGreaterThan(20);
    expect(late(away, DEADLINE_MS)).toEqual([]);
    await mongo.restart();
    await eventually('it is ready again', 30, async () => ((await readiness()).status === 200 ? true : null));
    attempts.push(...(await load.stop()));

    const refused = attempts
      .filter(({ status }) => status !== 200)
      .map(({ status, text }) => `${String(status)} ${text}`);
    expect(refused.slice(0, 5)).toEqual([]);
    expect((await settled(instance, session, attempts)).problems).toEqual([]);
  }, 120_000);

  it.each(['killed and started again', 'emptied'] as const)(
    'Redis, %s: nothing is judged until limits and freezes are restored, and they are exact',
    async (how) => {
      const { instance, session, redis } = own();
      const [spender = '', frozen = '', ...others] = await newAgents(instance, session, 4);
      const profile = await instance.request('PATCH', `/v1/agents/${spender}/profile`, {
        headers: session,
        body: { spending_limit: LIMIT },
      });
      expect(profile.status).toBe(200);
      const freeze = await instance.request('POST', `/v1/agents/${frozen}/freeze`, { headers: session, body: {} });
      expect(freeze.status).toBe(200);

      const spending = { type: 'http_call', estimatedCost: COST };
      const name = `redis-${how.slice(0, 3)}`;
      const loads = [
        new SteadyLoad(instance, { name, perSecond: 60, agentIds: [frozen, ...others] }),
        new SteadyLoad(instance, { name: `${name}-spend`, perSecond: 80, agentIds: [spender], action: spending }),
      ] as const;
      // The limit is passed after the fault.
      await sleep(2000);
      const goneAt = performance.now();
      if (how === 'emptied') {
        await ask(Number(new URL(redis.url).port), Buffer.from('FLUSHALL\r\n'));
      } else {
        await redis.kill();
        await sleep(1500);
        expect(loads[0].since(goneAt + 100).map(({ status }) => status)).not.toContain(200);
        await redis.restart();
      }
      await loads[0].until(503, 5).catch(() => undefined);
      await loads[0].until(200, 20);
      await sleep(6000);
      const [called = [], spent = []] = await Promise.all(loads.map((load) => load.stop()));
      attempts.push(...called, ...spent);

      expect(statuses(called)[503]).toBeGreaterThan(0);
      expect(wrongRefusals(attempts)).toEqual([]);
      expect(late([...called, ...spent], DEADLINE_MS)).toEqual([]);
      expect(Object.keys(statuses(called.filter(({ agentId }) => agentId === frozen))).sort()).toEqual(['403', '503']);
      const { listed, problems } = await settled(instance, session, attempts);
      expect(problems).toEqual([]);

      const ofSpender = listed.filter(({ agentId, type }) => agentId === spender && type === 'action.checked');
      const allowed = ofSpender.filter((event) => event.allowed === true).length;
      expect(ofSpender.length).toBeGreaterThan(allowed);
      expect(allowed * COST).toBe(LIMIT);
      const counted = listed.filter(({ type, outcome }) => type === 'action.checked' && outcome !== 'frozen').length;
      await eventually('the total of the account is that of the list', 30, async () => {
        const { json } = await instance.request('GET', '/v1/account', { headers: session });
        return (json as { actionsUsed: number }).actionsUsed === counted ? true : null;
      });
    },
    120_000,
  );

  it('leaves everything consistent', async () => {
    const { instance } = own();
    expect((await instance.stop()).code).toBe(0);
    await fsckClean(instance.installation);
  }, 90_000);
});
