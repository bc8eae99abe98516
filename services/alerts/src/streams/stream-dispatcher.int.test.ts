import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import type { StreamKind } from '@countersign/contracts';
import type { Act } from '@countersign/topics';
import type { ServiceContext } from '@countersign/service-kit';
import { openSqliteAlertStore } from '../store/open.js';
import type { AlertStore } from '../store/port.js';
import { ArchivedEvents } from '../testing/archived-events.js';
import type { AgentHeads } from './agent-heads.js';
import type { SendBatch } from './send-batch.js';
import { pauseAfter, type Stream } from './stream.js';
import { StreamDispatcher } from './stream-dispatcher.js';
import { Streams } from './streams.js';

const ACCOUNT = 'account-a';
const AGENT = '00000000-0000-4000-8000-000000000001';
/** Of one batch. */
const BATCH = 500;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until(good: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 10_000; !(await good()); await sleep(10)) {
    if (Date.now() > end) throw new Error('it did not come to that');
  }
}

describe('the dispatcher of streams', () => {
  let archive: ArchivedEvents;
  const errors: unknown[] = [];
  let directory: string;
  let store: AlertStore;
  let dispatcher: StreamDispatcher | undefined;
  let metrics: Registry;
  /** Events of the agent that the dispatcher knows of. */
  let happened = 0;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'stream-dispatcher-'));
    store = await openSqliteAlertStore(join(directory, 'alerts.db'));
    archive = new ArchivedEvents();
    errors.length = 0;
    dispatcher = undefined;
  });
  afterEach(async () => {
    await dispatcher?.stop();
    await store.close();
    rmSync(directory, { recursive: true });
  });

  async function add(id: string, kind: StreamKind = 'https'): Promise<Stream> {
    const from = '2020-01-01T00:00:00.000Z';
    const of = { id, accountId: ACCOUNT, kind, url: 'https://siem.example.com/', format: 'ecs' } as const;
    const stream: Stream = {
      ...of,
      ...{ filter: {}, enabled: true, createdAt: from, from, sealedCredentials: '', revision: 1 },
    };
    await store.streams.add(stream, 100);
    return stream;
  }

  /** Begins to deliver the first `count` events of the agent. */
  function start(count: number, send: SendBatch): void {
    happened = count;
    archive.add(ACCOUNT, AGENT, count);
    const heads = { of: () => new Map([[AGENT, happened]]), onMove: () => undefined, problem: () => null };
    metrics = new Registry();
    const log = { error: (of: unknown) => errors.push(of), warn: () => undefined };
    const context = { metrics, log, clock: Date.now } as unknown as ServiceContext;
    dispatcher = new StreamDispatcher(context, store.streams, heads as unknown as AgentHeads, () => archive, send);
    dispatcher.start();
  }

  it('shows a batch that cannot be sent as it shows a receiver that refuses', async () => {
    await add('a');
    start(3, () => Promise.reject(new TypeError('Invalid character in header content')));
    await until(() => (dispatcher?.lagOf('a')?.lastError ?? null) !== null);
    expect((await store.streams.states(['a'])).get('a')).toMatchObject({
      failures: 1,
      pending: 3,
      pendingSinceMs: expect.any(Number),
      lastError: { status: null, message: 'the batch cannot be sent: check the credentials' },
    });
    expect(errors).toEqual([{ err: expect.any(TypeError), stream: 'a' }]);
    expect(await metrics.metrics()).toMatch(/attempts_total\{kind="https",outcome="failed"\} 1\n/);
  });

  it('takes a stream up again after an error of the store, and does not wait for its own lease to end', async () => {
    await add('a');
    const save = store.streams.save.bind(store.streams);
    let failures = 0;
    store.streams.save = (...given) => (failures++ === 0 ? Promise.reject(new Error('busy')) : save(...given));
    start(3, async () => ({ status: 200, error: null }));
    await until(() => failures === 1);
    await sleep(20);
    dispatcher?.wake();
    await until(async () => (await store.streams.states(['a'])).get('a')?.lastDeliveredAt !== null);
  });
  it('sends nothing more of a stream that was switched off, after the batch that is being sent, until it is on again', async () => {
    const stream = await add('a');
    let sent = 0;
    let ended = (): void => undefined;
    const first = new Promise<void>((resolve) => (ended = resolve));
    start(3 * BATCH, async () => {
      sent += 1;
      await first;
      return { status: 200, error: null };
    });
    await until(() => sent === 1);
    await store.streams.replace({ ...stream, enabled: false, revision: 2 });
    dispatcher?.wake();
    await sleep(50);
    ended();
    await until(async () => (await store.streams.states(['a'])).get('a')?.lastDeliveredAt !== null);
    dispatcher?.wake();
    await until(async () => (await store.streams.states(['a'])).get('a')?.lease === null);
    expect(sent).toBe(1);
    await store.streams.replace({ ...stream, revision: 3 });
    dispatcher?.wake();
    await until(() => sent === 3);
  });

  it('sends a batch of a kind that repeats them as it was, also after a restart, and then what came in the meantime', async () => {
    await add('a', 's3');
    const batches: number[] = [];
    const send =
      (error: string | null): SendBatch =>
      async (_stream, batch) => {
        batches.push(batch.length);
        return { status: error === null ? 200 : 503, error };
      };
    start(3, send('no'));
    await until(() => batches.length === 1);
    happened = 5;
    await until(() => batches.length === 2);
    await dispatcher?.stop();
    expect((await store.streams.states(['a'])).get('a')).toMatchObject({
      pending: 5,
      planned: [{ agentId: AGENT, sequence: 3 }],
    });
    archive = new ArchivedEvents();
    start(5, send(null));
    await until(async () => (await store.streams.states(['a'])).get('a')?.pending === 0);
    expect(batches).toEqual([3, 3, 3, 2]);
    expect((await store.streams.states(['a'])).get('a')?.planned).toBeNull();
  });

  it('waits as long as a receiver asks, and not longer than five minutes', async () => {
    expect([pauseAfter(1), pauseAfter(1, 7_000), pauseAfter(4, 7_000)]).toEqual([1_000, 7_000, 8_000]);
    expect([pauseAfter(1, 3_600_000), pauseAfter(40)]).toEqual([300_000, 300_000]);
    await add('a');
    const times: number[] = [];
    start(1, async () => {
      times.push(performance.now());
      return times.length === 1 ? { status: 503, error: 'no', retryAfterMs: 2_000 } : { status: 200, error: null };
    });
    await until(() => times.length === 2);
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(1_900);
  });

  it('gives eight streams of an account a turn at a time, and each its turn', async () => {
    for (let n = 0; n < 12; n += 1) await add(`s-${n}`);
    const sent = new Map<string, number>();
    let [running, most] = [0, 0];
    start(20 * BATCH, async ({ id }) => {
      sent.set(id, (sent.get(id) ?? 0) + 1);
      most = Math.max(most, (running += 1));
      await sleep(20);
      running -= 1;
      return { status: 200, error: null };
    });
    await until(() => sent.size === 12);
    expect(most).toBe(8);
    expect(Math.max(...sent.values())).toBeLessThanOrEqual(4);
  });

  it('gives turns to streams that deliver while more of the account than have one at a time do not get an answer', async () => {
    const hung = (id: string): boolean => id.startsWith('hung');
    for (let n = 0; n < 10; n += 1) await add(`hung-${n}`);
    let [waiting, most] = [0, 0];
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    const sent = new Map<string, number>();
    start(3, async ({ id }) => {
      const attempts = (sent.get(id) ?? 0) + 1;
      sent.set(id, attempts);
      if (!hung(id)) return { status: 200, error: null };
      if (attempts > 1) {
        most = Math.max(most, (waiting += 1));
        await over;
      }
      return { status: null, error: 'no answer in time' };
    });
    await until(() => waiting === 4);
    for (let n = 0; n < 4; n += 1) await add(`good-${n}`);
    dispatcher?.wake();
    await until(() => ['good-0', 'good-1', 'good-2', 'good-3'].every((id) => sent.has(id)));
    expect([waiting, most]).toEqual([4, 4]);
    end();
  });

  it('answers a test with the same error', async () => {
    await add('a');
    let before: readonly unknown[] = [];
    const send: SendBatch = async () => {
      before = await store.pending(9);
      throw new TypeError('Invalid character in header content');
    };
    const log = { error: (of: unknown) => errors.push(of) } as unknown as ServiceContext['log'];
    const recorded = async ({ accountId, type, outcome }: Act) => [
      { topic: 'agent-events', key: accountId, value: `${type} ${outcome ?? 'attempt'}` } as const,
    ];
    const people = { recorded, publish: () => undefined };
    const rules = { key: new Uint8Array(32), allowedHosts: [], clock: Date.now, log, ...people };
    const streams = new Streams(store.streams, { wake: () => undefined, lagOf: () => null }, send, rules);
    const error = 'the batch cannot be sent: check the credentials';
    expect(await streams.test({ accountId: ACCOUNT, userId: 'u' }, 'a')).toEqual({
      delivered: false,
      status: null,
      error,
    });
    expect(errors).toEqual([{ err: expect.any(TypeError), stream: 'a' }]);
    expect(before).toHaveLength(1);
    const events = (await store.pending(9)).map(({ record }) => record.value);
    expect(events).toEqual(['account.stream_tested attempt', 'account.stream_tested failed']);
  });
});
