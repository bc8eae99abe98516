import type { AgentFacts, UsageFacts } from '@countersign/contracts';
import { InProcessCounters } from '@countersign/counters';
import { versionedRecord } from '@countersign/topics';
import { GatewayBench } from '../gateway.test-setup.js';
import { rebuildCounters } from './rebuild-counters.js';

const silent = { info: () => undefined };

describe('rebuildCounters', () => {
  const bench = new GatewayBench();
  beforeAll(() => bench.open());
  afterAll(() => bench.close());

  const rebuilt = async (): Promise<{ counters: InProcessCounters; replayed: number }> => {
    const counters = new InProcessCounters();
    let replayed = 0;
    await rebuildCounters(
      {
        eventLog: bench.log,
        counters: {
          beginRebuild: () => counters.beginRebuild(),
          abandonRebuild: () => counters.abandonRebuild(),
          restore: (snapshot) => counters.restore(snapshot),
          replay: (events) => {
            replayed += events.length;
            return counters.replay(events);
          },
          serve: () => counters.serve(),
        },
        log: silent,
      },
      Date.now,
    );
    return { counters, replayed };
  };

  const totals = async (
    accountAt: number,
    agentAt: number,
    positionAt: number,
    version: number,
    back = {},
  ): Promise<void> => {
    const events = await bench.events();
    const month = new Date().toISOString().slice(0, 7);
    const counted = events.slice(0, accountAt).filter(({ countsAction }) => countsAction).length;
    const spent = events.slice(0, agentAt).reduce((sum, { costMicros }) => sum + costMicros, 0);
    const records: Readonly<Record<string, UsageFacts>> = {
      position: { kind: 'position', offsets: { 0: positionAt } },
      [`account:${bench.accountId}`]: {
        kind: 'account',
        period: month,
        actionsInPeriod: counted,
        actionsEver: counted,
        offsets: { 0: accountAt },
      },
      [`agent:${bench.agentId}`]: {
        kind: 'agent',
        partition: 0,
        offset: agentAt,
        day: new Date().toISOString().slice(0, 10),
        dayMicros: spent,
        month,
        monthMicros: spent,
        ...back,
        rateTimes: [],
      },
    };
    await bench.log.append(Object.entries(records).map(([id, value]) => versionedRecord('usage', id, version, value)));
  };

  /** The remainder of a limit of 10 dollars a day, in dollars. */
  const left = async (counters: InProcessCounters): Promise<number> => {
    for (let cents = 0; ; cents += 1) {
      const result = counters.checkNow({
        accountId: bench.accountId,
        agentId: bench.agentId,
        apiKeyId: bench.keyId,
        versions: { account: 9, apiKey: 9, agent: 9 },
        plan: { plan: 'enterprise', actionCap: null, sandboxExpiresAtMs: null },
        profileVersion: 1,
        frozen: false,
        observe: false,
        freezeOnViolation: false,
        violation: null,
        costMicros: 10_000,
        spending: { limitMicros: 10_000_000, window: 'day' },
        rate: null,
        idempotency: null,
        entropy: '0'.repeat(20),
        actionSalt: 'A'.repeat(22),
        payloadSalt: null,
      });
      if (result.kind !== 'judged') throw new Error(result.kind);
      if (result.judgement.outcome === 'denied') return cents / 100;
    }
  };

  it('gives the same counts from the whole log, from totals and their tail, and from totals of unequal age', async () => {
    for (let i = 0; i < 10; i += 1) await bench.check({ type: 'a', estimatedCost: 0.5 });
    const usage = await bench.gateway.counters.usage(bench.accountId);
    expect(usage.actionsEver).toBe(10);

    const whole = await rebuilt();
    expect(whole.replayed).toBe(10);
    expect(await whole.counters.usage(bench.accountId)).toEqual(usage);
    expect(await left(whole.counters)).toBe(5);

    const unequal: readonly (readonly [number, number, number])[] = [
      [6, 6, 6],
      [9, 5, 5],
      [4, 10, 4],
      [10, 10, 10],
    ];
    for (const [version, [accountAt, agentAt, positionAt]] of unequal.entries()) {
      await totals(accountAt, agentAt, positionAt, version + 1);
      const { counters, replayed } = await rebuilt();
      expect(replayed).toBe(10 - positionAt);
      expect(await counters.usage(bench.accountId)).toEqual(usage);
      expect(await left(counters)).toBe(5);
    }

    await totals(4, 6, 4, unequal.length + 1, { dayBackMicros: 1_500_000, monthBackMicros: 1_500_000 });
    expect(await left((await rebuilt()).counters)).toBe(6.5);
  });

  it('takes freezes and versions from their owners', async () => {
    const frozen: Partial<AgentFacts> = { status: 'frozen' };
    await bench.putAgent(bench.agentId, {}, frozen);
    const { counters } = await rebuilt();
    expect(await counters.isFrozen(bench.agentId)).toBe(true);
    expect(await counters.version('agent', bench.agentId)).toBe(2);
    expect(await counters.version('account', bench.accountId)).toBe(1);
    expect(await counters.version('api-key', bench.keyId)).toBe(1);
  });
});
