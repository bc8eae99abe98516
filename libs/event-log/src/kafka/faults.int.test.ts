import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LogInDoubt, LogRefused } from '../port.js';
import type { EventLog, LogRecord } from '../port.js';
import { KAFKA_LIBS, TestBroker } from './broker.test-kit.js';
import { newPrefix, openTestLog } from './kafka.test-kit.js';
import { PRODUCE } from './proxy.test-kit.js';

const TOPIC = 'anchors';
const DEADLINE_MS = 700;
/** Codes of the Kafka protocol. */
const NOT_LEADER = 6;
const REQUEST_TIMED_OUT = 7;
const MESSAGE_TOO_LARGE = 10;
const NOT_ENOUGH_REPLICAS = 19;
const NOT_ENOUGH_REPLICAS_AFTER_APPEND = 20;
const TOPIC_AUTHORIZATION_FAILED = 29;
/** Tolerance for a busy machine. */
const SLACK_MS = 2500;

const record = (value: string, key = 'k') => ({ topic: TOPIC, key, value }) as const;
const textOf = ({ value }: LogRecord) => Buffer.from(value).toString();

async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs: number): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`waited ${withinMs} ms in vain until ${what}`);
    await delay(20);
  }
}

/** Heap size after garbage collection. */
function heldBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function readAll(log: EventLog): Promise<LogRecord[]> {
  const all: LogRecord[] = [];
  for (let next = 0; ; next = (all.at(-1)?.offset ?? 0) + 1) {
    const records = await log.read(TOPIC, 0, next, 1000);
    if (records.length === 0) return all;
    all.push(...records);
  }
}

if (KAFKA_LIBS === null) {
  describe.skip('Kafka faults (needs a Kafka of its own: COUNTERSIGN_TEST_KAFKA_LIBS)', () => {
    it('is skipped', () => undefined);
  });
} else {
  const libs = KAFKA_LIBS;
  describe('Kafka faults', () => {
    let broker: TestBroker;
    let log: EventLog;
    const open = () =>
      openTestLog([broker.proxy.address], newPrefix(), {
        topics: [TOPIC],
        sendTimeoutMs: DEADLINE_MS,
        maxPendingBytes: 8 * 1024 * 1024,
      });
    /** Appends and reports the outcome and whether it was in time. */
    async function outcome(value: string): Promise<'in' | 'unknown' | 'refused'> {
      const begun = performance.now();
      const ended = await log.append([record(value)]).then(
        () => 'in' as const,
        (error: unknown) => {
          if (error instanceof LogInDoubt) return 'unknown' as const;
          expect(error).toBeInstanceOf(LogRefused);
          return 'refused' as const;
        },
      );
      expect(performance.now() - begun).toBeLessThan(DEADLINE_MS + SLACK_MS);
      return ended;
    }

    beforeAll(async () => {
      broker = await TestBroker.start(libs);
    }, 120_000);
    afterAll(() => broker.remove());
    beforeEach(async () => {
      log = await open();
    });
    afterEach(async () => {
      broker.proxy.thaw();
      await log.close();
    });

    it('has both batches when one acknowledgement is lost and a batch of the same size follows', async () => {
      await log.append([record('first')]);
      const lost = broker.proxy.dropNextAnswer(PRODUCE);
      const doubtful = outcome('aaaaa');
      await lost;
      expect(await doubtful).toBe('unknown');
      await until('it accepts again', () => log.refusing() === null, 3000);
      expect(await outcome('bbbbb')).toBe('in');
      expect((await readAll(log)).map(textOf)).toEqual(['first', 'aaaaa', 'bbbbb']);
    });

    it("distinguishes what is not in the log from what may be, by the broker's error", async () => {
      const failing = async (errorCode: number) => {
        broker.proxy.sayProduceError(errorCode);
        const begun = performance.now();
        const error: unknown = await log.append([record(`error ${errorCode}`)]).catch((reason: unknown) => reason);
        broker.proxy.sayProduceError(null);
        return { error, tookMs: performance.now() - begun };
      };
      const tooFew = await failing(NOT_ENOUGH_REPLICAS);
      expect(tooFew.error).toBeInstanceOf(LogRefused);
      expect((tooFew.error as Error).message).toContain('too few replicas');
      expect(tooFew.tookMs).toBeGreaterThan(DEADLINE_MS / 2);
      for (const [code, kind] of [
        [NOT_ENOUGH_REPLICAS_AFTER_APPEND, LogInDoubt],
        [REQUEST_TIMED_OUT, LogInDoubt],
        [MESSAGE_TOO_LARGE, LogRefused],
        [TOPIC_AUTHORIZATION_FAILED, LogRefused],
      ] as const) {
        const { error, tookMs } = await failing(code);
        expect(error).toBeInstanceOf(kind);
        expect(tookMs).toBeLessThan(DEADLINE_MS - 50);
      }
      broker.proxy.sayProduceError(NOT_LEADER);
      const moved = outcome('leader moved');
      await delay(150);
      broker.proxy.sayProduceError(null);
      expect(await moved).toBe('in');
    });

    it('is in doubt while the broker is silent, then refuses, then recovers by itself', async () => {
      const seen: string[] = [];
      const consumption = await log.consume({
        group: 'faults',
        topics: [TOPIC],
        mode: 'shared',
        position: () => null,
        handle: ({ records }) => void seen.push(...records.map(textOf)),
      });
      await log.append([record('before')]);
      await consumption.caughtUp();
      broker.proxy.freeze();
      expect(await outcome('sent')).toBe('unknown');
      expect(log.refusing()).toMatch(/not answered|no answer|cannot reach/);
      const refused = performance.now();
      expect(await outcome('not sent')).toBe('refused');
      expect(performance.now() - refused).toBeLessThan(100);
      expect(consumption.stalled()).toBeNull();
      await until('the consumption reports that it is stalled', () => consumption.stalled() !== null, 15_000);
      broker.proxy.thaw();
      await until('it accepts again', () => log.refusing() === null, 15_000);
      await until('an append succeeds', async () => (await outcome('after')) === 'in', 5000);
      await until('the consumption continues', () => seen.includes('after') && consumption.stalled() === null, 20_000);
      expect(seen).not.toContain('not sent');
      await consumption.stop();
    }, 60_000);

    it('keeps what it acknowledged, and the order, while connections break', async () => {
      const acknowledged: number[] = [];
      let n = 0;
      let stop = false;
      const writing = Array.from({ length: 8 }, async () => {
        while (!stop) {
          const mine = n++;
          if ((await outcome(String(mine))) === 'in') acknowledged.push(mine);
          await delay(2);
        }
      });
      for (let cuts = 0; cuts < 12; cuts++) {
        await delay(150 + 100 * (cuts % 3));
        broker.proxy.cut();
      }
      await delay(500);
      stop = true;
      await Promise.all(writing);
      await until('it accepts again', () => log.refusing() === null, 5000);
      const found = (await readAll(log)).map((one) => Number(textOf(one)));
      const first = new Set(found);
      expect(acknowledged.length).toBeGreaterThan(20);
      expect(acknowledged.filter((one) => !first.has(one))).toEqual([]);
      expect([...first].filter((one, index, all) => index > 0 && one < (all[index - 1] ?? 0))).toEqual([]);
    }, 60_000);

    it('survives a broker that is killed and unavailable for a while: answers in time, memory stays flat, continues', async () => {
      const seen = new Set<string>();
      const consumption = await log.consume({
        group: 'survivor',
        topics: [TOPIC],
        mode: 'everyone',
        position: () => null,
        handle: ({ records }) => records.forEach((one) => seen.add(textOf(one))),
      });
      const acknowledged: string[] = [];
      const outcomes = { in: 0, unknown: 0, refused: 0 };
      let stop = false;
      const filler = 'x'.repeat(20_000);
      const writing = Array.from({ length: 64 }, async (_, writer) => {
        for (let n = 0; !stop; n++) {
          const value = `${writer}-${n} ${filler}`;
          const ended = await outcome(value);
          outcomes[ended]++;
          if (ended === 'in') acknowledged.push(value);
          await delay(ended === 'in' ? 20 : 5);
        }
      });
      await delay(1000);
      await broker.kill();
      await delay(1500);
      expect(log.refusing()).not.toBeNull();
      const refusedBefore = outcomes.refused;
      const before = heldBytes();
      await delay(5000);
      const after = heldBytes();
      expect(outcomes.refused - refusedBefore).toBeGreaterThan(1000);
      expect(after - before).toBeLessThan(20 * 1024 * 1024);
      await broker.run();
      const answered = acknowledged.length;
      await until('appends succeed again', () => acknowledged.length > answered, 20_000);
      stop = true;
      await Promise.all(writing);
      await consumption.caughtUp();
      const stored = new Set((await readAll(log)).map(textOf));
      expect(acknowledged.filter((value) => !stored.has(value))).toEqual([]);
      expect(acknowledged.filter((value) => !seen.has(value))).toEqual([]);
      expect(consumption.stalled()).toBeNull();
      await consumption.stop();
    }, 180_000);
  });
}
