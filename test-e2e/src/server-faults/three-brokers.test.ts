import { coordinatorOf, makeTopics, partitionStates, type PartitionState } from '#infra/cluster-admin.js';
import { CLUSTER_SESSION_MS, type ClusterBroker } from '#infra/processes/kafka-cluster.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { fsckClean } from '../instance/fsck.js';
import { Instance } from '../instance/instance.js';
import { eventually } from '../instance/request.js';
import { isRecorded } from '../torture/load.js';
import { ENOUGH_TO_GROW, growthMiB, residentFor } from './memory.js';
import { onOwnCluster } from './own-servers.js';
import { Pulse } from './pulse.js';
import { statuses, SteadyLoad, type TimedAttempt } from './steady-load.js';
import { late, settled, wrongRefusals } from './whole.js';

/** Also met by a busy test machine. */
const DEADLINE_MS = 3000;
const AGENTS = 18;
const AWAY_MS = 16_000;
const MAX_GROWTH_MIB = 48;
/** After a change of leaders: metadata every 2 s, a silent connection is dropped after 5 s. */
const FOLLOWS_WITHIN_MS = 7000;
/** Additional time for a machine that starts a broker meanwhile. */
const BUSY_MS = 10_000;

const env = () => ({ COUNTERSIGN_CHECK_DEADLINE_MS: String(DEADLINE_MS) });

onOwnCluster('three brokers under load', { env, agents: AGENTS, controllers: 'apart' }, (own) => {
  const attempts: TimedAttempt[] = [];
  let pulse: Pulse;
  beforeEach(async () => {
    pulse = new Pulse(own().instance);
    // Cleans up after a failed test.
    const { brokers, controller } = own().kafka;
    if (controller?.process.runs === false) await controller.restart();
    for (const one of brokers) {
      if (one.process.runs) one.process.resume();
      else await one.restart();
    }
  }, 120_000);
  afterEach(() => pulse.stop());

  const prefix = (): string => own().instance.installation.env['COUNTERSIGN_KAFKA_TOPIC_PREFIX'] ?? '';
  const partitions = (): Promise<readonly PartitionState[]> =>
    partitionStates(own().kafka.addresses, `${prefix()}agent-events`);
  const broker = (id: number): ClusterBroker => own().kafka.brokers.find((one) => one.id === id)!;
  const load = (name: string): SteadyLoad => {
    const { instance, agentIds } = own();
    return new SteadyLoad(instance, { name, perSecond: 30, agentIds });
  };
  /** Time until the checks of each agent, and so of each partition, are answered 200 again. */
  const allWork = async (running: SteadyLoad): Promise<number> => {
    const from = performance.now();
    await eventually('the checks of every agent are answered', 60, async () => {
      const fine = new Set(running.since(from).flatMap((one) => (one.status === 200 ? [one.agentId] : [])));
      return own().agentIds.every((id) => fine.has(id)) ? true : null;
    });
    return performance.now() - from;
  };
  const ended = async (running: SteadyLoad): Promise<readonly TimedAttempt[]> => {
    const sent = await running.stop();
    attempts.push(...sent);
    expect(Object.keys(statuses(sent)).filter((status) => status !== '200' && status !== '503')).toEqual([]);
    expect(wrongRefusals(sent)).toEqual([]);
    expect(late(pulse.without(sent), DEADLINE_MS)).toEqual([]);
    return sent;
  };
  const allInSync = (): Promise<true> =>
    eventually('all copies are in sync', 60, async () => {
      const states = await partitions().catch(() => []);
      return states.length > 0 && states.every(({ inSync }) => inSync.length === 3) ? true : null;
    });

  it('keeps three copies of everything, two of them in sync, led by all three', async () => {
    const states = await partitions();
    expect(states.length).toBe(12);
    expect(states.filter(({ inSync }) => inSync.length !== 3)).toEqual([]);
    expect(new Set(states.map(({ leader }) => leader))).toEqual(new Set([1, 2, 3]));
    // A newly started process compiles its code: that time is excluded.
    const warm = load('warm');
    await allWork(warm);
    attempts.push(...(await warm.stop()));
  }, 90_000);

  it('the broker that coordinates the consumers, and leads partitions, is killed: others take over', async () => {
    const { instance, session } = own();
    const id = await coordinatorOf(own().kafka.addresses, `${prefix()}audit-log`);
    const led = (await partitions()).filter(({ leader }) => leader === id).map(({ partition }) => partition);
    expect(led.length).toBeGreaterThan(0);
    const running = load('killed');
    await allWork(running);
    await broker(id).kill();
    const worksAfterMs = await allWork(running);
    expect(worksAfterMs).toBeLessThan(CLUSTER_SESSION_MS + FOLLOWS_WITHIN_MS + BUSY_MS);
    const states = await partitions();
    expect(states.filter(({ leader }) => leader === id || leader === -1)).toEqual([]);
    expect(await coordinatorOf(own().kafka.addresses, `${prefix()}audit-log`)).not.toBe(id);
    // Enough to compare, however fast this machine answers.
    await eventually('100 checks are recorded', 60, async () =>
      [...attempts, ...running.attempts].filter(isRecorded).length > 100 ? true : null,
    );
    // Listed while the broker is down: the consumers continue with another coordinator.
    await ended(running);
    expect((await settled(instance, session, attempts)).problems).toEqual([]);

    const back = load('back');
    await broker(id).restart();
    await allInSync();
    await eventually('it leads its partitions again', 60, async () => {
      const again = await partitions();
      return again.every(({ leader, preferred }) => leader === preferred) ? true : null;
    });
    await allWork(back);
    await ended(back);
  }, 180_000);

  it('a frozen broker: the others continue without it, and it returns', async () => {
    const [{ leader } = { leader: 1 }] = await partitions();
    const running = load('frozen');
    await allWork(running);
    broker(leader).process.pause();
    const worksAfterMs = await allWork(running);
    broker(leader).process.resume();
    expect(worksAfterMs).toBeLessThan(CLUSTER_SESSION_MS + FOLLOWS_WITHIN_MS + BUSY_MS);
    await allInSync();
    await allWork(running);
    await ended(running);
  }, 180_000);

  it('two of three down: nothing is allowed, memory stays flat, and it recovers by itself', async () => {
    const { instance, agentIds } = own();
    const running = load('two-gone');
    await allWork(running);
    const gone = [broker(2), broker(3)];
    await Promise.all(gone.map((one) => one.kill()));
    await eventually('one replica is left in sync', 30, async () => {
      const states = await partitionStates(broker(1).address, `${prefix()}agent-events`).catch(() => []);
      return states.length > 0 && states.every(({ inSync }) => inSync.join() === '1') ? true : null;
    });
    // Buffering the refused checks would take 96 MB.
    const action = { type: 'http_call', metadata: { filler: 'x'.repeat(60_000) } };
    const heavy = new SteadyLoad(instance, { name: 'heavy', perSecond: 100, agentIds, action });
    const resident = await residentFor(instance.pid, AWAY_MS, ENOUGH_TO_GROW);
    const refused = await ended(heavy);
    expect(Object.keys(statuses(refused))).toEqual(['503']);
    expect(refused.length).toBeGreaterThan(500);
    expect(growthMiB(resident)).toBeLessThan(MAX_GROWTH_MIB);
    await gone[0]!.restart();
    expect(await allWork(running)).toBeLessThan(CLUSTER_SESSION_MS + FOLLOWS_WITHIN_MS + BUSY_MS);
    await gone[1]!.restart();
    await allInSync();
    await allWork(running);
    await ended(running);
  }, 180_000);

  it('no controller is left: brokers go on with what they lead; what one more takes along comes back with it', async () => {
    const { instance, kafka } = own();
    const readiness = async (expected: number): Promise<void> => {
      let last: { status: number; text: string } | null = null;
      // Work delayed by earlier tests is completed first.
      await eventually(`readiness is ${expected}`, 150, async () => {
        last = await instance.request('GET', '/readyz');
        return last.status === expected ? true : null;
      }).catch((error: unknown) => {
        throw new Error(`the last answer was ${last?.text}`, { cause: error });
      });
    };
    const running = load('no-controller');
    await allWork(running);
    await kafka.controller!.kill();
    await sleep(CLUSTER_SESSION_MS);
    await allWork(running);
    await readiness(200);
    const [{ leader } = { leader: 1 }] = await partitions();
    await broker(leader).kill();
    // No controller can remove a replica from the lists: writes that need all of them wait for the missing one.
    const withoutBroker = performance.now() + 2 * DEADLINE_MS;
    await eventually('checks are refused', 30, async () => (running.since(withoutBroker).length > 30 ? true : null));
    expect(Object.keys(statuses(running.since(withoutBroker)))).toEqual(['503']);
    await readiness(503);
    await kafka.controller!.restart();
    expect(await allWork(running)).toBeLessThan(CLUSTER_SESSION_MS + FOLLOWS_WITHIN_MS + BUSY_MS);
    await broker(leader).restart();
    await allInSync();
    await readiness(200);
    await allWork(running);
    await ended(running);
  }, 360_000);

  it('leaves everything answered once, and consistent', async () => {
    const { instance, session } = own();
    expect((await settled(instance, session, attempts)).problems).toEqual([]);
    expect((await instance.stop()).code).toBe(0);
    await fsckClean(instance.installation);
  }, 120_000);

  it('refuses to start on topics with weaker settings, and names them', async () => {
    const installation = await own().newInstallation();
    const { COUNTERSIGN_KAFKA_TOPIC_PREFIX: name = '' } = installation.env;
    const inSync = { 'min.insync.replicas': '2' };
    await makeTopics(own().kafka.addresses, [
      { topic: `${name}agents`, partitions: 1, copies: 1, settings: inSync },
      { topic: `${name}anchors`, partitions: 1, copies: 3, settings: { 'min.insync.replicas': '1' } },
      {
        ...{ topic: `${name}reports`, partitions: 1, copies: 3 },
        settings: { ...inSync, 'unclean.leader.election.enable': 'true' },
      },
    ]);
    const refused = await Instance.startOn(installation, { wait: false });
    expect((await refused.ended).code).not.toBe(0);
    for (const reason of [
      new RegExp(`replication factor is 1, needed is 3 \\([^)]*\\): ${name}agents\\b`),
      new RegExp(`min.insync.replicas is 1, needed is 2 \\([^)]*\\): ${name}anchors\\b`),
      new RegExp(`unclean.leader.election.enable is true, needed is false: ${name}reports\\b`),
    ]) {
      expect(refused.output).toMatch(reason);
    }
  }, 60_000);
});
