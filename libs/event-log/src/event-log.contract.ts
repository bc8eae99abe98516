import type { TopicName } from '@countersign/contracts';
import { LogDamaged, LogRefused, MAX_KEY_BYTES, MAX_VALUE_BYTES, requireKept } from './port.js';
import type { Appended, ConsumeOptions, EventLog, LogBatch, LogRecord, NewRecord } from './port.js';

/** One log for one test. */
export interface ContractLog {
  readonly log: EventLog;
  /** Closes the open log and opens the same data again. */
  reopen(): Promise<EventLog>;
  /** Runs compaction to its end; a reason where that is not possible. */
  readonly compact: (() => Promise<void>) | { readonly skip: string };
  /** Lets all records of time-retained topics expire and be deleted; a reason where that is not possible. */
  readonly expireAll: (() => Promise<void>) | { readonly skip: string };
  /** Closes what is open and deletes what was stored. */
  cleanup(): Promise<void>;
}

const TIMED: TopicName = 'agent-events';
const COMPACTED: TopicName = 'agents';

const record = (key: string, value: string, topic: TopicName = TIMED): NewRecord => ({ topic, key, value });
const textOf = (read: LogRecord) => new TextDecoder().decode(read.value);

async function readAll(log: EventLog, topic: TopicName): Promise<LogRecord[]> {
  const all: LogRecord[] = [];
  for (let partition = 0; partition < (await log.partitions(topic)); partition++) {
    let next = (await log.beginOffsets(topic))[partition] ?? 0;
    for (;;) {
      const records = await log.read(topic, partition, next, 100);
      const last = records.at(-1);
      if (last === undefined) break;
      all.push(...records);
      next = last.offset + 1;
    }
  }
  return all;
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('timed out after 15 s');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The contract of every event log: the sentences of `port.ts` as tests. */
export function eventLogContract(name: string, open: () => Promise<ContractLog>): void {
  describe(`event log: ${name}`, () => {
    let opened: ContractLog;
    let log: EventLog;
    beforeEach(async () => {
      opened = await open();
      log = opened.log;
    });
    afterEach(() => opened.cleanup());

    /** Consumes one topic from its beginning and collects the values. */
    async function collect(options: Partial<ConsumeOptions> = {}) {
      const values: string[] = [];
      const consumption = await log.consume({
        group: 'collector',
        topics: [TIMED],
        mode: 'everyone',
        position: () => null,
        handle: (batch) => void values.push(...batch.records.map(textOf)),
        ...options,
      });
      return { values, consumption };
    }

    describe('append', () => {
      it('gives each record its partition and offset and keeps key, value and time', async () => {
        const before = Date.now() - 5000;
        const [first] = await log.append([record('k', '{"n":"Grüße 🎉"}')]);
        const [read] = await log.read(TIMED, first?.partition ?? 0, first?.offset ?? 0, 1);
        expect(read).toMatchObject({ topic: TIMED, partition: first?.partition, offset: first?.offset, key: 'k' });
        expect(read && textOf(read)).toBe('{"n":"Grüße 🎉"}');
        expect(read?.appendedAtMs).toBeGreaterThan(before);
        expect(read?.appendedAtMs).toBeLessThan(Date.now() + 5000);
      });

      it('keeps the order of a key within a call and across calls that were not awaited', async () => {
        const calls: Promise<readonly Appended[]>[] = [];
        for (let call = 0; call < 100; call++) {
          calls.push(log.append([0, 1, 2].map((part) => record(`key ${part % 2}`, `${call * 3 + part}`))));
        }
        await Promise.all(calls);
        const all = await readAll(log, TIMED);
        for (const key of ['key 0', 'key 1']) {
          const numbers = all.filter((read) => read.key === key).map((read) => Number(textOf(read)));
          expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
          expect(numbers).toHaveLength(key === 'key 0' ? 200 : 100);
        }
      });

      it('puts all records of a key into one partition, at strictly increasing offsets', async () => {
        const appended = (
          await Promise.all(Array.from({ length: 50 }, (_, n) => log.append([record('same', String(n))])))
        ).flat();
        expect(new Set(appended.map(({ partition }) => partition)).size).toBe(1);
        const offsets = appended.map(({ offset }) => offset);
        expect(offsets).toEqual([...new Set(offsets)].sort((a, b) => a - b));
      });

      it('takes several topics in one call and answers in the order of the records', async () => {
        const appended = await log.append([record('a', '1'), record('b', '2', COMPACTED), record('a', '3')]);
        const read = await Promise.all(
          appended.map(({ partition, offset }, index) =>
            log.read(index === 1 ? COMPACTED : TIMED, partition, offset, 1),
          ),
        );
        expect(read.map(([one]) => one && textOf(one))).toEqual(['1', '2', '3']);
      });

      it('has everything that it acknowledged after it is reopened', async () => {
        await Promise.all(Array.from({ length: 300 }, (_, n) => log.append([record(`k${n % 7}`, String(n))])));
        log = await opened.reopen();
        const numbers = (await readAll(log, TIMED)).map((read) => Number(textOf(read))).sort((a, b) => a - b);
        expect(numbers).toEqual(Array.from({ length: 300 }, (_, n) => n));
        const [next] = await log.append([record('k0', 'next')]);
        expect((await log.read(TIMED, next?.partition ?? 0, next?.offset ?? 0, 10)).map(textOf)).toEqual(['next']);
      });

      it('appends nothing for an empty call', async () => {
        await expect(log.append([])).resolves.toEqual([]);
      });

      it('accepts a value of the maximum size and refuses a longer one, a longer key and an empty key', async () => {
        const [big] = await log.append([record('k', 'x'.repeat(MAX_VALUE_BYTES))]);
        const [read] = await log.read(TIMED, big?.partition ?? 0, big?.offset ?? 0, 1);
        expect(read?.value.byteLength).toBe(MAX_VALUE_BYTES);
        await expect(log.append([record('k', 'x'.repeat(MAX_VALUE_BYTES + 1))])).rejects.toThrow(LogRefused);
        await expect(log.append([record('k', 'ü'.repeat(MAX_VALUE_BYTES / 2 + 1))])).rejects.toThrow(LogRefused);
        await expect(log.append([record('k'.repeat(MAX_KEY_BYTES + 1), '1')])).rejects.toThrow(LogRefused);
        await expect(log.append([record('', '1')])).rejects.toThrow(LogRefused);
        expect(log.refusing()).toBeNull();
      });

      it('appends nothing of a call that it refuses', async () => {
        const mixed = [record('k', 'good'), record('', 'no key'), record('k', 'good as well', COMPACTED)];
        await expect(log.append(mixed)).rejects.toThrow(LogRefused);
        expect([...(await readAll(log, TIMED)), ...(await readAll(log, COMPACTED))]).toEqual([]);
      });

      it('refuses instead of buffering without bound, keeps what it accepted and accepts again', async () => {
        const value = 'y'.repeat(MAX_VALUE_BYTES);
        const calls = await Promise.allSettled(
          Array.from({ length: 60 }, (_, n) => log.append([record(`k${n}`, value)])),
        );
        const refused = calls.filter((call) => call.status === 'rejected');
        expect(refused.length).toBeGreaterThan(0);
        for (const call of refused) expect(call.reason).toBeInstanceOf(LogRefused);
        expect(await readAll(log, TIMED)).toHaveLength(60 - refused.length);
        await expect(log.append([record('k', 'small')])).resolves.toHaveLength(1);
        expect(log.refusing()).toBeNull();
      });

      it('answers pending calls when it closes, and refuses afterwards', async () => {
        const underWay = log.append([record('k', 'last')]);
        await log.close();
        await expect(underWay).resolves.toHaveLength(1);
        await expect(log.append([record('k', 'late')])).rejects.toThrow(LogRefused);
        expect(log.refusing()).not.toBeNull();
        log = await opened.reopen();
        expect((await readAll(log, TIMED)).map(textOf)).toEqual(['last']);
      });
    });

    describe('read', () => {
      it('reads records from an offset, at most as many as requested, none past the end', async () => {
        const appended = await log.append(Array.from({ length: 20 }, (_, n) => record('k', String(n))));
        const partition = appended[0]?.partition ?? 0;
        const fifth = appended[5]?.offset ?? 0;
        expect((await log.read(TIMED, partition, fifth, 3)).map(textOf)).toEqual(['5', '6', '7']);
        const end = (await log.endOffsets(TIMED))[partition] ?? -1;
        expect(end).toBe((appended.at(-1)?.offset ?? 0) + 1);
        expect(await log.read(TIMED, partition, end, 3)).toEqual([]);
      });

      it('stops near 8 MiB, but always returns at least one record', async () => {
        const value = 'z'.repeat(MAX_VALUE_BYTES);
        let partition = 0;
        for (let n = 0; n < 4; n++) partition = (await log.append([record('k', value)]))[0]?.partition ?? 0;
        const begin = (await log.beginOffsets(TIMED))[partition] ?? 0;
        const records = await log.read(TIMED, partition, begin, 1000);
        expect(records.length).toBeGreaterThan(0);
        expect(records.length).toBeLessThan(4);
      });

      it('knows beginning and end of every partition of an empty topic', async () => {
        const count = await log.partitions(TIMED);
        for (let partition = 0; partition < count; partition++) {
          expect((await log.beginOffsets(TIMED))[partition]).toBe(0);
          expect((await log.endOffsets(TIMED))[partition]).toBe(0);
        }
      });
    });

    describe('compaction and retention', () => {
      it('keeps the newest record of each key, unchanged and at its offset', async () => {
        const appended: Appended[] = [];
        for (let n = 0; n < 30; n++) appended.push(...(await log.append([record(`k${n % 3}`, String(n), COMPACTED)])));
        if (typeof opened.compact !== 'function') return console.warn(`${name}: skipped, ${opened.compact.skip}`);
        await opened.compact();
        const kept = await readAll(log, COMPACTED);
        const newest = kept.filter((read) => ['27', '28', '29'].includes(textOf(read)));
        expect(newest.map((read) => read.key).sort()).toEqual(['k0', 'k1', 'k2']);
        for (const read of kept) {
          const written = appended[Number(textOf(read))];
          expect({ partition: read.partition, offset: read.offset }).toEqual(written);
        }
        for (const key of ['k0', 'k1', 'k2']) {
          const offsets = kept.filter((read) => read.key === key).map((read) => read.offset);
          expect(offsets).toEqual([...offsets].sort((a, b) => a - b));
        }
      });

      it('keeps every record of a time-retained topic', async () => {
        await log.append(Array.from({ length: 30 }, (_, n) => record('same', String(n))));
        if (typeof opened.compact !== 'function') return console.warn(`${name}: skipped, ${opened.compact.skip}`);
        await opened.compact();
        expect(await readAll(log, TIMED)).toHaveLength(30);
      });

      it('deletes old records, reports the new beginning and never reuses an offset', async () => {
        if (typeof opened.expireAll !== 'function') return console.warn(`${name}: skipped, ${opened.expireAll.skip}`);
        const old = await log.append([record('k', 'old 1'), record('k', 'old 2')]);
        await opened.expireAll();
        const partition = old[0]?.partition ?? 0;
        const past = (old[1]?.offset ?? 0) + 1;
        expect((await log.beginOffsets(TIMED))[partition]).toBe(past);
        expect((await log.endOffsets(TIMED))[partition]).toBe(past);
        log = await opened.reopen();
        const [next] = await log.append([record('k', 'new')]);
        expect(next?.offset).toBeGreaterThanOrEqual(past);
        await expect(log.read(TIMED, partition, 0, 10)).rejects.toThrow(LogDamaged);
        await expect(collect({ position: () => 0 })).rejects.toThrow(LogDamaged);
        const { values, consumption } = await collect();
        await consumption.caughtUp();
        expect(values).toEqual(['new']);
        await consumption.stop();
      });
    });

    describe('consume', () => {
      it('delivers existing and new records in order, and is caught up in between', async () => {
        await log.append(Array.from({ length: 25 }, (_, n) => record('k', String(n))));
        const { values, consumption } = await collect({ maxBatch: 4 });
        await consumption.caughtUp();
        expect(values).toHaveLength(25);
        await log.append(Array.from({ length: 25 }, (_, n) => record('k', String(25 + n))));
        await consumption.caughtUp();
        expect(values).toEqual(Array.from({ length: 50 }, (_, n) => String(n)));
        expect(Object.values(consumption.lag()).reduce((sum, lag) => sum + lag, 0)).toBe(0);
        expect(consumption.stalled()).toBeNull();
        await consumption.stop();
      });

      it('delivers batches of one partition with its end, at most as long as requested', async () => {
        const batches: LogBatch[] = [];
        await log.append(Array.from({ length: 10 }, (_, n) => record('k', String(n))));
        const { consumption } = await collect({ maxBatch: 3, handle: (batch) => void batches.push(batch) });
        await consumption.caughtUp();
        await consumption.stop();
        expect(batches.map(({ records }) => records.length)).toEqual([3, 3, 3, 1]);
        for (const { records, endOffset, partition, topic } of batches) {
          expect(topic).toBe(TIMED);
          expect(records.every((read) => read.partition === partition)).toBe(true);
          expect(endOffset).toBeGreaterThan(records.at(-1)?.offset ?? Infinity);
        }
      });

      it('is caught up at once with an empty topic, and with one that it has read', async () => {
        const { consumption } = await collect();
        await consumption.caughtUp();
        await log.append([record('k', '1')]);
        await consumption.caughtUp();
        const begun = performance.now();
        await consumption.caughtUp();
        expect(performance.now() - begun).toBeLessThan(400);
        await consumption.stop();
      });

      it('reports the lag while a handler is running', async () => {
        const [first] = await log.append(Array.from({ length: 12 }, (_, n) => record('k', String(n))));
        let free: () => void = () => undefined;
        const held = new Promise<void>((resolve) => (free = resolve));
        const { consumption } = await collect({ maxBatch: 5, handle: () => held });
        const name = `${TIMED}/${first?.partition ?? 0}`;
        expect(consumption.lag()[name]).toBe(12);
        expect(Object.keys(consumption.lag())).toHaveLength(await log.partitions(TIMED));
        free();
        await consumption.caughtUp();
        expect(consumption.lag()[name]).toBe(0);
        await consumption.stop();
      });

      it('paced: lets messages accumulate while they keep coming, and delivers one after a silence at once', async () => {
        let batches = 0;
        const { values, consumption } = await collect({
          paceMs: 300,
          handle: ({ records }) => {
            batches++;
            values.push(...records.map(textOf));
          },
        });
        await consumption.caughtUp();
        await new Promise((resolve) => setTimeout(resolve, 700));
        const begun = performance.now();
        await log.append([record('k', 'first')]);
        await until(() => values.length === 1);
        expect(performance.now() - begun).toBeLessThan(280);
        for (let n = 0; performance.now() - begun < 1500; n++) {
          await log.append([record('k', String(n))]);
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        await consumption.caughtUp();
        expect(batches).toBeLessThanOrEqual(9);
        await consumption.stop();
      });

      it('wakes up for a new record without polling by the caller', async () => {
        const { values, consumption } = await collect();
        await log.append([record('k', 'wake')]);
        await until(() => values.includes('wake'));
        await consumption.stop();
      });

      it('resumes from the saved position', async () => {
        const appended = await log.append(Array.from({ length: 10 }, (_, n) => record('k', String(n))));
        const written = appended[4];
        const { values, consumption } = await collect({
          position: (_topic, partition) => (partition === written?.partition ? written.offset : null),
        });
        await consumption.caughtUp();
        expect(values).toEqual(['4', '5', '6', '7', '8', '9']);
        await consumption.stop();
      });

      it('continues at the position of a store that has lost what it had acknowledged', async () => {
        await log.append(Array.from({ length: 6 }, (_, n) => record('k', String(n))));
        const saved = new Map<number, { next: number; values: readonly string[] }>();
        let unreachable = 0;
        const { consumption } = await collect({
          maxBatch: 2,
          position: (_topic, partition) => {
            unreachable -= 1;
            if (unreachable >= 0) throw new Error('the store is away');
            return saved.get(partition)?.next ?? null;
          },
          handle: (batch) => {
            const { next, values } = saved.get(batch.partition) ?? { next: null, values: [] };
            requireKept(next, batch);
            const read = { next: batch.records.at(-1)!.offset + 1, values: [...values, ...batch.records.map(textOf)] };
            saved.set(batch.partition, read);
          },
        });
        await consumption.caughtUp();
        const [partition, whole] = [...saved][0]!;
        const first = { next: whole.next - 4, values: whole.values.slice(0, 2) };
        for (const [kept, value] of [
          [first, '6'],
          [null, '7'],
        ] as const) {
          if (kept === null) saved.delete(partition);
          else saved.set(partition, kept);
          unreachable = 2;
          await log.append([record('k', value)]);
          await until(() => saved.get(partition)?.values.at(-1) === value);
        }
        await consumption.caughtUp();
        expect(saved.get(partition)?.values).toEqual(['0', '1', '2', '3', '4', '5', '6', '7']);
        expect(consumption.stalled()).toBeNull();
        await consumption.stop();
      });

      it('refuses a position past the end', async () => {
        await log.append([record('k', '1')]);
        await expect(collect({ position: () => 1000 })).rejects.toThrow(LogDamaged);
      });

      it('redelivers the same batch after a failure, reports that it is stalled, then clears', async () => {
        await log.append(Array.from({ length: 5 }, (_, n) => record('k', String(n))));
        const seen: string[] = [];
        let failures = 3;
        let failing: () => void = () => undefined;
        const failedTwice = new Promise<void>((resolve) => (failing = resolve));
        const { consumption } = await collect({
          handle: (batch) => {
            seen.push(batch.records.map(textOf).join());
            if (failures === 2) failing();
            if (failures-- > 0) throw new Error('store unavailable');
          },
        });
        await failedTwice;
        expect(consumption.stalled()).toContain('store unavailable');
        await consumption.caughtUp();
        await until(() => consumption.stalled() === null);
        expect(seen).toEqual(Array<string>(4).fill('0,1,2,3,4'));
        await consumption.stop();
      });

      it('never lets batches of a partition overlap', async () => {
        await log.append(Array.from({ length: 30 }, (_, n) => record('k', String(n))));
        const running = new Map<number, number>();
        let most = 0;
        const { consumption } = await collect({
          maxBatch: 5,
          handle: async ({ partition }) => {
            running.set(partition, (running.get(partition) ?? 0) + 1);
            most = Math.max(most, running.get(partition) ?? 0);
            await new Promise((resolve) => setTimeout(resolve, 5));
            running.set(partition, (running.get(partition) ?? 0) - 1);
          },
        });
        await consumption.caughtUp();
        await consumption.stop();
        expect(most).toBe(1);
      });

      it('waits for the running handler when it stops, calls none afterwards, rejects pending caughtUp calls', async () => {
        await log.append(Array.from({ length: 10 }, (_, n) => record('k', String(n))));
        let begun = 0;
        let ended = 0;
        const { consumption } = await collect({
          maxBatch: 1,
          handle: async () => {
            begun++;
            await new Promise((resolve) => setTimeout(resolve, 50));
            ended++;
          },
        });
        await until(() => begun > 0);
        const waiting = expect(consumption.caughtUp()).rejects.toThrow(Error);
        await consumption.stop();
        const atStop = begun;
        expect(ended).toBe(begun);
        await log.append([record('k', 'more')]);
        await new Promise((resolve) => setTimeout(resolve, 100));
        expect(begun).toBe(atStop);
        await waiting;
      });

      it('stops while the handler keeps failing', async () => {
        await log.append([record('k', '1')]);
        const { consumption } = await collect({ handle: () => Promise.reject(new Error('always')) });
        await until(() => consumption.stalled() !== null);
        await consumption.stop();
      });

      it('everyone: each member reads everything', async () => {
        const [one, other] = [await collect({ group: 'g' }), await collect({ group: 'g' })];
        await log.append(Array.from({ length: 40 }, (_, n) => record(`k${n}`, String(n))));
        await Promise.all([one.consumption.caughtUp(), other.consumption.caughtUp()]);
        expect(one.values).toHaveLength(40);
        expect(other.values).toHaveLength(40);
        await Promise.all([one.consumption.stop(), other.consumption.stop()]);
      });

      it('shared: each record goes to one member, and to the other once the first has left', async () => {
        const positions = new Map<number, number>();
        const handled: string[] = [];
        const member = async () => {
          const consumption = await log.consume({
            group: 'shared group',
            topics: [TIMED],
            mode: 'shared',
            position: (_topic, partition) => positions.get(partition) ?? null,
            handle: ({ partition, records }) => {
              handled.push(...records.map(textOf));
              positions.set(partition, (records.at(-1)?.offset ?? 0) + 1);
            },
          });
          return consumption;
        };
        const one = await member();
        const other = await member();
        await log.append(Array.from({ length: 40 }, (_, n) => record(`k${n}`, String(n))));
        await until(() => handled.length >= 40);
        await one.stop();
        await log.append(Array.from({ length: 40 }, (_, n) => record(`k${n}`, String(40 + n))));
        await until(() => handled.length >= 80);
        await other.stop();
        expect(handled.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 80 }, (_, n) => n));
      });

      it('shared: groups are independent, and the second topic of a consumer does not wait for the first', async () => {
        const first = await collect({ group: 'a', mode: 'shared' });
        const second = await collect({ group: 'b', mode: 'shared', topics: [TIMED, COMPACTED] });
        await log.append([record('k', 'timed'), record('k', 'compacted', COMPACTED)]);
        await until(() => first.values.length === 1 && second.values.length === 2);
        expect(second.values.sort()).toEqual(['compacted', 'timed']);
        await Promise.all([first.consumption.stop(), second.consumption.stop()]);
      });
    });
  });
}
