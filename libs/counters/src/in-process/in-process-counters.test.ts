import { MessageChannel } from 'node:worker_threads';
import { countersModelContract } from '../counters-model.contract.js';
import { CLAIM_BOUNDS, RULE_BOUNDS } from '../port.js';
import type { Counters } from '../port.js';
import { countersContract, tripOf } from '../counters.contract.js';
import { InProcessCounters } from './in-process-counters.js';
import { connectCounters, serveCounters } from './port-bridge.js';

/** Random runs of a property: all with `COUNTERSIGN_TEST_LONG=true`, a fifth of them in every run. */
const runs = (all: number): number => (process.env['COUNTERSIGN_TEST_LONG'] === 'true' ? all : all / 5);

const clockOf = (now: () => number) => ({ now, notBefore: () => undefined });

countersContract('in process', async ({ clock, claimBounds = CLAIM_BOUNDS, ruleBounds = RULE_BOUNDS }) => {
  const counters = new InProcessCounters({ clock: clockOf(clock), claimBounds, ruleBounds });
  return { counters, another: async () => counters, cleanup: () => counters.close() };
});

countersContract(
  'in process, through a port',
  async ({ clock, claimBounds = CLAIM_BOUNDS, ruleBounds = RULE_BOUNDS }) => {
    const served = new InProcessCounters({ clock: clockOf(clock), claimBounds, ruleBounds });
    const connected: Counters[] = [];
    const another = async () => {
      const { port1, port2 } = new MessageChannel();
      serveCounters(served, port1);
      const counters = connectCounters(port2);
      connected.push(counters);
      await counters.now();
      return counters;
    };
    const counters = await another();
    return { counters, another, cleanup: async () => void (await Promise.all(connected.map((one) => one.close()))) };
  },
);

countersModelContract(
  'in process',
  async ({ clock }) => {
    const counters = new InProcessCounters({ clock: clockOf(clock) });
    return { counters, another: async () => counters, cleanup: () => counters.close() };
  },
  runs(2_000),
);

describe('in-process counters', () => {
  it('use a clock that does not fall behind what they are rebuilt from', async () => {
    const ahead = Date.now() + 3_600_000;
    const counters = new InProcessCounters();
    const answer = { status: 200, body: '{}', eventId: 'e', coverage: null };
    await counters.restore({
      accounts: [],
      agents: [],
      claims: [{ accountId: 'a', keySha256: 'k', bodySha256: 'b', occurredAtMs: ahead, profileVersion: 1, answer }],
      versions: [],
    });
    expect(await counters.now()).toBeGreaterThanOrEqual(ahead);
  });

  it('cost little: 100,000 checks with spending and a full rate window', async () => {
    const counters = new InProcessCounters();
    await counters.serve();
    const trip = tripOf({
      costMicros: 1,
      spending: { limitMicros: 1e12, window: 'day' },
      rate: { max: 1000, per_seconds: 1 },
      observe: true,
    });
    for (let n = 0; n < 20_000; n++) counters.checkNow(trip);
    const begun = performance.now();
    for (let n = 0; n < 100_000; n++) counters.checkNow(trip);
    const micros = ((performance.now() - begun) * 1000) / 100_000;
    expect(micros).toBeLessThan(50);
  });
});

describe('counters through a port', () => {
  it('are unavailable once the other end is closed', async () => {
    const { port1, port2 } = new MessageChannel();
    const counters = new InProcessCounters();
    serveCounters(counters, port1);
    const connected = connectCounters(port2);
    await connected.serve();
    expect(connected.unavailable()).toBeNull();
    await counters.restore({ accounts: [], agents: [], claims: [], versions: [] });
    await connected.now();
    expect(connected.unavailable()).toContain('rebuilt');
    port1.close();
    await new Promise((resolve) => port2.once('close', resolve));
    expect(connected.unavailable()).not.toBeNull();
    expect((await connected.check(tripOf())).kind).toBe('unavailable');
    await expect(connected.now()).rejects.toMatchObject({ name: 'CountersUnavailable' });
  });
});
