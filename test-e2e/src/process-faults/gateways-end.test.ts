import { setTimeout as sleep } from 'node:timers/promises';
import { fsckClean } from '../instance/fsck.js';
import type { Asked } from '../instance/instance.js';
import { statuses, SteadyLoad, stopLoads } from '../server-faults/steady-load.js';
import type { Topology } from '../topology/topology.js';
import { isRecorded } from '../torture/load.js';
import { FaultyTopology, onTopology } from './faulty-topology.js';

/** Callers with a new connection for each request, in addition to those with persistent ones. */
function withoutKeeping(topology: Topology): Asked {
  const { bootstrap } = topology;
  return {
    bootstrap,
    request: (method, path, options) => topology.request(method, path, options),
    check: (action, more = {}) =>
      topology.check(action, { ...more, headers: { connection: 'close', ...more.headers } }),
  };
}

onTopology('two gateways behind the edge that end under load', () => {
  let faulty: FaultyTopology;
  beforeAll(async () => {
    faulty = await FaultyTopology.start({
      instances: { gateway: 2, reporting: 0, verification: 0 },
      together: ['identity', 'policy', 'audit-log', 'anchoring'],
    });
  }, 300_000);
  afterAll(async () => {
    await stopLoads();
    await faulty?.discard();
  }, 60_000);

  it('restarted one after the other: no request fails, and each is recorded once', async () => {
    const { topology, agentIds } = faulty;
    const loads = [
      new SteadyLoad(topology, { name: 'kept', perSecond: 30, agentIds }),
      new SteadyLoad(withoutKeeping(topology), { name: 'fresh', perSecond: 15, agentIds }),
    ];
    await sleep(500);
    for (const gateway of topology.of('gateway')) {
      expect(await gateway.stop()).toEqual({ code: 0, signal: null });
      gateway.start();
      // The next one ends at the same moment: this one must be in use by then.
      await gateway.ready();
    }
    await sleep(500);
    const attempts = (await Promise.all(loads.map((load) => faulty.end(load)))).flat();
    expect(statuses(attempts)).toEqual({ 200: attempts.length });
    expect(attempts.length).toBeGreaterThan(400);
    await faulty.whole();
  }, 180_000);

  it('killed one after the other: answered checks are recorded once, and the other one continues', async () => {
    const { topology, agentIds } = faulty;
    const load = new SteadyLoad(topology, { name: 'killed', perSecond: 40, agentIds });
    for (const gateway of topology.of('gateway')) {
      await sleep(500 + Math.random() * 500);
      await gateway.kill();
      await load.until(200, 30);
      gateway.start();
      await gateway.ready();
      await edgeUsesAgain();
    }
    const attempts = await faulty.end(load, isRecorded);
    const refused = attempts.filter(({ status }) => status !== 200);
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set(refused.length === 0 ? [] : [503]));
    // Only those in flight in the killed process.
    expect(refused.length).toBeLessThan(attempts.length / 4);
    await faulty.whole();
  }, 180_000);

  it('and all of them end in order', async () => {
    const ends = await faulty.topology.stop();
    expect(ends.filter(({ code }) => code !== 0)).toEqual([]);
    await fsckClean(faulty.installation);
  }, 60_000);
});

/** Longer than the edge avoids an instance that refused a connection: a killed one does not drain. */
function edgeUsesAgain(): Promise<void> {
  return sleep(2500);
}
