import type { CheckTrip, CheckTripResult, Counters } from '../port.js';
import { answerOf, keyed, START, tripOf, VIOLATION } from './counters.test-setup.js';
import type { CountersBench } from './counters.test-setup.js';

/** Concurrent checks and several gateways; observing, versions, frozen agents. */
export function statesContract(bench: CountersBench): void {
  const { judge, outcomeOf, actions } = bench;

  describe('concurrent checks', () => {
    it('let exactly as many through as the rate, the budget and the cap allow', async () => {
      const many = (change: Partial<CheckTrip>) =>
        Promise.all(Array.from({ length: 200 }, () => judge(change))).then((judgements) =>
          judgements.filter(({ outcome }) => outcome === 'allowed'),
        );
      expect(await many({ agentId: 'a', rate: { max: 57, per_seconds: 60 } })).toHaveLength(57);
      const spending = { limitMicros: 1000, window: 'day' } as const;
      expect(await many({ agentId: 'b', spending, costMicros: 7 })).toHaveLength(142);
      const plan = { plan: 'core', actionCap: 33, sandboxExpiresAtMs: null } as const;
      expect(await many({ accountId: 'capped', agentId: 'c', plan })).toHaveLength(33);
    });

    it('with one idempotency key are judged once', async () => {
      const results = await Promise.all(Array.from({ length: 200 }, () => bench.counters.check(tripOf(keyed('twin')))));
      const judged = results.filter(({ kind }) => kind === 'judged');
      expect(judged).toHaveLength(1);
      const judgement = judged[0]?.kind === 'judged' ? judged[0].judgement : null;
      for (const result of results.filter((one) => one !== judged[0])) {
        expect(result).toEqual({ kind: 'claimed', judgement });
      }
      expect(await actions()).toBe(1);
    });
  });

  describe('several gateways', () => {
    let gateways: readonly Counters[];
    beforeEach(async () => {
      gateways = [bench.counters, await bench.another(), await bench.another(), await bench.another()];
    });
    const checks = (count: number, change: Partial<CheckTrip>) =>
      Promise.all(Array.from({ length: count }, (_, n) => gateways[n % gateways.length]!.check(tripOf(change))));
    const allowed = (results: readonly CheckTripResult[]) =>
      results.filter((result) => result.kind === 'judged' && result.judgement.outcome === 'allowed');

    it('judge 100 duplicates of one idempotency key once', async () => {
      const results = await checks(100, { ...keyed('twin'), costMicros: 5 });
      expect(results.filter(({ kind }) => kind === 'judged')).toHaveLength(1);
      expect(results.filter(({ kind }) => kind === 'claimed')).toHaveLength(99);
      const judgements = results.map((result) => ('judgement' in result ? JSON.stringify(result.judgement) : null));
      expect(new Set(judgements).size).toBe(1);
      expect(await actions()).toBe(1);
    });

    it('let exactly as many through as the cap, the budget and the rate allow', async () => {
      const plan = { plan: 'core', actionCap: 33, sandboxExpiresAtMs: null } as const;
      expect(allowed(await checks(100, { accountId: 'capped', plan }))).toHaveLength(33);
      const spending = { limitMicros: 1000, window: 'month' } as const;
      expect(allowed(await checks(200, { agentId: 'b', spending, costMicros: 7 }))).toHaveLength(142);
      expect(allowed(await checks(100, { agentId: 'c', rate: { max: 57, per_seconds: 60 } }))).toHaveLength(57);
    });

    it.each([
      ['account', 'account', { account: 2, apiKey: 1, agent: 1 }],
      ['api-key', 'api key', { account: 1, apiKey: 2, agent: 1 }],
      ['agent', 'agent', { account: 1, apiKey: 1, agent: 2 }],
    ] as const)('obey a new version of an %s from the moment at which it is raised', async (kind, id, versions) => {
      for (const [n, gateway] of gateways.entries()) {
        const other = gateways[(n + 1) % gateways.length]!;
        const trip = { agentId: `agent ${n}`, apiKeyId: `api key ${n}`, accountId: `account ${n}` };
        expect((await other.check(tripOf(trip))).kind).toBe('judged');
        await gateway.raise(kind, `${id} ${n}`, 2);
        expect(await other.check(tripOf(trip))).toEqual({ kind: 'stale', versions });
        expect((await other.check(tripOf({ ...trip, versions }))).kind).toBe('judged');
      }
    });

    it('obey a freeze and an unfreeze from the moment at which they are set', async () => {
      for (const [n, gateway] of gateways.entries()) {
        const other = gateways[(n + 1) % gateways.length]!;
        const outcome = async () => {
          const result = await other.check(tripOf({ agentId: `agent ${n}` }));
          return result.kind === 'judged' ? result.judgement.outcome : result.kind;
        };
        await gateway.freeze(`agent ${n}`, START);
        expect(await outcome()).toBe('frozen');
        expect(await other.isFrozen(`agent ${n}`)).toBe(true);
        bench.nowMs += 1;
        await gateway.unfreeze(`agent ${n}`);
        expect(await outcome()).toBe('allowed');
      }
    });

    it('answer and revert what another judged', async () => {
      const [first, second] = [gateways[0]!, gateways[1]!];
      const judged = await first.check(tripOf({ ...keyed('k'), costMicros: 5 }));
      if (judged.kind !== 'judged') throw new Error(judged.kind);
      expect(await second.check(tripOf({ ...keyed('k'), costMicros: 5 }))).toEqual({ ...judged, kind: 'claimed' });
      await second.takeBack('account', 'agent', judged.judgement, 'k');
      expect(await actions()).toBe(1);
      await first.answered('account', 'k', answerOf('e1'), judged.judgement.entropy);
      expect(await second.check(tripOf(keyed('k')))).toEqual({ kind: 'answered', answer: answerOf('e1') });
    });
  });

  describe('observe', () => {
    it('lets every violation pass, names it, counts everything, freezes nothing', async () => {
      const observed = await judge({ observe: true, violation: VIOLATION, freezeOnViolation: true, costMicros: 30 });
      expect(observed).toMatchObject({
        outcome: 'allowed',
        violation: VIOLATION,
        costMicros: 30,
        freezesAgent: false,
      });
      const spending = { limitMicros: 40, window: 'day' } as const;
      const rate = { max: 1, per_seconds: 60 };
      const dear = await judge({ observe: true, costMicros: 20, spending, rate });
      expect(dear).toMatchObject({ outcome: 'allowed', costMicros: 20, countsRate: true });
      expect(dear.violation?.violation_type).toBe('spending_limit_exceeded');
      const often = await judge({ observe: true, rate });
      expect(often.violation?.violation_type).toBe('rate_limit_exceeded');
      expect(await actions()).toBe(3);
      expect(await outcomeOf({ rate })).toBe('denied');
      expect(await outcomeOf({ costMicros: 1, spending: { limitMicros: 50, window: 'day' } })).toBe('denied');
    });

    it('still refuses by plan and freeze', async () => {
      expect(await outcomeOf({ observe: true, frozen: true })).toBe('frozen');
      const plan = { plan: 'core', actionCap: 0, sandboxExpiresAtMs: null } as const;
      expect(await outcomeOf({ observe: true, plan })).toBe('action_cap');
    });
  });

  describe('versions', () => {
    it('only increase, and are unknown at first', async () => {
      expect(await bench.counters.version('session', 's')).toBeNull();
      await bench.counters.raise('session', 's', 4);
      await bench.counters.raise('session', 's', 3);
      expect(await bench.counters.version('session', 's')).toBe(4);
      expect(await bench.counters.version('agent', 's')).toBeNull();
    });

    it.each([
      ['account', 'account'],
      ['api-key', 'api key'],
      ['agent', 'agent'],
    ] as const)('of an %s that is newer makes a check stale without any effect', async (kind, id) => {
      await bench.counters.raise(kind, id, 5);
      const rate = { max: 1, per_seconds: 60 };
      const stale = await bench.counters.check(tripOf({ ...keyed('k'), costMicros: 10, rate }));
      const versions = { account: 1, apiKey: 1, agent: 1, [kind === 'api-key' ? 'apiKey' : kind]: 5 };
      expect(stale).toEqual({ kind: 'stale', versions });
      expect(await actions()).toBe(0);
      const spending = { limitMicros: 10, window: 'day' } as const;
      expect(await outcomeOf({ ...keyed('k', 'other'), costMicros: 10, spending, rate, versions })).toBe('allowed');
    });

    it('that a gateway has before they were raised are accepted', async () => {
      await bench.counters.raise('agent', 'agent', 1);
      expect(await outcomeOf({ versions: { account: 1, apiKey: 1, agent: 9 } })).toBe('allowed');
    });
  });

  describe('freezing', () => {
    it('refuses every check until unfrozen and counts none of them', async () => {
      await bench.counters.freeze('agent', START);
      expect(await bench.counters.isFrozen('agent')).toBe(true);
      expect(await judge({ violation: VIOLATION })).toMatchObject({
        outcome: 'frozen',
        violation: null,
        countsAction: false,
      });
      expect(await outcomeOf({ agentId: 'other' })).toBe('allowed');
      bench.nowMs += 5;
      expect(await bench.counters.unfreeze('agent')).toBe(START + 5);
      expect(await bench.counters.isFrozen('agent')).toBe(false);
      expect(await outcomeOf()).toBe('allowed');
      expect(await actions()).toBe(2);
    });

    it('also refuses by the read model alone', async () => {
      expect(await outcomeOf({ frozen: true })).toBe('frozen');
      expect(await bench.counters.isFrozen('agent')).toBe(false);
    });

    it('is without effect when the agent was unfrozen at that time or after', async () => {
      bench.nowMs = START + 100;
      await bench.counters.unfreeze('agent');
      await bench.counters.freeze('agent', START + 99);
      await bench.counters.freeze('agent', START + 100);
      expect(await bench.counters.isFrozen('agent')).toBe(false);
      await bench.counters.freeze('agent', START + 101);
      expect(await bench.counters.isFrozen('agent')).toBe(true);
    });
  });
}
