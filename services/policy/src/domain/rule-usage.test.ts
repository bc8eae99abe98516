import { unpackAmounts } from '@countersign/contracts';
import type { ApprovalOfCheck, HeldAmount, KeptRules } from '@countersign/contracts';
import { RULE_BOUNDS } from '@countersign/counters';
import fc from 'fast-check';
import { agentRecordOfUsage } from './usage-records.js';
import { countRules } from './rule-usage.js';
import type { RuleEvent } from './rule-usage.js';
import { countForAgent } from './usage.js';
import type { AgentTotals, Counted } from './usage.js';

/** Maximum size of a message of the log, bytes. */
const MAX_VALUE_BYTES = 4 * 1024 * 1024;
const T = Date.UTC(2026, 2, 1);
const ONE = { units: 1, nanos: 0 };

interface Step {
  /** The clock moves by so much, ms; events may reach the log a little out of order. */
  readonly ms: number;
  readonly fact: number | null;
  readonly limits: readonly { key: number; seconds: number; units: number }[];
  /** The amounts of so many checks ago are given back. */
  readonly back: number | null;
  readonly endsBatch: boolean;
}

const steps = fc.array(
  fc.record<Step>({
    ms: fc.oneof(fc.integer({ min: -500, max: 3_000 }), fc.constant(20_000)),
    fact: fc.option(fc.nat(2)),
    limits: fc.array(
      fc.record({ key: fc.nat(2), seconds: fc.constantFrom(2, 10), units: fc.integer({ min: 1, max: 3 }) }),
      { maxLength: 3 },
    ),
    back: fc.option(fc.nat(4), { freq: 3 }),
    endsBatch: fc.boolean(),
  }),
  { maxLength: 40 },
);

function eventsOf(all: readonly Step[]): readonly { readonly event: RuleEvent; readonly endsBatch: boolean }[] {
  let nowMs = T;
  const checks: RuleEvent[] = [];
  return all.map(({ ms, fact, limits, back, endsBatch }) => {
    nowMs += ms;
    const old = back === null ? undefined : checks.at(-1 - back);
    if (old !== undefined) {
      const counted = old.ruleCounts?.limits ?? [];
      const held = counted.map(({ key, amount }) => ({ key, order: old.order!, atMs: old.occurredAtMs, amount }));
      return { event: { occurredAtMs: nowMs, givesBackHeld: held }, endsBatch };
    }
    const event: RuleEvent = {
      occurredAtMs: nowMs,
      order: checks.length + 1,
      ruleCounts: {
        facts: fact === null ? [] : [{ id: `f${fact}`, key: 'agent', expiresAtMs: nowMs + 1000 * (fact + 1) }],
        limits: [...new Map(limits.map((limit) => [limit.key, limit])).values()].map(({ key, seconds, units }) => {
          return { key: `k${key}`, windowSeconds: seconds, amount: { units, nanos: 0 }, reserve: true };
        }),
      },
    };
    checks.push(event);
    return { event, endsBatch };
  });
}

/** Facts that are set and amounts that count at a time, as text. */
function holds(
  facts: readonly { id: string; expiresAtMs: number }[],
  amounts: readonly (HeldAmount & { windowSeconds: number })[],
  nowMs: number,
): readonly string[] {
  const until = new Map<string, number>();
  for (const { id, expiresAtMs } of facts) until.set(id, Math.max(expiresAtMs, until.get(id) ?? 0));
  return [
    ...[...until].filter(([, expiresAtMs]) => expiresAtMs > nowMs).map(([id, ms]) => `${id} until ${ms - T}`),
    ...amounts
      .filter(({ atMs, windowSeconds }) => nowMs - atMs < windowSeconds * 1000)
      .map((one) => JSON.stringify([one.key, one.windowSeconds, one.atMs - T, one.order, one.amount])),
  ].sort();
}

function plainly(events: readonly RuleEvent[], nowMs: number): readonly string[] {
  const name = ({ key, order }: { key: string; order: number }) => `${key} ${order}`;
  const back = new Set(events.flatMap(({ givesBackHeld = [] }) => givesBackHeld.map(name)));
  const amounts = events.flatMap(({ order = 0, occurredAtMs: atMs, ruleCounts }) =>
    (ruleCounts?.limits ?? []).map((counted) => ({ ...counted, order, atMs })),
  );
  return holds(
    events.flatMap(({ ruleCounts }) => ruleCounts?.facts ?? []),
    amounts.filter((one) => !back.has(name(one))),
    nowMs,
  );
}

function amountsOf(kept: KeptRules | undefined): readonly (HeldAmount & { windowSeconds: number })[] {
  return (kept?.windows ?? []).flatMap(([key, windowSeconds, , text]) =>
    unpackAmounts(text)!.map((one) => ({ ...one, key, windowSeconds })),
  );
}

const unitsAt = (kept: KeptRules | undefined, nowMs: number) =>
  amountsOf(kept)
    .filter(({ atMs, windowSeconds }) => nowMs - atMs < windowSeconds * 1000)
    .reduce((sum, { amount }) => sum + amount.units, 0);

describe('facts and amounts of an agent', () => {
  it('are those that the events say, however these are divided into batches', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const events = eventsOf(all);
        let kept: KeptRules | undefined;
        let batch: RuleEvent[] = [];
        for (const { event, endsBatch } of events) {
          batch.push(event);
          if (!endsBatch) continue;
          kept = countRules(kept, batch);
          kept = kept && (JSON.parse(JSON.stringify(kept)) as KeptRules);
          batch = [];
        }
        if (batch.length > 0) kept = countRules(kept, batch);
        const nowMs = Math.max(0, ...events.map(({ event }) => event.occurredAtMs));
        const facts = (kept?.facts ?? []).map(([id, , expiresAtMs]) => ({ id, expiresAtMs }));
        expect(holds(facts, amountsOf(kept), nowMs)).toEqual(
          plainly(
            events.map(({ event }) => event),
            nowMs,
          ),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('are gone once they have expired', () => {
    const limits = [{ key: 'k', windowSeconds: 60, amount: ONE, reserve: false }];
    const facts = [{ id: 'f', key: 'agent', expiresAtMs: T + 90_000 }];
    const before = countRules(undefined, [{ occurredAtMs: T, order: 1, ruleCounts: { facts, limits } }]);
    const at = (ms: number) => countRules(before, [{ occurredAtMs: T + ms }]);
    expect(before).toEqual(at(59_999));
    expect(at(60_000)).toEqual({ facts: [['f', 'agent', T + 90_000]], windows: [] });
    expect(at(90_000)).toBeUndefined();
  });

  const check = (n: number, key: string, windowSeconds: number, amount = ONE): RuleEvent => ({
    ...{ occurredAtMs: T + n, order: n },
    ruleCounts: { facts: [], limits: [{ key, windowSeconds, amount, reserve: true }] },
  });

  it('stay within the bounds: amounts become one of the later time, so that limits never allow more', () => {
    const many = Array.from({ length: RULE_BOUNDS.window + 3 }, (_, n) => check(n, 'k', 20));
    const kept = countRules(undefined, many);
    expect(amountsOf(kept).length).toBeLessThanOrEqual(RULE_BOUNDS.window);
    for (const nowMs of [T + 10_002, T + 20_001, T + 25_000, T + 29_000, T + 30_003]) {
      const exact = many.filter(({ occurredAtMs }) => nowMs - occurredAtMs < 20_000).length;
      expect(unitsAt(kept, nowMs)).toBeGreaterThanOrEqual(exact);
      expect(unitsAt(kept, nowMs)).toBeLessThanOrEqual(exact + 3);
    }
    const small = countRules(undefined, many.slice(0, 400), 600);
    expect(JSON.stringify(small).length).toBeLessThan(600);
    expect(unitsAt(small, T + 400)).toBe(400);
    expect(unitsAt(small, T + 20_398)).toBeGreaterThan(1);
    expect(unitsAt(small, T + 20_399)).toBe(0);
  });

  it('fit into one message of the log at the bounds of the counters, with keys and numbers of the longest form', () => {
    const year = 31_622_400;
    const { agent, amounts } = RULE_BOUNDS;
    const step = (year * 1000) / (amounts / agent) - 1;
    const events = Array.from({ length: amounts }, (_, n): RuleEvent => {
      const key = (n % agent).toString(16).padStart(64, 'a');
      const amount = { units: 99_999_999_999 - (n % 7), nanos: 999_999_999 - n };
      return { ...check(n, key, year, amount), occurredAtMs: T + Math.floor((n / agent) * step), order: n * 977 };
    });
    const at = { partition: 0, offset: 2 ** 40, countsAction: true, countsRate: false, costMicros: 0 };
    const counted = (over: Partial<Counted>) => events.map((event) => ({ ...at, ...event, ...over }));
    const bytes = (totals: AgentTotals) => Buffer.byteLength(JSON.stringify(agentRecordOfUsage(totals)));
    const agentId = 'a'.repeat(36);
    const totals = countForAgent(null, agentId, counted({}), null);
    expect(amountsOf(totals.rules).length).toBe(amounts);
    expect(bytes(totals)).toBeGreaterThan(3_500_000);
    expect(bytes(totals)).toBeLessThan(MAX_VALUE_BYTES);
    const rate = { max: 100_000, per_seconds: year };
    const withTimes = countForAgent(null, agentId, counted({ countsRate: true }), rate);
    expect(withTimes.rateTimes.length).toBe(amounts);
    expect(bytes(withTimes)).toBeLessThan(MAX_VALUE_BYTES);
    const sum = ({ rules }: AgentTotals) => amountsOf(rules).reduce((all, { amount }) => all + amount.units, 0);
    expect(amountsOf(withTimes.rules).length).toBeLessThan(amounts);
    expect(sum(withTimes)).toBeGreaterThanOrEqual(sum(totals));
  });
});

describe('approvals of an agent', () => {
  const of = (state: 'requested' | 'consumed' | 'used', id: string, seconds: number) =>
    ({ state, id, bindingSha256: 'b', expiresAt: new Date(T + seconds * 1000).toISOString() }) as ApprovalOfCheck;
  const counted = (...approvals: readonly ApprovalOfCheck[]) =>
    countRules(undefined, [...approvals.map((one) => ({ occurredAtMs: T, order: 1, approvalsOfCheck: [one] }))])
      ?.approvals;

  it('are the latest of each binding; one that is used up does not open again, and is kept until it expires', () => {
    const [asked, used, next] = [of('requested', 'one', 60), of('consumed', 'one', 60), of('requested', 'two', 90)];
    expect(counted(asked)).toEqual([['one', 'b', T + 60_000, false]]);
    expect(counted(asked, of('used', 'one', 60))).toEqual([['one', 'b', T + 60_000, false]]);
    expect(counted(asked, used, asked)).toEqual([['one', 'b', T + 60_000, true]]);
    expect(counted(asked, used, next, asked, used)).toEqual([['two', 'b', T + 90_000, false]]);
    const before = countRules(undefined, [{ occurredAtMs: T, order: 1, approvalsOfCheck: [asked] }]);
    expect(countRules(before, [{ occurredAtMs: T + 60_000, order: 2 }])).toBeUndefined();
  });
});
