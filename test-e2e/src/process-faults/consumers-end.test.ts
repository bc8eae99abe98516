import { createHash } from 'node:crypto';
import { readTopic, writeForeign } from '#infra/foreign-client.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { fsckClean } from '../instance/fsck.js';
import { statuses, SteadyLoad, stopLoads } from '../server-faults/steady-load.js';
import { allAnchored } from '../reliability/anchors.js';
import { directly, FaultyTopology, MANY_AGENTS, metric, onTopology, sharedAmong } from './faulty-topology.js';

const DEEP = `${'['.repeat(5000)}${']'.repeat(5000)}`;

/** Values that are not events; `null`: a record without a value. */
const POISON: readonly (string | Buffer | null)[] = [
  'no JSON',
  '{"v":1}',
  '{"v":2,"leaf":{}}',
  DEEP,
  JSON.stringify({ v: 1, text: 'x'.repeat(2 * 1024 * 1024) }),
  '{"v":1,"v":1}',
  Buffer.from([0xff, 0xfe, 0x00, 0x80]),
  '',
  null,
];

interface DeadLetter {
  readonly consumer: string;
  readonly partition: number;
  readonly offset: number;
  /** Of the message. */
  readonly sha256: string;
}

const SHARED_WITHIN_S = 60;

onTopology('consumers of the archive that end under load', () => {
  let faulty: FaultyTopology;
  const load = (name: string): SteadyLoad =>
    new SteadyLoad(faulty.topology, { name, perSecond: 15, agentIds: faulty.agentIds });

  beforeAll(async () => {
    faulty = await FaultyTopology.start({
      instances: { 'audit-log': 3, reporting: 0, verification: 0 },
      together: ['identity', 'policy', 'anchoring'],
      agents: MANY_AGENTS,
    });
  }, 300_000);
  afterAll(async () => {
    await stopLoads();
    await faulty?.discard();
  }, 60_000);

  it('killed one after the other: nothing is skipped or duplicated', async () => {
    const checks = load('killed');
    const archives = faulty.topology.of('audit-log');
    for (const archive of archives) {
      await sleep(300 + Math.random() * 500);
      await archive.kill();
      archive.start();
    }
    await faulty.topology.ready();
    const attempts = await faulty.end(checks);
    expect(statuses(attempts)).toEqual({ 200: attempts.length });
    await sharedAmong(archives, SHARED_WITHIN_S);
    await faulty.whole();
  }, 120_000);

  it('frozen beyond the session timeout of its group: its partitions move, and its late writes have no effect', async () => {
    const [frozen, ...others] = faulty.topology.of('audit-log');
    const checks = load('moved');
    await sleep(500);
    process.kill(frozen!.pid!, 'SIGSTOP');
    try {
      await sharedAmong(others, SHARED_WITHIN_S);
      await faulty.end(checks);
      await faulty.whole(directly(faulty.topology, others[0]!));
    } finally {
      process.kill(frozen!.pid!, 'SIGCONT');
    }
    const after = load('thawed');
    await sharedAmong([frozen!, ...others], SHARED_WITHIN_S);
    await faulty.end(after);
    await faulty.whole();
  }, 120_000);

  it('given invalid events: they are dead-lettered with their coordinates and counted, and every partition continues', async () => {
    const { KAFKA_BROKERS = '', COUNTERSIGN_KAFKA_TOPIC_PREFIX: prefix = '' } = faulty.installation.env;
    const checks = load('poisoned');
    const records = POISON.map((value, partition) => ({
      key: partition % 2 === 0 ? null : 'foreign',
      value,
      partition,
    }));
    const offsets = await writeForeign(KAFKA_BROKERS, `${prefix}agent-events`, records);
    const expected = offsets.map((offset, partition) => `agent-events/${partition}/${offset}`).sort();
    await faulty.end(checks);
    await faulty.whole();

    const archives = faulty.topology.of('audit-log');
    const counted = await Promise.all(archives.map((archive) => metric(archive, 'countersign_dead_letters_total')));
    const sum = counted.flatMap((values) => [...values.values()]).reduce((total, value) => total + value, 0);
    expect(sum).toBe(POISON.length);
    const letters = await readTopic(KAFKA_BROKERS, `${prefix}dead-letters`);
    const deadLetters = letters.map(({ key, value }) => ({ key, ...(JSON.parse(value) as DeadLetter) }));
    const consumers = new Set(deadLetters.map(({ consumer }) => consumer));
    expect(consumers).toContain('audit-log');
    for (const consumer of consumers) {
      const keys = deadLetters.filter((letter) => letter.consumer === consumer).map(({ key }) => key);
      expect(keys.sort()).toEqual(expected);
    }
    for (const { key, ...letter } of deadLetters) {
      expect(key).toBe(`agent-events/${letter.partition}/${letter.offset}`);
      const original = POISON[letter.partition] ?? '';
      expect(letter.sha256).toBe(createHash('sha256').update(original).digest('hex'));
    }
  }, 120_000);

  it('and the anchored events are the listed ones', async () => {
    await allAnchored(faulty.topology, faulty.session, 120);
    const ends = await faulty.topology.stop();
    expect(ends.filter(({ code }) => code !== 0)).toEqual([]);
    await fsckClean(faulty.installation);
  }, 180_000);
});
