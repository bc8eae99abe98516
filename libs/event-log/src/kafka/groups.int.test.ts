import { setTimeout as delay } from 'node:timers/promises';
import type { ConsumeOptions, EventLog, LogBatch } from '../port.js';
import { TEST_BROKERS } from './brokers.test-kit.js';
import { kafkaGroupMembers } from './group-members.js';
import { dropTopics, newPrefix, openTestLog, withAdmin } from './kafka.test-kit.js';

const TOPIC = 'agent-events';
const PARTITIONS = 12;

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 25_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await delay(10);
  }
}

/** Shared by several instances of a service: effects and positions, saved together. */
class Store {
  readonly positions = new Map<number, number>();
  readonly values: string[] = [];
  readonly #running = new Set<number>();
  overlaps = 0;
  gaps = 0;

  async save({ partition, records }: LogBatch, takesMs: number): Promise<void> {
    if (this.#running.has(partition)) this.overlaps++;
    this.#running.add(partition);
    await delay(takesMs);
    const expected = this.positions.get(partition) ?? 0;
    if (records[0]?.offset !== expected) this.gaps++;
    this.values.push(...records.map(({ value }) => Buffer.from(value).toString()));
    this.positions.set(partition, (records.at(-1)?.offset ?? 0) + 1);
    this.#running.delete(partition);
  }
}

if (TEST_BROKERS === null) {
  describe.skip('Kafka groups (needs Kafka: COUNTERSIGN_TEST_KAFKA_BROKERS)', () => {
    it('is skipped', () => undefined);
  });
} else {
  const brokers = TEST_BROKERS;
  describe('Kafka groups', () => {
    const prefix = newPrefix();
    const logs: EventLog[] = [];
    let sent = 0;
    /** A log as opened by another process. */
    const another = async () => {
      const log = await openTestLog(brokers, prefix, { topics: [TOPIC] });
      logs.push(log);
      return log;
    };
    const append = (log: EventLog, count: number) =>
      log.append(Array.from({ length: count }, () => ({ topic: TOPIC, key: `agent ${sent}`, value: String(sent++) })));
    const all = () => Array.from({ length: sent }, (_, n) => n);
    const sorted = (store: Store) => store.values.map(Number).sort((a, b) => a - b);

    afterEach(async () => {
      await Promise.all(logs.splice(0).map((log) => log.close()));
    });
    afterAll(() => dropTopics(brokers, prefix));

    it('delivers each record to one member while members join and leave under load, without overlap or gap', async () => {
      const store = new Store();
      const consume = async () => {
        const log = await another();
        const options: ConsumeOptions = {
          group: 'moving',
          topics: [TOPIC],
          mode: 'shared',
          maxBatch: 20,
          position: (_topic, partition) => store.positions.get(partition) ?? null,
          handle: (batch) => store.save(batch, 15),
        };
        return log.consume(options);
      };
      const writer = await another();
      let stop = false;
      const writing = (async () => {
        while (!stop) {
          await append(writer, 40);
          await delay(20);
        }
      })();
      const members = [await consume()];
      for (let change = 0; change < 3; change++) {
        await delay(700);
        members.push(await consume());
        if (change > 0) await members.shift()?.stop();
      }
      stop = true;
      await writing;
      await until('everything is handled', () => store.values.length >= sent);
      for (const member of members) await member.caughtUp();
      const held = (): readonly number[] => members.map((member) => Object.keys(member.lag()).length);
      // The last of the moves may still be pending.
      await until('every partition is held', () => held().reduce((sum, count) => sum + count, 0) === PARTITIONS);
      expect(Math.max(...held()) - Math.min(...held())).toBeLessThanOrEqual(1);
      expect(sorted(store)).toEqual(all());
      expect(store.overlaps).toBe(0);
      expect(store.gaps).toBe(0);
      for (const member of members) await member.stop();
    }, 60_000);

    it('lists the members of a group', async () => {
      const asked = { brokers, clientId: 'asking', topicPrefix: prefix };
      expect(await kafkaGroupMembers(asked, 'asked')).toEqual([]);
      const store = new Store();
      const options: ConsumeOptions = {
        group: 'asked',
        topics: [TOPIC],
        mode: 'shared',
        position: () => null,
        handle: (batch) => store.save(batch, 0),
      };
      const members = [await (await another()).consume(options), await (await another()).consume(options)];
      const found = await kafkaGroupMembers(asked, 'asked');
      expect(found.map(({ host }) => host)).toEqual(['127.0.0.1', '127.0.0.1']);
      expect(await kafkaGroupMembers(asked, 'another')).toEqual([]);
      for (const member of members) await member.stop();
      expect(await kafkaGroupMembers(asked, 'asked')).toEqual([]);
    }, 60_000);

    it("follows the store's position, whatever the group has committed or lost", async () => {
      const log = await another();
      await append(log, 30);
      const store = new Store();
      const consume = (group: string) =>
        log.consume({
          group,
          topics: [TOPIC],
          mode: 'shared',
          position: (_topic, partition) => store.positions.get(partition) ?? null,
          handle: (batch) => store.save(batch, 0),
        });
      const first = await consume('positions');
      await first.caughtUp();
      await first.stop();
      expect(sorted(store)).toEqual(all());
      const committed = await withAdmin(brokers, (admin) => admin.fetchOffsets({ groupId: `${prefix}positions` }));
      const offsets = committed.flatMap(({ partitions }) => partitions.map(({ offset }) => Number(offset)));
      expect(offsets.reduce((sum, offset) => sum + Math.max(0, offset), 0)).toBe(sent);
      await withAdmin(brokers, (admin) => admin.deleteGroups([`${prefix}positions`]));
      await append(log, 10);
      const second = await consume('positions');
      await second.caughtUp();
      await second.stop();
      expect(sorted(store)).toEqual(all());
      expect(store.gaps).toBe(0);
      store.positions.clear();
      store.values.length = 0;
      const replay = await consume('positions');
      await replay.caughtUp();
      await replay.stop();
      expect(sorted(store)).toEqual(all());
    }, 60_000);

    it('keeps its membership while a handler takes longer than the heartbeats, and lets other partitions continue', async () => {
      const log = await another();
      let blocked: LogBatch | null = null;
      let others = 0;
      let free: () => void = () => undefined;
      const consumption = await log.consume({
        group: 'slow',
        topics: [TOPIC],
        mode: 'shared',
        position: () => null,
        handle: async (batch) => {
          if (blocked === null) {
            blocked = batch;
            await new Promise<void>((resolve) => (free = resolve));
          } else others += batch.records.length;
        },
      });
      await append(log, 24);
      await until('another partition is handled', () => blocked !== null && others > 0);
      await delay(11_000);
      expect(consumption.stalled()).toBeNull();
      expect(Object.keys(consumption.lag())).toHaveLength(PARTITIONS);
      free();
      await consumption.caughtUp();
      await consumption.stop();
    }, 60_000);

    it('leaves no group behind in mode everyone', async () => {
      const log = await another();
      const consumption = await log.consume({
        group: 'projection',
        topics: [TOPIC],
        mode: 'everyone',
        position: () => null,
        handle: () => undefined,
      });
      await consumption.caughtUp();
      const { groups } = await withAdmin(brokers, (admin) => admin.listGroups());
      expect(groups.filter(({ groupId }) => groupId.includes('projection') && groupId.startsWith(prefix))).toEqual([]);
      await consumption.stop();
    });
  });
}
