import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { powersOf } from '@countersign/contracts';
import type { AccountFacts, ApiKeyFacts, OutcomeReport, ReportedOutcome } from '@countersign/contracts';
import type { EventLog, LogRecord } from '@countersign/event-log';
import type { ServiceContext } from '@countersign/service-kit';
import type { Projection } from '@countersign/topics';
import { EventIntake } from '../ingest/event-intake.js';
import { SqliteEventStore } from '../store/sqlite.js';
import { ACCOUNT, agentId, denied, envelope, eventId, other, START } from '../testing/envelopes.js';
import { OutcomeHandler, type OutcomeAgents } from './outcome-handler.js';

/** A log of one partition that an instance stores as it is read. */
class SmallLog {
  readonly records: LogRecord[] = [];
  refuses = false;

  readonly append: EventLog['append'] = (messages) => {
    if (this.refuses) return Promise.reject(new Error('the disk is full'));
    return Promise.resolve(
      messages.map(({ key, value }) => {
        const offset = this.records.length;
        const place = { topic: 'agent-events', partition: 0, offset } as const;
        this.records.push({ ...place, key, value: Buffer.from(value ?? ''), appendedAtMs: START });
        return place;
      }),
    );
  };

  readonly endOffsets: EventLog['endOffsets'] = () => Promise.resolve({ 0: this.records.length });
}

describe('what became of a check', () => {
  const directory = mkdtempSync(join(tmpdir(), 'outcomes-'));
  let log: SmallLog;
  let store: SqliteEventStore;
  let intake: EventIntake;
  let handler: OutcomeHandler;
  let follows: NodeJS.Timeout;
  let file = 0;
  const caller = { accountId: ACCOUNT, apiKeyId: 'key-1', powers: powersOf({}) };

  const context = (): ServiceContext =>
    ({
      eventLog: log,
      counters: { now: () => Promise.resolve(START + 10_000) },
      config: { anchorWindowSeconds: null },
      log: { error: () => undefined },
    }) as unknown as ServiceContext;
  const accounts = { get: () => ({ version: 1, value: { cadenceSeconds: 1 } }) } as unknown as Projection<AccountFacts>;

  /** Agent 2 was registered by a key. */
  const agents: OutcomeAgents = {
    get: (id) => ({
      version: 1,
      value: {
        accountId: ACCOUNT,
        ...{ name: 'Agent', blockchain_ssn: null },
        ...(id === agentId(2) ? { registeredByKey: 'key-1' } : {}),
      },
    }),
    caughtUp: () => Promise.resolve(),
  };

  beforeEach(() => {
    log = new SmallLog();
    store = new SqliteEventStore(join(directory, `${file++}.db`));
    intake = new EventIntake(context(), store, () => undefined);
    handler = new OutcomeHandler(context(), store, intake, accounts, agents);
    let taken = 0;
    let taking = Promise.resolve();
    follows = setInterval(() => {
      taking = taking.then(async () => {
        const records = log.records.slice(taken);
        if (records.length === 0) return;
        await intake.take({ topic: 'agent-events', partition: 0, records, endOffset: log.records.length });
        taken += records.length;
      });
    }, 2);
  });
  afterEach(async () => {
    clearInterval(follows);
    await new Promise((resolve) => setTimeout(resolve, 10));
    await store.close();
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const write = (...envelopes: readonly { readonly leaf: { readonly agentId: string } }[]) =>
    log.append(envelopes.map((one) => ({ topic: 'agent-events', key: one.leaf.agentId, value: JSON.stringify(one) })));
  const report = (parts: Partial<OutcomeReport> = {}, who = caller) =>
    handler.report(who, { agentId: agentId(1), eventId: eventId(1), outcome: 'succeeded', ...parts });
  const reportLatest = (agent: number) => handler.report(caller, { agentId: agentId(agent), outcome: 'succeeded' });
  const outcomes = () =>
    log.records
      .map(({ value }) => JSON.parse(Buffer.from(value).toString()))
      .filter((e) => e.leaf.type === 'action.outcome');

  it('is an event of the archive once it is answered, also of a check that the log has only just taken', async () => {
    await write(envelope(1));
    const id = await report({ agentId: agentId(1).toUpperCase(), eventId: eventId(1).toUpperCase(), detail: 'done' });
    expect(await store.find(ACCOUNT, id)).toMatchObject({
      sequence: 2,
      leaf: { type: 'action.outcome', refersTo: eventId(1), outcome: 'succeeded' },
      openings: { payload: { value: 'done' } },
    });
  });

  it('is said once: a second report is 409, and changes nothing', async () => {
    await write(envelope(1));
    const id = await report();
    for (const outcome of ['succeeded', 'failed'] as ReportedOutcome[]) {
      await expect(report({ outcome })).rejects.toMatchObject({ status: 409 });
    }
    expect((await store.find(ACCOUNT, id))?.leaf.outcome).toBe('succeeded');
    expect(outcomes().length).toBe(1);
  });

  it('is said once by a hundred at a time, alike or not, on two instances', async () => {
    await write(envelope(1));
    const another = new OutcomeHandler(context(), store, intake, accounts, agents);
    const all = await Promise.allSettled(
      Array.from({ length: 100 }, (_, n) =>
        (n % 2 === 0 ? handler : another).report(caller, {
          agentId: agentId(1),
          eventId: eventId(1),
          outcome: n % 3 === 0 ? 'failed' : 'succeeded',
          detail: `report ${n}`,
        }),
      ),
    );
    const taken = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(taken.length).toBe(1);
    expect(all.flatMap((one) => (one.status === 'rejected' ? [one.reason.status] : []))).toEqual(Array(99).fill(409));
    expect(await store.span(agentId(1), 0, START + 1e9)).toEqual({ first: 1, last: 2 });
  });

  it('gives back the spending of a skipped check, and nothing where it failed', async () => {
    const counted = [
      { ...envelope(1), costMicros: 80 },
      { ...envelope(2), costMicros: 7 },
    ];
    await write(...counted);
    await report({ outcome: 'skipped' });
    await report({ eventId: eventId(2), outcome: 'failed' });
    const [skipped, failed] = outcomes();
    expect(skipped.givesBack).toEqual({ costMicros: 80, occurredAt: envelope(1).leaf.occurredAt });
    expect(failed).not.toHaveProperty('givesBack');
  });

  it('gives back the reserved amounts of a skipped check, and nothing where it failed', async () => {
    const amount = { units: 2, nanos: 5 };
    const limits = [{ key: 'k', windowSeconds: 60, amount, reserve: true }];
    const counted = { order: 3, ruleCounts: { facts: [], limits } };
    await write({ ...envelope(1), ...counted }, { ...envelope(2), ...counted });
    await report({ outcome: 'skipped' });
    await report({ eventId: eventId(2), outcome: 'failed' });
    const [skipped, failed] = outcomes();
    const atMs = Date.parse(envelope(1).leaf.occurredAt);
    expect(skipped.givesBackHeld).toEqual([{ key: 'k', order: 3, atMs, amount }]);
    expect(failed).not.toHaveProperty('givesBackHeld');
  });

  it('of the latest check, where none is named', async () => {
    await write(envelope(1), denied(2), other(3, 'agent.frozen'));
    const id = await reportLatest(1);
    expect((await store.find(ACCOUNT, id))?.leaf.refersTo).toBe(eventId(2));
    expect(outcomes()[0]).toMatchObject({ executedRefusal: true });
  });

  it('is refused where there is no such check of this agent and account', async () => {
    await write(envelope(1), other(3, 'agent.frozen'));
    await expect(report({ eventId: eventId(9) })).rejects.toMatchObject({ status: 404 });
    await expect(report({ eventId: eventId(3) })).rejects.toMatchObject({ status: 404 });
    await expect(report({ agentId: agentId(2) })).rejects.toMatchObject({ status: 404 });
    await expect(report({}, { ...caller, accountId: 'account-b' })).rejects.toMatchObject({ status: 404 });
    await expect(reportLatest(2)).rejects.toMatchObject({ status: 404 });
    expect(outcomes()).toEqual([]);
  });

  it('is for a key that names the agent, or the first, where a key registered the agent', async () => {
    await write(envelope(1, { agent: 2 }));
    const by = (facts: Partial<ApiKeyFacts>) => report({ agentId: agentId(2) }, { ...caller, powers: powersOf(facts) });
    await expect(by({})).rejects.toMatchObject({ status: 404, message: expect.stringContaining('agentIds') });
    expect(outcomes()).toEqual([]);
    expect(await by({ agentIds: [agentId(2)] })).toEqual(expect.any(String));
    await expect(by({ first: true })).rejects.toMatchObject({ status: 409 });
  });

  it('is 503 while the log does not take it', async () => {
    await write(envelope(1));
    log.refuses = true;
    await expect(report()).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    log.refuses = false;
    expect(await report()).toEqual(expect.any(String));
  });
});
