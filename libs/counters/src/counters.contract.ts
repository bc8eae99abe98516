import { CLAIM_MS } from './port.js';
import type { CheckTrip, CheckTripResult, CountedEvent, Counters, Judgement, StaticViolation } from './port.js';
import type { StoredAnswer, UsageSnapshot } from './port.js';
import { countedViolations } from './violations.js';

/** Counters for one test, not serving yet, whose time is what `clock` gives. */
export interface ContractCounters {
  readonly counters: Counters;
  /** The same counters as another gateway holds them. */
  readonly another: () => Promise<Counters>;
  /** Closes them all. */
  readonly cleanup: () => Promise<void>;
}

const MOST = Number.MAX_SAFE_INTEGER;
const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 10, 21, 12);

const VIOLATION: StaticViolation = {
  violation_type: 'off_limits_action',
  severity: 'P1',
  reason: 'off limits',
  rule: 'off_limits_actions:transfer',
  detail: null,
  extras: null,
};

let trips = 0;
export function tripOf(change: Partial<CheckTrip> = {}): CheckTrip {
  return {
    accountId: 'account',
    agentId: 'agent',
    apiKeyId: 'api key',
    versions: { account: 1, apiKey: 1, agent: 1 },
    plan: { plan: 'enterprise', actionCap: null, sandboxExpiresAtMs: null },
    frozen: false,
    observe: false,
    freezeOnViolation: false,
    violation: null,
    costMicros: 0,
    spending: null,
    rate: null,
    idempotency: null,
    entropy: (++trips).toString(16).padStart(20, '0'),
    actionSalt: `salt ${trips}`,
    payloadSalt: null,
    ...change,
  };
}
const keyed = (keySha256: string, bodySha256 = 'body') => ({ idempotency: { keySha256, bodySha256 } });
const answerOf = (eventId: string, status = 200): StoredAnswer => {
  return { status, body: `{"allowed":true,"n":"${eventId}"}`, eventId, coverage: 'governed' };
};
const eventOf = (change: Partial<CountedEvent>): CountedEvent => ({
  partition: 0,
  offset: 0,
  accountId: 'account',
  agentId: 'agent',
  eventId: 'event',
  occurredAtMs: START,
  countsAction: true,
  countsRate: false,
  costMicros: 0,
  freezesAgent: false,
  idempotency: null,
  ...change,
});
const agentSnapshot = (change: Partial<UsageSnapshot['agents'][number]> = {}): UsageSnapshot['agents'][number] => ({
  agentId: 'agent',
  day: '2026-11-21',
  dayMicros: 0,
  month: '2026-11',
  monthMicros: 0,
  rateTimes: [],
  frozen: false,
  unfrozenAtMs: 0,
  ...change,
});
const EMPTY: UsageSnapshot = { accounts: [], agents: [], claims: [], versions: [] };

/** What all counters do, wherever they keep their counts: the sentences of `port.ts` as tests. */
export function countersContract(
  name: string,
  open: (options: { clock: () => number }) => Promise<ContractCounters>,
): void {
  describe(`counters: ${name}`, () => {
    let nowMs: number;
    let counters: Counters;
    let another: () => Promise<Counters>;
    let cleanup: () => Promise<void>;
    beforeEach(async () => {
      nowMs = START;
      ({ counters, another, cleanup } = await open({ clock: () => nowMs }));
      await counters.serve();
    });
    afterEach(() => cleanup());

    async function judge(change: Partial<CheckTrip> = {}): Promise<Judgement> {
      const result = await counters.check(tripOf(change));
      if (result.kind !== 'judged') throw new Error(`expected a judgement, got ${JSON.stringify(result)}`);
      return result.judgement;
    }
    const outcomeOf = async (change: Partial<CheckTrip> = {}) => (await judge(change)).outcome;
    const kindOf = async (change: Partial<CheckTrip> = {}): Promise<CheckTripResult['kind']> =>
      (await counters.check(tripOf(change))).kind;
    const actions = async (accountId = 'account') => (await counters.usage(accountId)).actionsEver;

    describe('a judgement', () => {
      it('carries what determines the event: time, random material, versions', async () => {
        const trip = tripOf({
          costMicros: 5,
          payloadSalt: 'payload salt',
          versions: { account: 3, apiKey: 4, agent: 5 },
        });
        expect(await counters.check(trip)).toEqual({
          kind: 'judged',
          judgement: {
            nowMs: START,
            entropy: trip.entropy,
            actionSalt: trip.actionSalt,
            payloadSalt: 'payload salt',
            versions: { account: 3, apiKey: 4, agent: 5 },
            outcome: 'allowed',
            violation: null,
            costMicros: 5,
            countsAction: true,
            countsRate: false,
            freezesAgent: false,
          },
        });
        expect(await counters.now()).toBe(START);
      });

      it('denies a static violation, counts the action and neither cost nor rate', async () => {
        const rate = { max: 1, per_seconds: 60 };
        const denied = await judge({ violation: VIOLATION, costMicros: 70, rate });
        expect(denied).toMatchObject({ outcome: 'denied', violation: VIOLATION, costMicros: 0, countsAction: true });
        expect(denied).toMatchObject({ countsRate: false, freezesAgent: false });
        expect(await actions()).toBe(1);
        expect(await outcomeOf({ costMicros: 70, spending: { limitMicros: 70, window: 'day' }, rate })).toBe('allowed');
      });

      it('says that a denial freezes where the profile wants it, and sets no flag itself', async () => {
        expect((await judge({ violation: VIOLATION, freezeOnViolation: true })).freezesAgent).toBe(true);
        expect(await counters.isFrozen('agent')).toBe(false);
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
        await counters.raise('agent', 'agent', 2);
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
        const first = await judge(keyed('k'));
        await counters.answered('account', 'k', answerOf('e1'));
        await counters.raise('agent', 'agent', 2);
        await counters.raise('account', 'account', 2);
        expect(await kindOf(keyed('k'))).toBe('answered');
        expect(await kindOf(keyed('k', 'other body'))).toBe('conflict');
        expect(await kindOf(keyed('new'))).toBe('stale');
        await counters.raise('api-key', 'api key', 2);
        expect(await kindOf(keyed('k'))).toBe('stale');
        expect(first.outcome).toBe('allowed');
      });
    });

    describe('plan', () => {
      it('expires a sandbox from its time on and counts no refusal', async () => {
        const plan = { plan: 'sandbox', actionCap: null, sandboxExpiresAtMs: START + 1000 } as const;
        nowMs = START + 999;
        expect(await outcomeOf({ plan })).toBe('allowed');
        nowMs = START + 1000;
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
        nowMs = Date.UTC(2026, 10, 30, 23, 59, 59, 999);
        for (const [accountId, plan] of [['s', sandbox] as const, ['p', paid] as const]) {
          expect(await outcomeOf({ accountId, plan })).toBe('allowed');
          expect(await outcomeOf({ accountId, plan, violation: VIOLATION })).toBe('denied');
          expect(await outcomeOf({ accountId, plan })).toBe('action_cap');
          expect(await counters.usage(accountId)).toEqual({ actionsInPeriod: 2, actionsEver: 2, period: '2026-11' });
        }
        nowMs = Date.UTC(2026, 11, 1);
        expect(await outcomeOf({ accountId: 's', plan: sandbox })).toBe('action_cap');
        expect(await outcomeOf({ accountId: 'p', plan: paid })).toBe('allowed');
        expect(await counters.usage('p')).toEqual({ actionsInPeriod: 1, actionsEver: 3, period: '2026-12' });
        expect(await counters.usage('s')).toMatchObject({ actionsInPeriod: 0, actionsEver: 2, period: '2026-12' });
      });

      it('knows no cap where there is none, and nothing of an account that never acted', async () => {
        expect(await counters.usage('nobody')).toEqual({ actionsInPeriod: 0, actionsEver: 0, period: '2026-11' });
        for (let n = 0; n < 5; n++) expect(await outcomeOf()).toBe('allowed');
      });
    });

    describe('spending', () => {
      it('allows up to the limit exactly and nothing above it, for action, day and month', async () => {
        for (const window of ['day', 'month'] as const) {
          const trip = { agentId: window, spending: { limitMicros: 100, window } };
          expect(await outcomeOf({ ...trip, costMicros: 99 })).toBe('allowed');
          expect(await outcomeOf({ ...trip, costMicros: 2 })).toBe('denied');
          expect(await outcomeOf({ ...trip, costMicros: 1 })).toBe('allowed');
          expect(await outcomeOf({ ...trip, costMicros: 1 })).toBe('denied');
          expect(await outcomeOf({ ...trip, costMicros: 0 })).toBe('allowed');
        }
        const trip = { spending: { limitMicros: 100, window: 'action' } } as const;
        for (let n = 0; n < 3; n++) expect(await outcomeOf({ ...trip, costMicros: 100 })).toBe('allowed');
        expect(await outcomeOf({ ...trip, costMicros: 101 })).toBe('denied');
      });

      it('tells limit and counter and never the cost', async () => {
        const spending = { limitMicros: 100_500_000, window: 'day' } as const;
        await judge({ costMicros: 90_000_000, spending });
        const { violation } = await judge({ costMicros: 20_000_017, spending });
        expect(violation).toMatchObject({
          violation_type: 'spending_limit_exceeded',
          severity: 'P2',
          rule: 'spending_limit:100.5',
          detail: 'limit 100.5 USD per day, 90 USD already counted',
        });
        expect(JSON.stringify(violation)).not.toContain('20');
      });

      it('begins a new day and a new month at midnight UTC', async () => {
        const day = { spending: { limitMicros: 10, window: 'day' } } as const;
        const month = { spending: { limitMicros: 10, window: 'month' } } as const;
        nowMs = Date.UTC(2026, 10, 29, 23, 59, 59, 999);
        await judge({ costMicros: 10 });
        expect(await outcomeOf({ ...day, costMicros: 1 })).toBe('denied');
        nowMs++;
        expect(await outcomeOf({ ...day, costMicros: 1 })).toBe('allowed');
        expect(await outcomeOf({ ...month, costMicros: 1 })).toBe('denied');
        nowMs = Date.UTC(2026, 11, 1);
        expect(await outcomeOf({ ...month, costMicros: 10 })).toBe('allowed');
      });

      it('counts while no limit is set, and each agent by itself', async () => {
        await judge({ costMicros: 60 });
        const spending = { limitMicros: 100, window: 'month' } as const;
        expect(await outcomeOf({ costMicros: 41, spending })).toBe('denied');
        expect(await outcomeOf({ costMicros: 41, spending, agentId: 'other' })).toBe('allowed');
      });

      it('saturates at 2^53 − 1 and stays exact up to there', async () => {
        const spending = { limitMicros: MOST, window: 'day' } as const;
        expect(await outcomeOf({ costMicros: MOST - 1, spending })).toBe('allowed');
        expect(await outcomeOf({ costMicros: 2, spending })).toBe('denied');
        expect(await outcomeOf({ costMicros: 1, spending })).toBe('allowed');
        for (let n = 0; n < 3; n++) await judge({ costMicros: MOST });
        expect(await outcomeOf({ costMicros: 1, spending })).toBe('denied');
        expect(await outcomeOf({ costMicros: 0, spending })).toBe('allowed');
      });
    });

    describe('what a check of an agent would meet', () => {
      const rate = { max: 3, per_seconds: 10 };
      const spending = { limitMicros: 100, window: 'day' } as const;

      it('is told without counting anything, and denies exactly what a check then denies', async () => {
        expect(await counters.agentUsage('agent', rate)).toEqual({
          nowMs: START,
          frozen: false,
          dayMicros: 0,
          monthMicros: 0,
          rateCount: 0,
          rateBlockedBy: null,
        });
        for (const at of [0, 4000, 9999]) {
          nowMs = START + at;
          await judge({ rate, spending, costMicros: 30 });
        }
        for (let n = 0; n < 3; n++) {
          const usage = await counters.agentUsage('agent', rate);
          expect(usage).toMatchObject({ dayMicros: 90, monthMicros: 90, rateCount: 3, rateBlockedBy: START });
          const found = countedViolations(usage, { rate, spending, costMicros: 11 });
          expect(found.spending).toEqual((await judge({ rate, spending, costMicros: 11 })).violation);
          expect(found.rate).toEqual((await judge({ rate, spending, costMicros: 0 })).violation);
          expect(countedViolations(usage, { rate: null, spending, costMicros: 10 }).spending).toBeNull();
        }
        nowMs = START + 10_000;
        expect(await counters.agentUsage('agent', rate)).toMatchObject({ rateCount: 2, rateBlockedBy: null });
        expect(await counters.agentUsage('agent', { max: 3, per_seconds: 60 })).toMatchObject({ rateCount: 3 });
        expect(await counters.agentUsage('agent', { max: 2, per_seconds: 10 })).toMatchObject({
          rateCount: 2,
          rateBlockedBy: START + 4000,
        });
        expect(await counters.agentUsage('agent', { max: 0, per_seconds: 10 })).toMatchObject({ rateBlockedBy: null });
        expect(await counters.agentUsage('agent', null)).toMatchObject({ rateCount: 0, rateBlockedBy: null });
      });

      it('tells the freeze flag, and begins anew with the day and the month', async () => {
        await judge({ spending, costMicros: 30 });
        await counters.freeze('agent', START + 1);
        expect((await counters.agentUsage('agent', null)).frozen).toBe(true);
        nowMs = START + 24 * 3_600_000;
        expect(await counters.agentUsage('agent', null)).toMatchObject({ dayMicros: 0, monthMicros: 30 });
        await counters.unfreeze('agent');
        expect((await counters.agentUsage('agent', null)).frozen).toBe(false);
        nowMs = START + 40 * 24 * 3_600_000;
        expect(await counters.agentUsage('agent', null)).toMatchObject({ dayMicros: 0, monthMicros: 0 });
      });
    });

    describe('rate', () => {
      const rate = { max: 3, per_seconds: 10 };

      it('is an exact sliding window', async () => {
        for (const at of [0, 4000, 9999]) {
          nowMs = START + at;
          expect(await outcomeOf({ rate })).toBe('allowed');
        }
        expect(await outcomeOf({ rate })).toBe('denied');
        nowMs = START + 10_000;
        expect(await outcomeOf({ rate })).toBe('allowed');
        nowMs = START + 13_999;
        expect(await outcomeOf({ rate })).toBe('denied');
        nowMs = START + 14_000;
        expect(await outcomeOf({ rate })).toBe('allowed');
      });

      it('tells limit, count and when the next check fits', async () => {
        for (const at of [0, 1000, 2000]) {
          nowMs = START + at;
          await judge({ rate });
        }
        const { violation } = await judge({ rate });
        expect(violation).toMatchObject({
          violation_type: 'rate_limit_exceeded',
          severity: 'P3',
          rule: 'rate_limit:3/10s',
          detail: 'limit 3 per 10 s, 3 already counted, the next check fits at 2026-11-21T12:00:10.000Z',
        });
        nowMs = START + 9999;
        expect(await outcomeOf({ rate })).toBe('denied');
        nowMs = START + 10_000;
        expect(await outcomeOf({ rate })).toBe('allowed');
      });

      it('says when a check fits after the limit was lowered, and that none fits a limit of 0', async () => {
        for (const at of [0, 1000, 2000]) {
          nowMs = START + at;
          await judge({ rate });
        }
        const lowered = await judge({ rate: { max: 1, per_seconds: 10 } });
        expect(lowered.violation?.detail).toContain('12:00:12.000Z');
        expect((await judge({ rate: { max: 0, per_seconds: 10 } })).violation?.detail).toContain('no check fits');
      });

      it('does not count what spending denied', async () => {
        const spending = { limitMicros: 1, window: 'action' } as const;
        for (let n = 0; n < 5; n++) await judge({ rate, spending, costMicros: 2 });
        for (let n = 0; n < 3; n++) expect(await outcomeOf({ rate })).toBe('allowed');
      });

      it('does not spend what rate denied', async () => {
        await judge({ rate: { max: 0, per_seconds: 1 }, costMicros: 50 });
        expect(await outcomeOf({ costMicros: 50, spending: { limitMicros: 50, window: 'day' } })).toBe('allowed');
      });
    });

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
        const results = await Promise.all(Array.from({ length: 200 }, () => counters.check(tripOf(keyed('twin')))));
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
        gateways = [counters, await another(), await another(), await another()];
      });
      const checks = (count: number, change: Partial<CheckTrip>) =>
        Promise.all(Array.from({ length: count }, (_, n) => gateways[n % gateways.length]!.check(tripOf(change))));
      const allowed = (results: readonly CheckTripResult[]) =>
        results.filter((result) => result.kind === 'judged' && result.judgement.outcome === 'allowed');

      it('judge 100 twins of one idempotency key once', async () => {
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
      ] as const)(
        'obey a new version of an %s from the moment on in which it was raised',
        async (kind, id, versions) => {
          for (const [n, gateway] of gateways.entries()) {
            const other = gateways[(n + 1) % gateways.length]!;
            const trip = { agentId: `agent ${n}`, apiKeyId: `api key ${n}`, accountId: `account ${n}` };
            expect((await other.check(tripOf(trip))).kind).toBe('judged');
            await gateway.raise(kind, `${id} ${n}`, 2);
            expect(await other.check(tripOf(trip))).toEqual({ kind: 'stale', versions });
            expect((await other.check(tripOf({ ...trip, versions }))).kind).toBe('judged');
          }
        },
      );

      it('obey a freeze and an unfreeze from the moment on in which they were set', async () => {
        for (const [n, gateway] of gateways.entries()) {
          const other = gateways[(n + 1) % gateways.length]!;
          const outcome = async () => {
            const result = await other.check(tripOf({ agentId: `agent ${n}` }));
            return result.kind === 'judged' ? result.judgement.outcome : result.kind;
          };
          await gateway.freeze(`agent ${n}`, START);
          expect(await outcome()).toBe('frozen');
          expect(await other.isFrozen(`agent ${n}`)).toBe(true);
          nowMs += 1;
          await gateway.unfreeze(`agent ${n}`);
          expect(await outcome()).toBe('allowed');
        }
      });

      it('answer and take back what another judged', async () => {
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
      it('only rise, and are unknown at first', async () => {
        expect(await counters.version('session', 's')).toBeNull();
        await counters.raise('session', 's', 4);
        await counters.raise('session', 's', 3);
        expect(await counters.version('session', 's')).toBe(4);
        expect(await counters.version('agent', 's')).toBeNull();
      });

      it.each([
        ['account', 'account'],
        ['api-key', 'api key'],
        ['agent', 'agent'],
      ] as const)('of an %s that is ahead makes a check stale without any effect', async (kind, id) => {
        await counters.raise(kind, id, 5);
        const rate = { max: 1, per_seconds: 60 };
        const stale = await counters.check(tripOf({ ...keyed('k'), costMicros: 10, rate }));
        const versions = { account: 1, apiKey: 1, agent: 1, [kind === 'api-key' ? 'apiKey' : kind]: 5 };
        expect(stale).toEqual({ kind: 'stale', versions });
        expect(await actions()).toBe(0);
        const spending = { limitMicros: 10, window: 'day' } as const;
        expect(await outcomeOf({ ...keyed('k', 'other'), costMicros: 10, spending, rate, versions })).toBe('allowed');
      });

      it('that a gateway has before they were raised are welcome', async () => {
        await counters.raise('agent', 'agent', 1);
        expect(await outcomeOf({ versions: { account: 1, apiKey: 1, agent: 9 } })).toBe('allowed');
      });
    });

    describe('freezing', () => {
      it('refuses every check until unfrozen and counts none of them', async () => {
        await counters.freeze('agent', START);
        expect(await counters.isFrozen('agent')).toBe(true);
        expect(await judge({ violation: VIOLATION })).toMatchObject({
          outcome: 'frozen',
          violation: null,
          countsAction: false,
        });
        expect(await outcomeOf({ agentId: 'other' })).toBe('allowed');
        nowMs += 5;
        expect(await counters.unfreeze('agent')).toBe(START + 5);
        expect(await counters.isFrozen('agent')).toBe(false);
        expect(await outcomeOf()).toBe('allowed');
        expect(await actions()).toBe(2);
      });

      it('refuses by the projection alone as well', async () => {
        expect(await outcomeOf({ frozen: true })).toBe('frozen');
        expect(await counters.isFrozen('agent')).toBe(false);
      });

      it('is without effect when the agent was unfrozen at that time or after', async () => {
        nowMs = START + 100;
        await counters.unfreeze('agent');
        await counters.freeze('agent', START + 99);
        await counters.freeze('agent', START + 100);
        expect(await counters.isFrozen('agent')).toBe(false);
        await counters.freeze('agent', START + 101);
        expect(await counters.isFrozen('agent')).toBe(true);
      });
    });

    describe('idempotency', () => {
      it('gives an answered key the same answer, another body a conflict, and counts nothing twice', async () => {
        await judge({ ...keyed('k'), costMicros: 5 });
        await counters.answered('account', 'k', answerOf('e1'));
        expect(await counters.check(tripOf(keyed('k')))).toEqual({ kind: 'answered', answer: answerOf('e1') });
        expect(await kindOf(keyed('k', 'other body'))).toBe('conflict');
        expect(await actions()).toBe(1);
      });

      it('keeps the first answer', async () => {
        await judge(keyed('k'));
        await counters.answered('account', 'k', answerOf('e1'));
        await counters.answered('account', 'k', answerOf('e2'));
        expect(await counters.check(tripOf(keyed('k')))).toEqual({ kind: 'answered', answer: answerOf('e1') });
      });

      it('keys are the account’s own', async () => {
        await judge(keyed('k'));
        expect(await kindOf({ ...keyed('k', 'other body'), accountId: 'other' })).toBe('judged');
      });

      it('gives an open key the judgement that it has', async () => {
        const judgement = await judge({ ...keyed('k'), costMicros: 5 });
        nowMs += 60_000;
        expect(await counters.check(tripOf({ ...keyed('k'), costMicros: 5 }))).toEqual({ kind: 'claimed', judgement });
        expect(await kindOf(keyed('k', 'other body'))).toBe('conflict');
        expect(await actions()).toBe(1);
      });

      it('an API key’s version of its own does not reopen a claim', async () => {
        const judgement = await judge(keyed('k'));
        const retry = tripOf({ ...keyed('k'), apiKeyId: 'another key', versions: { account: 1, apiKey: 8, agent: 1 } });
        expect(await counters.check(retry)).toEqual({ kind: 'claimed', judgement });
      });

      it.each([
        ['the agent’s profile', { versions: { account: 1, apiKey: 1, agent: 2 } }],
        ['the plan', { versions: { account: 2, apiKey: 1, agent: 1 } }],
        ['the freeze flag', { frozen: true }],
      ])('judges an open key anew when %s changed, and takes back what it had counted', async (_what, change) => {
        const rate = { max: 1, per_seconds: 3600 };
        const spending = { limitMicros: 10, window: 'day' } as const;
        const superseded = await judge({ ...keyed('k'), costMicros: 10, spending, rate });
        nowMs += 1000;
        const again = tripOf({ ...keyed('k'), costMicros: 10, spending, rate, ...change });
        const result = await counters.check(again);
        expect(result).toMatchObject({ kind: 'rejudged', superseded });
        if (result.kind !== 'rejudged') return;
        expect(result.judgement).toMatchObject({ nowMs, entropy: again.entropy, versions: again.versions });
        expect(result.judgement.outcome).toBe('frozen' in change ? 'frozen' : 'allowed');
        expect(await actions()).toBe('frozen' in change ? 0 : 1);
        expect(await counters.check({ ...again, entropy: 'later' })).toEqual({
          kind: 'claimed',
          judgement: result.judgement,
        });
      });

      it('a gateway behind the claim’s versions is stale and changes nothing', async () => {
        const judgement = await judge({ ...keyed('k'), versions: { account: 1, apiKey: 1, agent: 7 } });
        expect(await counters.check(tripOf(keyed('k')))).toEqual({
          kind: 'stale',
          versions: { account: 1, apiKey: 1, agent: 7 },
        });
        const fresh = tripOf({ ...keyed('k'), versions: { account: 1, apiKey: 1, agent: 7 } });
        expect(await counters.check(fresh)).toEqual({ kind: 'claimed', judgement });
      });

      it('an answer to a judgement that was made anew is not kept', async () => {
        const old = await judge(keyed('k'));
        const change = { versions: { account: 1, apiKey: 1, agent: 2 } };
        const result = await counters.check(tripOf({ ...keyed('k'), ...change }));
        if (result.kind !== 'rejudged') throw new Error(result.kind);
        await counters.answered('account', 'k', answerOf('old'), old.entropy);
        expect(await kindOf({ ...keyed('k'), ...change })).toBe('claimed');
        await counters.answered('account', 'k', answerOf('new'), result.judgement.entropy);
        expect(await counters.check(tripOf({ ...keyed('k'), ...change }))).toEqual({
          kind: 'answered',
          answer: answerOf('new'),
        });
      });

      it('does not replay refusals: they end the claim', async () => {
        expect(await outcomeOf({ ...keyed('k'), frozen: true })).toBe('frozen');
        await counters.answered('account', 'k', answerOf('e1', 403));
        expect(await outcomeOf(keyed('k', 'even another body'))).toBe('allowed');
      });

      it('remembers for 24 hours', async () => {
        await judge(keyed('answered'));
        await counters.answered('account', 'answered', answerOf('e1'));
        await judge(keyed('open'));
        nowMs = START + CLAIM_MS - 1;
        expect(await kindOf(keyed('answered'))).toBe('answered');
        expect(await kindOf(keyed('open'))).toBe('claimed');
        nowMs = START + CLAIM_MS;
        expect(await kindOf(keyed('answered', 'other body'))).toBe('judged');
        expect(await kindOf(keyed('open', 'other body'))).toBe('judged');
      });
    });

    describe('taking back', () => {
      const rate = { max: 1, per_seconds: 3600 };
      const spending = { limitMicros: 10, window: 'month' } as const;
      const full = { costMicros: 10, spending, rate };

      it('undoes action, spending and rate', async () => {
        const judgement = await judge(full);
        expect(await outcomeOf(full)).toBe('denied');
        await counters.takeBack('account', 'agent', judgement, null);
        expect(await actions()).toBe(1);
        expect(await outcomeOf(full)).toBe('allowed');
        expect(await counters.usage('account')).toMatchObject({ actionsInPeriod: 2, actionsEver: 2 });
      });

      it('drops the claim', async () => {
        const judgement = await judge({ ...keyed('k'), ...full });
        await counters.takeBack('account', 'agent', judgement, 'k');
        expect(await actions()).toBe(0);
        expect(await outcomeOf({ ...keyed('k', 'other body'), ...full })).toBe('allowed');
      });

      it('leaves the windows of a later day and month alone', async () => {
        const judgement = await judge(full);
        nowMs = Date.UTC(2026, 11, 1);
        await judge({ costMicros: 10 });
        await counters.takeBack('account', 'agent', judgement, null);
        expect(await outcomeOf({ costMicros: 1, spending })).toBe('denied');
        expect(await counters.usage('account')).toMatchObject({ actionsInPeriod: 2, actionsEver: 2 });
      });

      it('happens only when every attempt with this judgement has failed', async () => {
        const judgement = await judge({ ...keyed('k'), ...full });
        expect(await kindOf({ ...keyed('k'), ...full })).toBe('claimed');
        await counters.takeBack('account', 'agent', judgement, 'k');
        expect(await actions()).toBe(1);
        expect(await kindOf({ ...keyed('k'), ...full })).toBe('claimed');
        await counters.takeBack('account', 'agent', judgement, 'k');
        await counters.takeBack('account', 'agent', judgement, 'k');
        expect(await actions()).toBe(0);
        expect(await kindOf({ ...keyed('k'), ...full })).toBe('judged');
      });

      it('does nothing once the claim was answered or judged anew', async () => {
        const answered = await judge(keyed('k'));
        await counters.answered('account', 'k', answerOf('e1'));
        await counters.takeBack('account', 'agent', answered, 'k');
        const old = await judge(keyed('l'));
        await counters.check(tripOf({ ...keyed('l'), versions: { account: 1, apiKey: 1, agent: 2 } }));
        await counters.takeBack('account', 'agent', old, 'l');
        expect(await actions()).toBe(2);
      });
    });

    describe('rebuilding', () => {
      let fresh: Counters;
      let cleanupFresh: () => Promise<void>;
      beforeEach(async () => {
        ({ counters: fresh, cleanup: cleanupFresh } = await open({ clock: () => nowMs }));
        counters = fresh;
      });
      afterEach(() => cleanupFresh());

      it('refuses checks and says why until it serves, and again when a rebuild begins', async () => {
        expect(fresh.unavailable()).not.toBeNull();
        expect(await kindOf()).toBe('unavailable');
        await expect(fresh.usage('account')).rejects.toMatchObject({ name: 'CountersUnavailable' });
        await expect(fresh.isFrozen('agent')).rejects.toMatchObject({ name: 'CountersUnavailable' });
        await fresh.serve();
        expect(fresh.unavailable()).toBeNull();
        expect(await kindOf()).toBe('judged');
        await fresh.restore(EMPTY);
        expect(fresh.unavailable()).not.toBeNull();
        expect(await kindOf()).toBe('unavailable');
        await fresh.serve();
        expect(await actions()).toBe(1);
      });

      it('begins anew: forgets totals and claims, keeps versions, freezes and unfreezes', async () => {
        await fresh.replay([
          eventOf({ eventId: '1', costMicros: 9, countsRate: true }),
          eventOf({ eventId: '2', idempotency: { keySha256: 'k', bodySha256: 'body', answer: answerOf('2') } }),
        ]);
        await fresh.raise('agent', 'other', 4);
        await fresh.freeze('cold', START);
        await fresh.unfreeze('thawed');
        expect(await fresh.beginRebuild()).not.toBeNull();
        await fresh.freeze('thawed', START);
        await fresh.replay([eventOf({ eventId: '1', costMicros: 4 })]);
        await fresh.serve();
        expect(await actions()).toBe(1);
        expect(await fresh.version('agent', 'other')).toBe(4);
        expect([await fresh.isFrozen('cold'), await fresh.isFrozen('thawed')]).toEqual([true, false]);
        expect(await kindOf(keyed('k', 'other body'))).toBe('judged');
        const limits = { spending: { limitMicros: 4, window: 'day' }, rate: { max: 1, per_seconds: 60 } } as const;
        expect(await outcomeOf(limits)).toBe('allowed');
        expect(await outcomeOf({ ...limits, rate: null, costMicros: 1 })).toBe('denied');
        expect(await fresh.beginRebuild()).toBeNull();
      });

      it('takes totals, rate, flags, versions and claims from a snapshot', async () => {
        await fresh.restore({
          accounts: [{ accountId: 'account', period: '2026-11', actionsInPeriod: 7, actionsEver: 40 }],
          agents: [
            agentSnapshot({ dayMicros: 8, monthMicros: 60, rateTimes: [START - 9000, START - 1000] }),
            agentSnapshot({ agentId: 'cold', frozen: true }),
          ],
          claims: [
            {
              accountId: 'account',
              keySha256: 'k',
              bodySha256: 'body',
              occurredAtMs: START - 5,
              answer: answerOf('e1'),
            },
            {
              accountId: 'account',
              keySha256: 'old',
              bodySha256: 'b',
              occurredAtMs: START - CLAIM_MS,
              answer: answerOf('e0'),
            },
          ],
          versions: [{ kind: 'agent', id: 'late', version: 3 }],
        });
        await fresh.serve();
        expect(await fresh.usage('account')).toEqual({ actionsInPeriod: 7, actionsEver: 40, period: '2026-11' });
        expect(await outcomeOf({ costMicros: 3, spending: { limitMicros: 10, window: 'day' } })).toBe('denied');
        expect(await outcomeOf({ costMicros: 3, spending: { limitMicros: 62, window: 'month' } })).toBe('denied');
        const rate = { max: 2, per_seconds: 10 };
        expect(await outcomeOf({ rate })).toBe('denied');
        nowMs += 1000;
        expect(await outcomeOf({ rate })).toBe('allowed');
        expect(await outcomeOf({ agentId: 'cold' })).toBe('frozen');
        expect(await kindOf({ agentId: 'late' })).toBe('stale');
        expect(await counters.check(tripOf(keyed('k')))).toEqual({ kind: 'answered', answer: answerOf('e1') });
        expect(await kindOf(keyed('k', 'other body'))).toBe('conflict');
        expect(await kindOf(keyed('old'))).toBe('judged');
      });

      it('replaces totals, and lets versions and freezes only rise', async () => {
        await fresh.raise('agent', 'agent', 9);
        nowMs = START + 50;
        await fresh.unfreeze('agent');
        await fresh.freeze('cold', START);
        for (const actionsEver of [5, 3]) {
          await fresh.restore({
            accounts: [{ accountId: 'account', period: '2026-11', actionsInPeriod: 1, actionsEver }],
            agents: [agentSnapshot({ frozen: true, unfrozenAtMs: START }), agentSnapshot({ agentId: 'cold' })],
            claims: [],
            versions: [{ kind: 'agent', id: 'agent', version: 2 }],
          });
        }
        await fresh.serve();
        expect(await fresh.version('agent', 'agent')).toBe(9);
        expect(await fresh.isFrozen('agent')).toBe(false);
        expect(await fresh.isFrozen('cold')).toBe(true);
        expect((await fresh.usage('account')).actionsEver).toBe(3);
      });

      it('counts each event of the tail once, into the windows of its own time', async () => {
        nowMs = Date.UTC(2026, 11, 1, 0, 0, 5);
        const november = Date.UTC(2026, 10, 30, 23, 59, 59);
        const december = Date.UTC(2026, 11, 1, 0, 0, 1);
        const tail = [
          eventOf({ eventId: '1', occurredAtMs: november, costMicros: 100, countsRate: true }),
          eventOf({ eventId: '2', occurredAtMs: december, costMicros: 7, countsRate: true, offset: 1 }),
          eventOf({ eventId: '3', occurredAtMs: december, countsAction: false, offset: 2 }),
        ];
        await fresh.restore(EMPTY);
        await fresh.replay(tail);
        await fresh.replay(tail.slice(1));
        await fresh.serve();
        expect(await fresh.usage('account')).toEqual({ actionsInPeriod: 1, actionsEver: 2, period: '2026-12' });
        const spending = { limitMicros: 10, window: 'month' } as const;
        expect(await outcomeOf({ costMicros: 4, spending })).toBe('denied');
        expect(await outcomeOf({ costMicros: 3, spending })).toBe('allowed');
        expect(await outcomeOf({ rate: { max: 2, per_seconds: 10 } })).toBe('denied');
        expect(await outcomeOf({ rate: { max: 2, per_seconds: 5 } })).toBe('allowed');
      });

      it('keeps the windows of today when an event of yesterday comes after one of today', async () => {
        nowMs = Date.UTC(2026, 11, 1, 0, 0, 5);
        await fresh.replay([
          eventOf({ eventId: '1', occurredAtMs: nowMs, costMicros: 9 }),
          eventOf({ eventId: '2', occurredAtMs: nowMs - 60_000, costMicros: 500 }),
          eventOf({ eventId: '3', occurredAtMs: nowMs, costMicros: 1, countsAction: false }),
        ]);
        await fresh.serve();
        const [day, month] = [
          { limitMicros: 20, window: 'day' } as const,
          { limitMicros: 20, window: 'month' } as const,
        ];
        expect(await outcomeOf({ costMicros: 11, spending: day })).toBe('denied');
        expect(await outcomeOf({ costMicros: 11, spending: month })).toBe('denied');
        expect(await outcomeOf({ costMicros: 10, spending: day })).toBe('allowed');
        expect(await outcomeOf({ costMicros: 1, spending: month })).toBe('denied');
        expect(await counters.usage('account')).toMatchObject({ actionsInPeriod: 5, actionsEver: 6 });
      });

      it('freezes by the tail unless the agent was unfrozen since, and keeps its claims', async () => {
        const idempotency = { keySha256: 'k', bodySha256: 'body', answer: answerOf('f1') };
        await fresh.restore({ ...EMPTY, agents: [agentSnapshot({ agentId: 'thawed', unfrozenAtMs: START - 10 })] });
        await fresh.replay([
          eventOf({ eventId: 'f1', freezesAgent: true, occurredAtMs: START - 20, idempotency }),
          eventOf({ eventId: 'f2', freezesAgent: true, occurredAtMs: START - 20, agentId: 'thawed' }),
          eventOf({
            eventId: 'f3',
            agentId: 'thawed',
            occurredAtMs: START - 5,
            idempotency: { ...idempotency, keySha256: 'refused', answer: answerOf('f3', 403) },
          }),
        ]);
        await fresh.serve();
        expect(await fresh.isFrozen('agent')).toBe(true);
        expect(await fresh.isFrozen('thawed')).toBe(false);
        expect(await kindOf(keyed('k'))).toBe('answered');
        expect(await kindOf(keyed('refused', 'other body'))).toBe('judged');
        nowMs = START - 20 + DAY_MS;
        expect(await kindOf(keyed('k', 'other body'))).toBe('judged');
      });
    });
  });
}
