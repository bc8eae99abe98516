import { setTimeout as sleep } from 'node:timers/promises';
import { readTopic } from '#infra/foreign-client.js';
import { eventually } from '../instance/request.js';
import { ChangeStorm } from './change-storm.js';
import { directly, FaultyTopology, killAndStart, onTopology } from './faulty-topology.js';

interface Versioned {
  readonly id: string;
  readonly version: number;
  readonly value: {
    readonly status?: string;
    readonly revokedAt?: string | null;
    readonly profile?: { readonly version: number };
  } | null;
}

onTopology('owners that are killed during changes', () => {
  let faulty: FaultyTopology;
  beforeAll(async () => {
    faulty = await FaultyTopology.start({
      instances: { gateway: 2, identity: 2, policy: 2, reporting: 0, verification: 0 },
      together: ['audit-log', 'anchoring'],
      agents: 8,
    });
  }, 300_000);
  afterAll(async () => faulty?.discard(), 60_000);

  it('killed one after the other: answered changes hold on each gateway at once, and are in the topics', async () => {
    const { topology, session, agentIds } = faulty;
    const gateways = topology.of('gateway').map((gateway) => directly(topology, gateway));
    const storm = new ChangeStorm(topology, session, agentIds.slice(0, 8), gateways);
    for (const owner of [...topology.of('policy'), ...topology.of('identity')]) {
      await sleep(600 + Math.random() * 600);
      await killAndStart(owner);
    }
    await storm.stop();
    expect(storm.problems).toEqual([]);
    expect(storm.answered).toBeGreaterThan(30);
    expect(await storm.stillHolds()).toEqual([]);

    const { KAFKA_BROKERS = '', COUNTERSIGN_KAFKA_TOPIC_PREFIX: prefix = '' } = faulty.installation.env;
    const newest = async (topic: string): Promise<ReadonlyMap<string, Versioned>> => {
      const records = await readTopic(KAFKA_BROKERS, `${prefix}${topic}`);
      return new Map(records.map(({ value }) => JSON.parse(value) as Versioned).map((record) => [record.id, record]));
    };
    await eventually('all changes are in the topics', 60, async () => {
      const agents = await newest('agents');
      const keys = await newest('api-keys');
      const are =
        storm.frozen.every((id) => agents.get(id)?.value?.status === 'frozen') &&
        [...storm.profiles].every(([id, version]) => (agents.get(id)?.value?.profile?.version ?? 0) >= version) &&
        storm.revoked.every((id) => typeof keys.get(id)?.value?.revokedAt === 'string');
      return are ? true : null;
    });
    await storm.unfreeze();
    await faulty.whole();
  }, 300_000);
});
