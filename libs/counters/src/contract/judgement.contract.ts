import type { CheckTrip } from '../port.js';
import { deniedOf, keyed, START, tripOf, VIOLATION } from './counters.test-setup.js';
import type { CountersBench } from './counters.test-setup.js';

/** Judgements, their order, and the limits of plans. */
export function judgementContract(bench: CountersBench): void {
  const { judge, outcomeOf, kindOf, actions } = bench;

  describe('a judgement', () => {
    it('carries the facts that determine the event: time, random material, versions', async () => {
      const trip = tripOf({
        costMicros: 5,
        payloadSalt: 'payload salt',
        carried: 'text of the caller',
        versions: { account: 3, apiKey: 4, agent: 5 },
      });
      expect(await bench.counters.check(trip)).toEqual({
        kind: 'judged',
        judgement: {
          nowMs: START,
          entropy: trip.entropy,
          actionSalt: trip.actionSalt,
          payloadSalt: 'payload salt',
          carried: 'text of the caller',
          versions: { account: 3, apiKey: 4, agent: 5 },
          outcome: 'allowed',
          violation: null,
          costMicros: 5,
          countsAction: true,
          countsRate: false,
          freezesAgent: false,
        },
      });
      expect(await bench.counters.now()).toBe(START);
    });

    it('denies a static violation, counts the action and neither cost nor rate', async () => {
      const rate = { max: 1, per_seconds: 60 };
      const denied = await judge({ violation: VIOLATION, costMicros: 70, rate });
      expect(denied).toMatchObject({ outcome: 'denied', violation: VIOLATION, costMicros: 0, countsAction: true });
      expect(denied).toMatchObject({ countsRate: false, freezesAgent: false });
      expect(await actions()).toBe(1);
      expect(await outcomeOf({ costMicros: 70, spending: { limitMicros: 70, window: 'day' }, rate })).toBe('allowed');
    });

    it('marks a denial as freezing where the profile says so, and sets no flag itself', async () => {
      expect((await judge({ violation: VIOLATION, freezeOnViolation: true })).freezesAgent).toBe(true);
      expect(await bench.counters.isFrozen('agent')).toBe(false);
      expect((await judge({ freezeOnViolation: true })).freezesAgent).toBe(false);
    });
  });

  describe('order', () => {
    const spending = { limitMicros: 1, window: 'action' } as const;
    const rate = { max: 0, per_seconds: 1 };
    const sandbox = { plan: 'sandbox', actionCap: 0, sandboxExpiresAtMs: START } as const;
    const everything: Partial<CheckTrip> = {
      versions: { account: 1, apiKey: 1, agent: 1 },
      plan: sandbox,
      frozen: true,
      violation: VIOLATION,
      costMicros: 2,
      spending,
      rate,
    };

    it('is stale → expiry → cap → freeze → static violation → spending → rate', async () => {
      await bench.counters.raise('agent', 'agent', 2);
      expect(await kindOf(everything)).toBe('stale');
      const fresh = { ...everything, versions: { account: 1, apiKey: 1, agent: 2 } };
      expect(await outcomeOf(fresh)).toBe('sandbox_expired');
      const capped = { ...fresh, plan: { ...sandbox, sandboxExpiresAtMs: START + 1 } };
      expect(await outcomeOf(capped)).toBe('action_cap');
      const free = { ...fresh, plan: { ...sandbox, actionCap: null, sandboxExpiresAtMs: null } };
      expect(await outcomeOf(free)).toBe('frozen');
      const thawed = { ...free, frozen: false };
      expect((await judge(thawed)).violation?.violation_type).toBe('off_limits_action');
      expect((await judge({ ...thawed, violation: null })).violation?.violation_type).toBe('spending_limit_exceeded');
      const cheap = { ...thawed, violation: null, spending: null };
      expect((await judge(cheap)).violation?.violation_type).toBe('rate_limit_exceeded');
      expect(await outcomeOf({ ...cheap, rate: null })).toBe('allowed');
      expect(await actions()).toBe(4);
    });

    it('is API key → idempotency → versions', async () => {
      const first = await judge({ ...keyed('k'), violation: VIOLATION });
      await bench.counters.answered('account', 'k', deniedOf('e1'));
      await bench.counters.raise('agent', 'agent', 2);
      await bench.counters.raise('account', 'account', 2);
      expect(await kindOf(keyed('k'))).toBe('answered');
      expect(await kindOf(keyed('k', 'other body'))).toBe('conflict');
      expect(await kindOf(keyed('new'))).toBe('stale');
      await bench.counters.raise('api-key', 'api key', 2);
      expect(await kindOf(keyed('k'))).toBe('stale');
      expect(first.outcome).toBe('denied');
    });
  });

  describe('plan', () => {
    it('expires a sandbox from its expiry time on and counts no refusal', async () => {
      const plan = { plan: 'sandbox', actionCap: null, sandboxExpiresAtMs: START + 1000 } as const;
      bench.nowMs = START + 999;
      expect(await outcomeOf({ plan })).toBe('allowed');
      bench.nowMs = START + 1000;
      expect(await judge({ plan, costMicros: 9 })).toMatchObject({
        outcome: 'sandbox_expired',
        violation: null,
        costMicros: 0,
        countsAction: false,
        freezesAgent: false,
      });
      expect(await actions()).toBe(1);
    });

    it('caps a sandbox over all time and a paid plan by calendar month (UTC)', async () => {
      const sandbox = { plan: 'sandbox', actionCap: 2, sandboxExpiresAtMs: null } as const;
      const paid = { plan: 'core', actionCap: 2, sandboxExpiresAtMs: null } as const;
      bench.nowMs = Date.UTC(2026, 10, 30, 23, 59, 59, 999);
      for (const [accountId, plan] of [['s', sandbox] as const, ['p', paid] as const]) {
        expect(await outcomeOf({ accountId, plan })).toBe('allowed');
        expect(await outcomeOf({ accountId, plan, violation: VIOLATION })).toBe('denied');
        expect(await outcomeOf({ accountId, plan })).toBe('action_cap');
        expect(await bench.counters.usage(accountId)).toEqual({
          actionsInPeriod: 2,
          actionsEver: 2,
          period: '2026-11',
        });
      }
      bench.nowMs = Date.UTC(2026, 11, 1);
      expect(await outcomeOf({ accountId: 's', plan: sandbox })).toBe('action_cap');
      expect(await outcomeOf({ accountId: 'p', plan: paid })).toBe('allowed');
      expect(await bench.counters.usage('p')).toEqual({ actionsInPeriod: 1, actionsEver: 3, period: '2026-12' });
      expect(await bench.counters.usage('s')).toMatchObject({ actionsInPeriod: 0, actionsEver: 2, period: '2026-12' });
    });

    it('knows no cap where there is none, and reports nothing of an account that never acted', async () => {
      expect(await bench.counters.usage('unknown')).toEqual({ actionsInPeriod: 0, actionsEver: 0, period: '2026-11' });
      for (let n = 0; n < 5; n++) expect(await outcomeOf()).toBe('allowed');
    });
  });
}
