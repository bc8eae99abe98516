import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LogBatch, LogRecord } from '@countersign/event-log';
import { createLogger, createRegistry } from '@countersign/process';
import { killAt } from '@countersign/test-kit';
import type { Destination } from '../domain/destination.js';
import { newMessage, RETRY_AFTER_MS } from '../domain/message.js';
import { ViolationFollower } from '../follow/violation-follower.js';
import type { AlertStore } from '../store/port.js';
import { openSqliteAlertStore } from '../store/open.js';
import { ACCOUNT, AGENT, denied, destination, START, WINDOW_MS } from '../testing/violations.js';
import type { Carrier } from './carrier.js';
import { AT_ONCE_OF_ACCOUNT, CLAIM_MS, Dispatcher } from './dispatcher.js';
import type { Sent } from '@countersign/service-kit';

const TAKEN: Sent = { status: 204, error: null };
const REFUSED: Sent = { status: 500, error: 'the host answered 500' };

interface Carried {
  readonly to: string;
  readonly id: string;
  readonly body: string;
}

const denials = (count: number): LogBatch => ({
  topic: 'agent-events',
  partition: 0,
  endOffset: count,
  records: Array.from({ length: count }, (_, n): LogRecord => ({
    topic: 'agent-events',
    partition: 0,
    offset: n,
    key: AGENT,
    appendedAtMs: START + n,
    value: Buffer.from(JSON.stringify(denied(n))),
  })),
});

describe('sending what is due', () => {
  let directory: string;
  let store: AlertStore;
  let now: number;
  let carried: Carried[];
  let answer: (to: Destination) => Sent;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'alerts-dispatcher-'));
    store = await openSqliteAlertStore(join(directory, 'alerts.db'));
    now = START + 10_000;
    carried = [];
    answer = () => TAKEN;
  });
  afterEach(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });

  const carrier: Carrier = {
    async carry(to, id, body) {
      carried.push({ to: to.id, id, body });
      return answer(to);
    },
  };
  const context = (): ConstructorParameters<typeof Dispatcher>[0] => ({
    clock: () => now,
    log: createLogger('silent'),
    metrics: createRegistry('test', false),
  });

  /** Sends until nothing is due. */
  async function dispatch(over = store, by = carrier): Promise<void> {
    const dispatcher = new Dispatcher(context(), over, by);
    for (let before = -1; before !== carried.length;) {
      before = carried.length;
      dispatcher.wake();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await dispatcher.stop();
  }

  function follow(batch: LogBatch, over = store): Promise<void> {
    const eventLog = { append: async () => [] } as never;
    return new ViolationFollower(
      { ...context(), eventLog, publicUrl: () => 'https://c.example' },
      over,
      WINDOW_MS,
      () => undefined,
    ).handle(batch);
  }

  it('sends the first violation at once and the rest of its window as one', async () => {
    await store.addDestination(destination('d'));
    await follow(denials(500));
    await dispatch();
    now += WINDOW_MS;
    await dispatch();
    expect(carried.map(({ body }) => JSON.parse(body).data.count)).toEqual([1, 499]);
    expect((await store.backlog()).waiting).toBe(0);
  });

  it('notifies only destinations of the account whose least severity is reached', async () => {
    await store.addDestination(destination('all'));
    await store.addDestination(destination('highest', { minSeverity: 'P1' }));
    await store.addDestination(destination('medium', { minSeverity: 'P2' }));
    await store.addDestination(destination('off', { enabled: false }));
    await store.addDestination(destination('strange', { accountId: 'another' }));
    await follow(denials(1));
    await dispatch();
    expect(carried.map(({ to }) => to).sort()).toEqual(['all', 'medium']);
  });

  it('retries with the same id on schedule, then disables the destination and notifies the others', async () => {
    await store.addDestination(destination('dead'));
    await store.addDestination(destination('mail', { kind: 'email', minSeverity: 'P1' }));
    answer = ({ id }) => (id === 'dead' ? REFUSED : TAKEN);
    await follow(denials(1));
    await dispatch();
    for (const [n, wait] of RETRY_AFTER_MS.entries()) {
      now += wait - 1;
      await dispatch();
      expect(carried).toHaveLength(n + 1);
      now += 1;
      await dispatch();
    }
    const attempts = carried.filter(({ to }) => to === 'dead');
    expect(attempts).toHaveLength(8);
    expect(new Set(attempts.map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
    expect(await store.destination('dead')).toMatchObject({
      enabled: false,
      disabledReason: 'a message was not taken after its last try: the host answered 500',
    });
    const [entry] = (await store.deliveries('dead', 10, 0)).messages;
    expect(entry).toMatchObject({ state: 'failed' });
    expect(entry?.attempts).toHaveLength(8);
    await dispatch();
    const notices = carried.filter(({ to }) => to === 'mail').map(({ body }) => JSON.parse(body));
    expect(notices).toEqual([expect.objectContaining({ type: 'destination.disabled' })]);
    expect(notices[0].data).toMatchObject({ id: 'dead', kind: 'webhook' });
  });

  it('does not delay other accounts, however many receivers of one account are slow', async () => {
    const accountId = 'another';
    const content = { type: 'violation.blocked', timestamp: new Date(START).toISOString(), data: {} };
    for (let n = 0; n < 50; n += 1) {
      const destinationId = `slow-${n}`;
      await store.addDestination(destination(destinationId, { accountId }));
      await store.addMessages([newMessage({ accountId, destinationId }, `message-${n}`, content, 1, START)]);
    }
    await store.addDestination(destination('d'));
    await follow(denials(1));
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const slowly: Carrier = {
      carry: async (to, id, body) => {
        const sent = await carrier.carry(to, id, body);
        if (to.accountId === accountId) await released;
        return sent;
      },
    };
    const dispatcher = new Dispatcher(context(), store, slowly);
    dispatcher.wake();
    while (!carried.some(({ to }) => to === 'd')) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(carried).toHaveLength(AT_ONCE_OF_ACCOUNT + 1);
    release();
    while ((await store.backlog()).waiting > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await dispatcher.stop();
    expect(new Set(carried.map(({ to }) => to)).size).toBe(51);
  });

  it('cancels pending messages of a disabled destination', async () => {
    await store.addDestination(destination('d'));
    await follow(denials(1));
    expect(await store.replaceDestination(destination('d', { enabled: false, revision: 2 }))).toBe(true);
    await dispatch();
    expect(carried).toEqual([]);
    expect((await store.deliveries('d', 10, 0)).messages).toMatchObject([{ state: 'cancelled', dueAtMs: null }]);
  });

  it('sends a message again once the claim of a crashed instance has expired', async () => {
    await store.addDestination(destination('d'));
    await follow(denials(1));
    const claim = await store.claim(now, now + CLAIM_MS, []);
    await dispatch();
    expect(carried).toEqual([]);
    now += CLAIM_MS;
    await dispatch();
    expect(carried.map(({ id }) => id)).toEqual([claim?.message.id]);
  });

  it.each(['before', 'after'] as const)(
    'killed %s any line: each event is reported, under a single id',
    async (moment) => {
      let lines = 0;
      for (let n = 1; n < 60; n += 1) {
        const file = join(directory, `${moment}-${n}.db`);
        const first = await openSqliteAlertStore(file);
        await first.addDestination(destination('d'));
        await first.addDestination(destination('e', { accountId: ACCOUNT }));
        carried = [];
        now = START + 10_000;
        const kill = killAt(n, moment);
        await follow(denials(3), kill.wrap(first)).catch(() => undefined);
        await dispatch(kill.wrap(first), kill.wrap(carrier));
        await first.close();
        const next = await openSqliteAlertStore(file);
        await follow(denials(3), next);
        await dispatch(next);
        now += WINDOW_MS;
        await dispatch(next);
        for (const id of ['d', 'e']) {
          const bodies = new Map(carried.filter(({ to }) => to === id).map((one) => [one.id, one.body]));
          expect([...bodies.values()].map((body) => JSON.parse(body).data.count)).toEqual([1, 2]);
        }
        expect((await next.backlog()).waiting).toBe(0);
        await next.close();
        if (!kill.happened) break;
        lines = n;
      }
      expect(lines).toBeGreaterThan(8);
      expect(lines).toBeLessThan(59);
    },
  );
});
