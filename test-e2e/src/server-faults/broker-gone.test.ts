import { setTimeout as sleep } from 'node:timers/promises';
import { fsckClean } from '../instance/fsck.js';
import { eventually } from '../instance/request.js';
import { isRecorded } from '../torture/load.js';
import { ENOUGH_TO_GROW, growthMiB, residentFor } from './memory.js';
import { onOwnServers } from './own-servers.js';
import { Pulse } from './pulse.js';
import { statuses, SteadyLoad } from './steady-load.js';
import { late, settled, wrongRefusals } from './whole.js';

const DEADLINE_MS = 1000;
const AWAY_MS = 20_000;
const MAX_GROWTH_MIB = 96;

const env = () => ({ COUNTERSIGN_CHECK_DEADLINE_MS: String(DEADLINE_MS) });

onOwnServers('a Kafka broker that becomes unavailable under load', { env }, (own) => {
  let pulse: Pulse;
  beforeEach(() => {
    pulse = new Pulse(own().instance);
  });
  afterEach(() => pulse.stop());

  it('killed and restarted: checks are refused meanwhile, in time, and none is lost or duplicated', async () => {
    const { instance, session, agentIds, kafka } = own();
    const load = new SteadyLoad(instance, { name: 'killed', perSecond: 100, agentIds });
    await sleep(2500);
    const killedAt = performance.now();
    await kafka.kill();
    await sleep(2500);
    const away = load.since(killedAt + 100);
    expect(Object.keys(statuses(away))).toEqual(['503']);
    expect(away.length).toBeGreaterThan(20);
    await kafka.restart();
    const backAfterMs = await load.until(200, 20);
    // Enough to compare, however fast this machine answers.
    await eventually('200 checks are recorded', 60, async () =>
      load.attempts.filter(isRecorded).length > 200 ? true : null,
    );
    await sleep(2000);
    const attempts = await load.stop();

    expect(Object.keys(statuses(attempts)).sort()).toEqual(['200', '503']);
    expect(wrongRefusals(attempts)).toEqual([]);
    expect(late(pulse.without(attempts), DEADLINE_MS)).toEqual([]);
    expect(backAfterMs).toBeLessThan(15_000);
    expect((await settled(instance, session, attempts)).problems).toEqual([]);
  }, 120_000);

  it('for long: memory stays flat, every answer comes in time, and it recovers by itself', async () => {
    const { instance, session, agentIds, kafka } = own();
    const load = new SteadyLoad(instance, { name: 'away', perSecond: 50, agentIds });
    await sleep(1000);
    await kafka.kill();
    // Buffering the refused checks would take 120 MiB.
    const heavy = new SteadyLoad(instance, {
      name: 'heavy',
      perSecond: 150,
      agentIds,
      action: { type: 'http_call', metadata: { filler: 'x'.repeat(40_000) } },
    });
    const resident = await residentFor(instance.pid, AWAY_MS, ENOUGH_TO_GROW);
    const refused = await heavy.stop();
    await kafka.restart();
    const backAfterMs = await load.until(200, 20);
    await sleep(1000);
    const attempts = [...(await load.stop()), ...refused];

    expect(growthMiB(resident)).toBeLessThan(MAX_GROWTH_MIB);
    expect(Object.keys(statuses(refused))).toEqual(['503']);
    expect(refused.length).toBeGreaterThan(1500);
    expect(wrongRefusals(attempts)).toEqual([]);
    expect(late(pulse.without(attempts), DEADLINE_MS)).toEqual([]);
    expect(backAfterMs).toBeLessThan(15_000);
    expect((await settled(instance, session, attempts)).problems).toEqual([]);
  }, 150_000);

  it('leaves everything consistent', async () => {
    const { instance } = own();
    await pulse.stop();
    expect((await instance.stop()).code).toBe(0);
    await fsckClean(instance.installation);
  }, 90_000);
});
