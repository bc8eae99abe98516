import type { EventEnvelope } from '@countersign/contracts';
import { LogInDoubt, LogRefused } from '@countersign/event-log';
import type { EventLog, NewRecord } from '@countersign/event-log';
import { GatewayBench } from './gateway.test-setup.js';

/** Current behaviour of the log for checks; `action.unanswered` always succeeds unless it is stopped. */
type Mode =
  | 'works'
  | 'refuses'
  | 'appends, and the process is starved'
  | 'appends, then fails'
  | 'fails before'
  | 'hangs'
  | 'stopped';

describe('when the log fails', () => {
  const bench = new GatewayBench();
  let mode: Mode = 'works';
  let release: () => void = () => undefined;

  const between = (log: EventLog): EventLog => {
    const wrapped: EventLog = Object.create(log) as EventLog;
    const append = async (records: readonly NewRecord[]): ReturnType<EventLog['append']> => {
      const checks = records.some(({ value }) => value.includes('"type":"action.checked"'));
      if (mode === 'stopped') throw new LogRefused('stopped');
      if (!checks || mode === 'works') return log.append(records);
      if (mode === 'refuses') throw new LogRefused('no space left');
      if (mode === 'hangs') await new Promise<void>((resolve) => (release = resolve));
      if (mode === 'appends, and the process is starved') {
        const appended = await log.append(records);
        // Timers are due, but what has happened is reported first.
        for (const until = performance.now() + 400; performance.now() < until;);
        return appended;
      }
      if (mode !== 'fails before') await log.append(records);
      throw new LogInDoubt('the sync failed');
    };
    return Object.assign(wrapped, {
      append,
      refusing: () => null,
      read: log.read.bind(log),
      consume: log.consume.bind(log),
      partitions: log.partitions.bind(log),
      beginOffsets: log.beginOffsets.bind(log),
      endOffsets: log.endOffsets.bind(log),
    });
  };

  beforeAll(() => bench.open({ between, deadlineMs: 300 }));
  beforeEach(() => {
    mode = 'works';
  });
  afterAll(() => bench.close());

  const unansweredOf = async (eventId: unknown): Promise<readonly EventEnvelope[]> => {
    for (let tries = 0; tries < 100; tries += 1) {
      const found = (await bench.events()).filter(({ leaf }) => leaf.refersTo === eventId);
      if (found.length > 0) return found;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return [];
  };
  const used = async (): Promise<number> => (await bench.gateway.counters.usage(bench.accountId)).actionsEver;

  it('answers 503 and reverts what was counted when the log refuses', async () => {
    const before = await used();
    mode = 'refuses';
    const answer = await bench.check({ type: 'a' });
    expect(answer.status).toBe(503);
    expect(answer.body).toEqual({ allowed: false, reason: expect.any(String), severity: 'P1', code: 'unavailable' });
    expect(answer.headers['retry-after']).toBe('1');
    expect(answer.headers['x-event-id']).toBeUndefined();
    expect(await used()).toBe(before);
    mode = 'works';
    expect((await bench.check({ type: 'a' })).status).toBe(200);
  });

  it.each(['appends, then fails', 'fails before'] as const)(
    'names the event and follows it up when it %s',
    async (how) => {
      const before = await used();
      mode = how;
      const answer = await bench.check({ type: 'a' });
      expect(answer).toMatchObject({ status: 503, body: { allowed: false, code: 'unavailable' } });
      const eventId = answer.headers['x-event-id'];
      expect(eventId).toBeDefined();
      // Nothing is reverted while it is in doubt.
      expect(await used()).toBe(before + 1);
      mode = 'works';
      const [unanswered, ...more] = await unansweredOf(eventId);
      expect(more).toEqual([]);
      expect(unanswered).toMatchObject({
        countsAction: false,
        leaf: { type: 'action.unanswered', agentId: bench.agentId },
      });
    },
  );

  it('answers at the deadline, and follows the event up when the log accepts again', async () => {
    mode = 'hangs';
    const begun = Date.now();
    const answer = await bench.check({ type: 'a' });
    expect(answer).toMatchObject({ status: 503, body: { allowed: false, code: 'deadline_exceeded' } });
    expect(Date.now() - begun).toBeGreaterThanOrEqual(295);
    const eventId = answer.headers['x-event-id'];
    mode = 'stopped';
    release();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await bench.events()).some(({ leaf }) => leaf.refersTo === eventId)).toBe(false);
    mode = 'works';
    expect(await unansweredOf(eventId)).toHaveLength(1);
  });

  it.each([{}, { 'idempotency-key': 'starved' }])(
    'answers 503 for what is recorded only after the deadline, even without a timer that fires: %j',
    async (headers) => {
      mode = 'appends, and the process is starved';
      const answer = await bench.check({ type: 'a' }, { headers });
      expect(answer).toMatchObject({ status: 503, body: { allowed: false, code: 'deadline_exceeded' } });
      const eventId = answer.headers['x-event-id'];
      expect((await bench.events()).filter(({ leaf }) => leaf.eventId === eventId)).toHaveLength(1);
      mode = 'works';
      if (headers['idempotency-key'] === undefined) expect(await unansweredOf(eventId)).toHaveLength(1);
      else {
        const retried = await bench.check({ type: 'a' }, { headers });
        expect(retried).toMatchObject({ status: 200, body: { allowed: true } });
        expect(retried.headers['x-event-id']).toBe(eventId);
      }
    },
  );

  it('keeps a claim over a 503: the retry appends the same event and gets its answer', async () => {
    const sent = { headers: { 'idempotency-key': 'retry' } };
    mode = 'fails before';
    const failed = await bench.check({ type: 'a' }, sent);
    expect(failed.status).toBe(503);
    mode = 'works';
    const retried = await bench.check({ type: 'a' }, sent);
    expect(retried.body).toEqual({ allowed: true });
    expect(retried.headers['x-event-id']).toBe(failed.headers['x-event-id']);
    const events = (await bench.events()).filter(({ leaf }) => leaf.eventId === failed.headers['x-event-id']);
    expect(events).toHaveLength(1);
  });

  it('judges a retry again when the profile changed since, and marks the old event unanswered', async () => {
    const sent = { headers: { 'idempotency-key': 'changed' } };
    mode = 'appends, then fails';
    const failed = await bench.check({ type: 'b' }, sent);
    mode = 'works';
    await bench.putAgent(bench.agentId, { off_limits_actions: ['b'] });
    const retried = await bench.check({ type: 'b' }, sent);
    expect(retried.body).toMatchObject({ allowed: false, violation_type: 'off_limits_action' });
    expect(retried.headers['x-event-id']).not.toBe(failed.headers['x-event-id']);
    expect(await unansweredOf(failed.headers['x-event-id'])).toHaveLength(1);
  });

  it('waits for a version that has not arrived, and gives up at the deadline', async () => {
    await bench.gateway.counters.raise('agent', bench.agentId, 1000);
    const answer = await bench.check({ type: 'a' });
    expect(answer).toMatchObject({ status: 503, body: { allowed: false } });
    expect(answer.headers['x-event-id']).toBeUndefined();
  });
});
