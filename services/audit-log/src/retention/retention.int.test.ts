import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeclaredScope, EventEnvelope, JsonValue } from '@countersign/contracts';
import type { NewRecord } from '@countersign/event-log';
import { Registry } from 'prom-client';
import { readMessage } from '@countersign/evidence';
import { RETENTION_MONTHS } from '@countersign/process';
import type { ServiceContext } from '@countersign/service-kit';
import { openSqliteDocumentStore } from '@countersign/document-store';
import { ErasureGate } from '../legal-holds/erasure-gate.js';
import { COLLECTIONS, HoldDocuments, HoldsMissing } from '../store/hold-documents.js';
import { legalHold, RELEASE } from '../testing/legal-holds.js';
import { SqliteEventStore } from '../store/sqlite.js';
import { ACCOUNT, agentId, envelope, eventId, other } from '../testing/envelopes.js';
import { PROBATION_MS } from './believed-clock.js';
import { Retention } from './retention.js';
import { retentionMetrics } from './retention-metrics.js';

const DAY = 86_400_000;
const OLD = Date.parse('2026-03-01T09:30:00.000Z');
const SOC2: DeclaredScope = { scope: { soc2: { categories: ['security'] } }, declaredAt: '2020-01-01T00:00:00.000Z' };
const PACE = { agents: 2, events: 3, contents: 4, everyMs: 1_000_000, againMs: 1 };

/** An archive with a log that is stored as it is written, and clocks that the test sets. */
class House {
  readonly directory = mkdtempSync(join(tmpdir(), 'retention-'));
  readonly store = new SqliteEventStore(join(this.directory, 'events.db'));
  readonly holds = new HoldDocuments(openSqliteDocumentStore(join(this.directory, 'holds.db'), COLLECTIONS));
  readonly written: EventEnvelope[] = [];
  /** Of the job that was made last. */
  figures = new Registry();
  readonly warned: string[] = [];
  readonly failed: string[] = [];
  /** `true`: events that are written to the log are stored as well. */
  stores = true;
  carriedOut: () => Promise<void> = async () => undefined;
  declared: DeclaredScope | null = SOC2;
  wallMs = OLD;
  ranMs = 0;
  #next = 0;

  async append(...envelopes: EventEnvelope[]): Promise<void> {
    const events = envelopes.map((one, n) => ({ offset: this.#next + n, envelope: one }));
    const next = this.#next + envelopes.length;
    await this.store.append(events, { topic: 'agent-events', partition: 0, from: this.#next, next });
    this.#next = next;
  }

  async anchored(at: number, agent: number, first: number, last: number): Promise<void> {
    const facts = { windowStart: '', windowEnd: '', merkleRoot: '', txSignature: '', blockHeight: 1 };
    const agents = [{ agentId: agentId(agent), firstSequence: first, lastSequence: last }];
    const window = { ...facts, windowId: `${agent}-${first}`, anchoredAt: new Date(at).toISOString(), agents };
    await this.store.saveAnchors([window], { topic: 'anchors', partition: 0, next: 1 });
  }

  job(pace = PACE): Retention {
    this.figures = new Registry();
    const context = {
      clock: () => this.wallMs,
      counters: { now: async () => this.wallMs },
      log: {
        info: () => undefined,
        warn: (_: unknown, words: string) => void this.warned.push(words),
        error: (_: unknown, words: string) => void this.failed.push(words),
      },
      eventLog: {
        append: async ([record]: readonly NewRecord[]) => {
          const reading = readMessage(Buffer.from(record!.value));
          if (!reading.ok) throw new Error(reading.problem);
          this.written.push(reading.value);
          if (this.stores) await this.append(reading.value);
          return [{ partition: 0, offset: this.#next - 1 }];
        },
      },
    } as unknown as ServiceContext;
    const gate = new ErasureGate(context, this.holds);
    const place = { gate, declared: () => this.declared, cadenceOf: () => 1, carriedOut: () => this.carriedOut() };
    const metrics = retentionMetrics(this.figures);
    return new Retention(
      context,
      { ...place, store: this.store, months: RETENTION_MONTHS, ranMs: () => this.ranMs, metrics },
      pace,
    );
  }

  /** The clock runs for so long, looked at once a day. */
  async run(jobs: readonly Retention[], forMs: number): Promise<void> {
    for (let at = 0; at < forMs; at += DAY) {
      this.wallMs += DAY;
      this.ranMs += DAY;
      for (const job of jobs) await job.turn();
    }
  }

  /** Metrics of operators: contents taken, whether more is due, whether the clock is doubted. */
  async metrics(): Promise<readonly number[]> {
    const names = ['contents_total', 'behind', 'clock_doubted'];
    const found = await Promise.all(
      names.map((name) => this.figures.getSingleMetric(`countersign_retention_${name}`)!.get()),
    );
    return found.map(({ values }) => values[0]?.value ?? 0);
  }

  async kept(agent: number): Promise<number[]> {
    return (await this.store.keptContent(agentId(agent), 99)).map(({ sequence }) => sequence);
  }

  async close(): Promise<void> {
    await this.store.close();
    await this.holds.close();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

describe('content that is taken by its age', () => {
  let house: House;
  beforeEach(async () => {
    house = new House();
    for (let n = 1; n <= 10; n += 1) await house.append(envelope(n, { occurredAtMs: OLD + n }));
    await house.append(envelope(11, { occurredAtMs: OLD + 400 * DAY }), envelope(12, { agent: 2, occurredAtMs: OLD }));
    await house.anchored(OLD + DAY, 1, 1, 10);
    await house.anchored(OLD + 400 * DAY, 1, 11, 11);
  });
  afterEach(() => house.close());

  const later = async (jobs: readonly Retention[]): Promise<void> => {
    await house.run(jobs, PROBATION_MS + 3 * DAY);
    house.wallMs = OLD + 420 * DAY;
    await house.run(jobs, PROBATION_MS + 5 * DAY);
  };

  it('goes a part at a time, says what and why, and leaves what is younger or not anchored', async () => {
    await later([house.job()]);
    expect(await house.kept(1)).toEqual([11]);
    expect(await house.kept(2)).toEqual([1]);
    const removed = house.written.map(({ leaf, openings }) => [
      leaf.refersTo,
      (openings.action?.value as { readonly removed: JsonValue }).removed,
    ]);
    const why = { before: expect.any(String) as string, months: 13, because: ['soc2'] };
    expect(removed).toEqual([
      [eventId(4, OLD + 4), { count: 4, firstSequence: 1, lastSequence: 4, ...why }],
      [eventId(8, OLD + 8), { count: 4, firstSequence: 5, lastSequence: 8, ...why }],
      [eventId(10, OLD + 10), { count: 2, firstSequence: 9, lastSequence: 10, ...why }],
    ]);
    expect(house.written[0]!.openings.action!.value).toMatchObject({ by: { kind: 'system', id: 'retention' } });
    expect(house.written.every(({ leaf }) => leaf.type === 'retention.applied')).toBe(true);
  });

  it('stays from the first event on that a legal hold keeps, and goes once that is released', async () => {
    const hold = legalHold(1, { agentIds: [agentId(1)], fromMs: OLD + 6, toMs: OLD + 8 });
    await house.holds.place(hold, 9);
    await house.holds.place(legalHold(2, { agentIds: [agentId(2)] }), 9);
    const job = house.job();
    await later([job]);
    expect(await house.kept(1)).toEqual([6, 7, 8, 9, 10, 11]);
    expect(house.failed).toEqual([]);
    await house.holds.release(hold.accountId, hold.id, RELEASE);
    await house.run([job], 3 * DAY);
    expect(await house.kept(1)).toEqual([11]);
    expect(await house.kept(2)).toEqual([1]);
  });

  it('stays while the holds cannot be read', async () => {
    const job = house.job();
    await house.run([job], PROBATION_MS + 3 * DAY);
    house.wallMs = OLD + 420 * DAY;
    house.holds.inForce = () => Promise.reject(new Error('no store'));
    const turns = house.run([job], PROBATION_MS + 5 * DAY);
    await expect(turns).rejects.toThrow('no store');
    expect(house.written).toEqual([]);
  });

  it('goes of the other accounts while holds of one are missing', async () => {
    await house.append(envelope(40, { agent: 9, accountId: 'account-b', occurredAtMs: OLD }));
    await house.anchored(OLD + DAY, 9, 1, 1);
    const inForce = house.holds.inForce.bind(house.holds);
    house.holds.inForce = (accountId) =>
      accountId === ACCOUNT ? Promise.reject(new HoldsMissing('one is missing')) : inForce(accountId);
    await later([house.job()]);
    expect(await house.kept(9)).toEqual([]);
    expect((await house.kept(1)).length).toBe(11);
    expect(new Set(house.failed)).toEqual(new Set(['content of an agent could not be taken by its age']));
    const failures = await house.figures.getSingleMetric('countersign_retention_failures_total')!.get();
    expect(failures.values[0]!.value).toBe(house.failed.length);
  });

  it('stays registered where the job is stopped before it is carried out', async () => {
    const job = house.job();
    await house.run([job], PROBATION_MS + 3 * DAY);
    house.wallMs = OLD + 420 * DAY;
    house.stores = false;
    let waits = (): void => undefined;
    const waiting = new Promise<void>((resolve) => (waits = resolve));
    house.carriedOut = () => {
      waits();
      return new Promise(() => undefined);
    };
    const turns = (async () => {
      while (house.written.length === 0) await house.run([job], DAY);
    })();
    await waiting;
    await job.stop();
    await turns;
    expect(house.written).toHaveLength(1);
    const [sent] = await house.holds.underWay(ACCOUNT, 0);
    expect(sent?.id).toBe(house.written[0]!.leaf.eventId);
  });

  it('stays where a hold is placed after its turn has read them', async () => {
    const inForce = house.holds.inForce.bind(house.holds);
    house.holds.inForce = async (accountId) => {
      const found = await inForce(accountId);
      if (found.length === 0) await house.holds.place(legalHold(1), 9);
      return found;
    };
    await later([house.job()]);
    expect(house.written).toEqual([]);
  });

  it('stays where the account is to keep it for longer', async () => {
    for (const declared of [null, { ...SOC2, scope: { ...SOC2.scope, hipaa: { ephi: true } } }]) {
      house.declared = declared;
      await later([house.job()]);
    }
    expect(house.written).toEqual([]);
  });

  it('stays while the clock jumps, however often, and goes once it has run on', async () => {
    const job = house.job();
    await house.run([job], PROBATION_MS + 3 * DAY);
    for (let n = 1; n <= 5; n += 1) {
      house.wallMs = OLD + n * 4_000 * DAY;
      await house.run([job], PROBATION_MS - DAY);
    }
    expect(house.written).toEqual([]);
    expect(house.warned.filter((words) => words.includes('clock')).length).toBeGreaterThanOrEqual(5);
    expect(await house.metrics()).toEqual([0, 0, 1]);
    await house.run([job], 4 * DAY);
    expect(house.written).not.toEqual([]);
    expect((await house.metrics())[2]).toBe(0);
  });

  it('is not old by a label that a clock set back gave it', async () => {
    const label = OLD - 3_000 * DAY;
    await house.append(envelope(20, { agent: 3, occurredAtMs: label }));
    await house.anchored(OLD + 410 * DAY, 3, 1, 1);
    await later([house.job()]);
    expect(await house.kept(3)).toEqual([1]);
  });

  it('is taken once by several instances, also where one ends between two parts', async () => {
    await later([house.job(), house.job(), house.job()]);
    await later([house.job()]);
    expect(house.written.map(({ leaf }) => leaf.refersTo)).toEqual([4, 8, 10].map((n) => eventId(n, OLD + n)));
  });

  it('is gone on with at once while a turn cannot take all that is due', async () => {
    const many = Array.from({ length: 40 }, (_, n) => envelope(50 + n, { agent: 5, occurredAtMs: OLD }));
    await house.append(...many);
    await house.anchored(OLD + DAY, 5, 1, many.length);
    const job = house.job({ ...PACE, agents: 9 });
    await house.run([job], PROBATION_MS + 3 * DAY);
    house.wallMs = OLD + 420 * DAY;
    while (house.written.length === 0) await house.run([job], DAY);
    expect(await house.metrics()).toEqual([12, 1, 0]);
    expect((await house.kept(5)).length).toBeGreaterThan(0);
    job.start();
    for (let tries = 0; (await house.kept(5)).length > 0; tries += 1) {
      expect(tries).toBeLessThan(500);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await job.stop();
    expect((await house.metrics())[0]).toBeGreaterThanOrEqual(many.length);
  });

  it('is not asked to go again and again where it stays', async () => {
    const job = house.job();
    await house.run([job], PROBATION_MS + 3 * DAY);
    house.wallMs = OLD + 420 * DAY;
    house.stores = false;
    while (house.written.length === 0) await house.run([job], DAY);
    for (let n = 0; n < 9; n += 1) expect(await job.turn()).toBe(false);
    expect(house.written.length).toBe(1);
    expect(new Set(house.failed)).toEqual(new Set(['content that was taken by its age is still kept']));
    house.stores = true;
    await house.run([job], 3 * DAY);
    expect(await house.kept(1)).toEqual([11]);
  });

  it('leaves what is no check, and goes past what an order took before', async () => {
    await house.append(other(30, 'profile.changed', { agent: 4, occurredAtMs: OLD }));
    await house.append(envelope(31, { agent: 4, occurredAtMs: OLD }), envelope(32, { agent: 4, occurredAtMs: OLD }));
    await house.append(other(33, 'content.erased', { agent: 4, refersTo: eventId(31, OLD) }));
    await house.anchored(OLD + DAY, 4, 1, 4);
    await later([house.job()]);
    const events = await house.store.range(agentId(4), 1, 3, 3);
    expect(events.map(({ erased }) => erased)).toEqual([false, true, true]);
    expect(await house.store.erasedAmong(agentId(4), 1, 9)).toEqual([2]);
  });
});
