import fc from 'fast-check';
import { RulesModel } from './contract/rules-model.test-setup.js';
import { chosenRules, ruleChoice } from './contract/rule-trips.test-setup.js';
import type { RuleChoice } from './contract/rule-trips.test-setup.js';
import type { ContractCounters } from './counters.contract.js';
import type {
  CheckTrip,
  CountedEvent,
  Counters,
  GivenBackSums,
  Judgement,
  LoggedApproval,
  StaticViolation,
  UsageSnapshot,
} from './port.js';

const START = Date.UTC(2026, 10, 29, 22);
const DAY_MS = 86_400_000;
const ACCOUNTS = ['a0', 'a1'];
const VIOLATION: StaticViolation = {
  violation_type: 'api_not_allowed',
  severity: 'P2',
  reason: 'not allowed',
  rule: null,
  detail: null,
  extras: null,
};
/** Each agent keeps its profile: changes of a rate window are not part of what has to be restored. */
const PROFILES = [
  { spending: { limitMicros: 50, window: 'day' }, rate: { max: 3, per_seconds: 60 }, observe: false },
  { spending: { limitMicros: 80, window: 'month' }, rate: null, observe: false },
  { spending: { limitMicros: 20, window: 'action' }, rate: { max: 2, per_seconds: 7200 }, observe: true },
] as const;

type Command =
  | {
      readonly kind: 'check';
      readonly account: number;
      readonly agent: number;
      readonly cost: number;
      readonly denied: boolean;
      readonly freezes: boolean;
      readonly key: number | null;
      readonly lands: boolean;
      readonly rules: RuleChoice | null;
      readonly wantsSeen: boolean;
    }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'giveBack'; readonly agent: number; readonly micros: number }
  /** The outcome of the agent's newest checks with reserved amounts says that the action was skipped. */
  | { readonly kind: 'skip'; readonly agent: number; readonly back: number }
  | { readonly kind: 'unfreeze'; readonly agent: number }
  | { readonly kind: 'raise'; readonly agent: number };

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('check' as const),
      account: fc.nat(ACCOUNTS.length - 1),
      agent: fc.nat(PROFILES.length - 1),
      cost: fc.nat(40),
      denied: fc.nat(5).map((n) => n === 0),
      freezes: fc.nat(3).map((n) => n === 0),
      key: fc.option(fc.nat(4)),
      lands: fc.nat(5).map((n) => n > 0),
      rules: ruleChoice,
      wantsSeen: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.constantFrom(0, 1, 999, 30_000, 60_000, 540_000, 3_600_000, 7_200_000, DAY_MS - 1, DAY_MS),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('giveBack' as const), agent: fc.nat(2), micros: fc.nat(60) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('skip' as const), agent: fc.nat(2), back: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unfreeze' as const), agent: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('raise' as const), agent: fc.nat(2) }) },
);

/** Keeps every appended event and computes each answer from all of them: slow and plain. */
class Model {
  nowMs = START;
  readonly appended: CountedEvent[] = [];
  readonly frozen = new Set<string>();
  readonly unfrozenAt = new Map<string, number>();
  readonly version = new Map<string, number>();

  /** Credited spending of an agent in a day or a month. */
  readonly back = new Map<string, number>();

  backOf(agentId: string, window: string): number {
    return this.back.get(`${agentId} ${window}`) ?? 0;
  }

  /** Credits of the windows in which an agent was last counted; `null` before it was counted. */
  givenBack(agentId: string): GivenBackSums | null {
    const last = this.of(agentId).findLast(({ costMicros }) => costMicros > 0);
    if (last === undefined) return null;
    const [day, month] = [iso(last.occurredAtMs).slice(0, 10), iso(last.occurredAtMs).slice(0, 7)];
    return { day, dayMicros: this.backOf(agentId, day), month, monthMicros: this.backOf(agentId, month) };
  }

  giveBack(agentId: string, micros: number): void {
    const before = this.givenBack(agentId);
    if (before === null) return;
    this.back.set(`${agentId} ${before.day}`, before.dayMicros + micros);
    this.back.set(`${agentId} ${before.month}`, before.monthMicros + micros);
  }

  versionOf(agentId: string): number {
    return this.version.get(agentId) ?? 1;
  }

  of(agentId: string): CountedEvent[] {
    return this.appended.filter((event) => event.agentId === agentId);
  }

  spent(agentId: string, length: number): number {
    const now = iso(this.nowMs).slice(0, length);
    const events = this.of(agentId).filter(({ occurredAtMs }) => iso(occurredAtMs).slice(0, length) === now);
    const sum = events.reduce((total, { costMicros }) => total + costMicros, 0);
    return Math.max(0, sum - this.backOf(agentId, now));
  }

  counted(agentId: string, seconds: number): number {
    const inside = (event: CountedEvent) => event.countsRate && this.nowMs - event.occurredAtMs < seconds * 1000;
    return this.of(agentId).filter(inside).length;
  }

  rules(agentId: string): RulesModel {
    return new RulesModel(this.of(agentId), this.nowMs);
  }

  /** Outcome of a trip by the port's rules, with the violation's rule of the profile, or its type. */
  expected(trip: CheckTrip): ['allowed' | 'denied' | 'frozen', string | null] {
    const { agentId, violation, observe, rules } = trip;
    if (this.frozen.has(agentId)) return ['frozen', null];
    const before = violation?.violation_type ?? null;
    const between = this.#spendingOrRate(trip);
    const found =
      before !== null || rules === undefined
        ? { rule: before ?? between, denies: (before ?? between) !== null }
        : this.rules(agentId).found(rules, between);
    return [found.denies && !observe ? 'denied' : 'allowed', found.rule];
  }

  #spendingOrRate({ agentId, spending, rate, costMicros }: CheckTrip): string | null {
    let found: string | null = null;
    if (found === null && spending !== null && costMicros > 0) {
      const length = { action: 0, day: 10, month: 7 }[spending.window];
      const before = spending.window === 'action' ? 0 : this.spent(agentId, length);
      if (before + costMicros > spending.limitMicros) found = 'spending_limit_exceeded';
    }
    if (found === null && rate !== null && this.counted(agentId, rate.per_seconds) >= rate.max)
      found = 'rate_limit_exceeded';
    return found;
  }

  /** The last event that answered a trip's idempotency key. */
  known(trip: CheckTrip): CountedEvent | undefined {
    return this.appended.findLast(
      ({ accountId, idempotency, occurredAtMs }) =>
        accountId === trip.accountId &&
        idempotency?.keySha256 === trip.idempotency?.keySha256 &&
        idempotency?.answer.status === 200 &&
        this.nowMs - occurredAtMs < DAY_MS,
    );
  }

  /** Reports whether the answer of an event may be replayed. */
  holds(event: CountedEvent, { agentId, profileVersion }: CheckTrip): boolean {
    if (event.idempotency?.answer.body.startsWith('{"allowed":true') !== true) return true;
    if (this.frozen.has(agentId) || event.idempotency.profileVersion !== profileVersion) return false;
    return this.nowMs - event.occurredAtMs < 600_000;
  }

  /** A snapshot taken after the first `count` events, with today's flags and versions. */
  snapshot(count: number): UsageSnapshot {
    const events = this.appended.slice(0, count);
    const sum = (some: CountedEvent[]) => some.reduce((total, { costMicros }) => total + costMicros, 0);
    const within = (some: CountedEvent[], label: string) =>
      some.filter(({ occurredAtMs }) => iso(occurredAtMs).startsWith(label));
    const lastLabel = (some: CountedEvent[], length: number) => {
      const last = some.at(-1);
      return last === undefined ? '' : iso(last.occurredAtMs).slice(0, length);
    };
    return {
      accounts: ACCOUNTS.map((accountId) => {
        const acts = events.filter((event) => event.accountId === accountId && event.countsAction);
        const period = lastLabel(acts, 7);
        return { accountId, period, actionsInPeriod: within(acts, period).length, actionsEver: acts.length };
      }),
      agents: PROFILES.map((_profile, index) => {
        const agentId = `g${index}`;
        const rules = new RulesModel(
          events.filter((event) => event.agentId === agentId),
          this.nowMs,
        );
        const own = events.filter((event) => event.agentId === agentId && event.costMicros > 0);
        const [day, month] = [lastLabel(own, 10), lastLabel(own, 7)];
        return {
          agentId,
          day,
          dayMicros: sum(within(own, day)),
          month,
          monthMicros: sum(within(own, month)),
          dayBackMicros: this.backOf(agentId, day),
          monthBackMicros: this.backOf(agentId, month),
          rateTimes: events.filter((one) => one.agentId === agentId && one.countsRate).map((one) => one.occurredAtMs),
          frozen: this.frozen.has(agentId),
          unfrozenAtMs: this.unfrozenAt.get(agentId) ?? 0,
          order: rules.order,
          rules: rules.snapshot(),
        };
      }),
      claims: events.flatMap(({ accountId, occurredAtMs, idempotency }) =>
        idempotency === null ? [] : { accountId, occurredAtMs, ...idempotency },
      ),
      versions: [...this.version].map(([id, version]) => ({ kind: 'agent' as const, id, version })),
    };
  }
}

const iso = (ms: number) => new Date(ms).toISOString();

function tripOf(one: Extract<Command, { kind: 'check' }>, model: Model, number: number): CheckTrip {
  const agentId = `g${one.agent}`;
  return {
    accountId: ACCOUNTS[one.account] ?? '',
    agentId,
    apiKeyId: 'key',
    versions: { account: 1, apiKey: 1, agent: model.versionOf(agentId) },
    plan: { plan: 'core', actionCap: null, sandboxExpiresAtMs: null },
    profileVersion: model.versionOf(agentId),
    frozen: false,
    ...(PROFILES[one.agent] ?? PROFILES[0]),
    freezeOnViolation: one.freezes,
    violation: one.denied ? VIOLATION : null,
    costMicros: one.cost,
    ...(one.rules === null ? {} : { rules: chosenRules(one.rules) }),
    wantsSeen: one.wantsSeen,
    idempotency: one.key === null ? null : { keySha256: `k${one.key}`, bodySha256: `${one.agent} ${one.cost}` },
    entropy: `e${number}`,
    actionSalt: 'salt',
    payloadSalt: null,
  };
}

function eventOf(trip: CheckTrip, judgement: Judgement, offset: number): CountedEvent {
  const { costMicros, countsAction, countsRate, freezesAgent, outcome, nowMs } = judgement;
  const { accountId, agentId } = trip;
  const eventId = judgement.entropy;
  const status = outcome === 'frozen' ? 403 : 200;
  const body = JSON.stringify({ allowed: outcome === 'allowed', ...judgement.violation });
  const answer = { status, body, eventId, coverage: null };
  const { profileVersion } = trip;
  const idempotency = trip.idempotency === null ? null : { ...trip.idempotency, profileVersion, answer };
  const counts = { costMicros, countsAction, countsRate, freezesAgent };
  const { seen, ruleCounts } = judgement;
  const asked = askedOf(trip, judgement);
  const ruled = {
    ...(seen ? { order: seen.order } : {}),
    ...(ruleCounts ? { ruleCounts } : {}),
    ...(asked === null ? {} : { approvals: [asked] }),
  };
  return { partition: 0, offset, accountId, agentId, eventId, occurredAtMs: nowMs, ...counts, ...ruled, idempotency };
}

/** The approval that a check waits for; `null`: none. No history has decisions, so that none is used. */
function askedOf({ rules }: CheckTrip, { asked, violation }: Judgement): LoggedApproval | null {
  if (asked === undefined || asked.id === null || asked.expiresAtMs === null) return null;
  const of = rules?.approvals?.rules.find(({ rule }) => violation?.rule === `rules:${rule}`);
  if (of === undefined) throw new Error(`an approval of no rule of the check: ${JSON.stringify(violation)}`);
  return { id: asked.id, bindingSha256: of.bindingSha256, expiresAtMs: asked.expiresAtMs, isConsumed: false };
}

/** Approvals that are over are unknown after a rebuild, so that a check that names one has another answer then. */
function namingNone(one: Command): Command {
  if (one.kind !== 'check' || one.rules === null) return one;
  return { ...one, rules: { ...one.rules, asks: { ...one.rules.asks, named: null } } };
}

/** Sends policy's credits of an agent to all counters, twice: a repetition changes nothing. */
async function sayGivenBack(model: Model, agentId: string, all: readonly Counters[]): Promise<void> {
  const sums = model.givenBack(agentId);
  if (sums === null) return;
  for (const counters of [...all, ...all]) await counters.giveBack(agentId, sums);
}

/** The balances and counts of a judgement are those of the model. */
function expectBalances(trip: CheckTrip, { outcome, seen, ruleCounts }: Judgement, model: Model): void {
  const { agentId, accountId, rules, wantsSeen, rate } = trip;
  const plain = model.rules(agentId);
  const month = iso(model.nowMs).slice(0, 7);
  const used = model.appended.filter(
    (event) => event.accountId === accountId && event.countsAction && iso(event.occurredAtMs).startsWith(month),
  ).length;
  expect(seen).toEqual(
    rules === undefined && wantsSeen !== true
      ? undefined
      : {
          ...plain.seen(trip),
          spent: { day: model.spent(agentId, 10), month: model.spent(agentId, 7) },
          rate: rate === null ? null : model.counted(agentId, rate.per_seconds),
          plan: { used },
        },
  );
  const counts = rules === undefined || outcome === 'frozen' ? null : plain.counts(rules, outcome as 'allowed');
  const empty = counts === null || counts.facts.length + counts.limits.length === 0;
  expect(ruleCounts).toEqual(empty ? undefined : counts);
}

/** Appends the outcome of a skipped action, and gives its reserved amounts back: twice, as a follower may. */
async function skip(
  model: Model,
  agentId: string,
  back: number,
  number: number,
  all: readonly Counters[],
): Promise<void> {
  const checks = model.of(agentId).filter(({ ruleCounts }) => ruleCounts?.limits.some(({ reserve }) => reserve));
  const check = checks.at(-1 - back);
  if (check === undefined) return;
  const { order = 0, occurredAtMs: atMs, accountId, ruleCounts } = check;
  const givesBack = (ruleCounts?.limits ?? [])
    .filter(({ reserve }) => reserve)
    .map(({ key, amount }) => ({ key, order, atMs, amount }));
  const counts = { countsAction: false, countsRate: false, costMicros: 0, freezesAgent: false, idempotency: null };
  const [eventId, offset] = [`o${number}`, model.appended.length];
  model.appended.push({
    ...{ partition: 0, offset, accountId, agentId, eventId, occurredAtMs: model.nowMs },
    ...counts,
    givesBack,
  });
  for (const counters of [...all, ...all]) await counters.giveBackHeld(agentId, givesBack);
}

/** Runs one command against counters as a gateway would, and updates the model accordingly. */
async function run(one: Command, number: number, model: Model, all: readonly Counters[]): Promise<void> {
  if (one.kind === 'pass') {
    model.nowMs += one.ms;
    return;
  }
  const agentId = `g${one.agent}`;
  if (one.kind === 'unfreeze') {
    model.frozen.delete(agentId);
    model.unfrozenAt.set(agentId, model.nowMs);
    for (const counters of all) expect(await counters.unfreeze(agentId)).toBe(model.nowMs);
    return;
  }
  if (one.kind === 'giveBack') {
    model.giveBack(agentId, one.micros);
    await sayGivenBack(model, agentId, all);
    return;
  }
  if (one.kind === 'skip') {
    await skip(model, agentId, one.back, number, all);
    return;
  }
  if (one.kind === 'raise') {
    model.version.set(agentId, model.versionOf(agentId) + 1);
    for (const counters of all) await counters.raise('agent', agentId, model.versionOf(agentId));
    return;
  }
  const trip = tripOf(one, model, number);
  const expected = model.expected(trip);
  const results = [];
  for (const counters of all) results.push(await counters.check(trip));
  const [result] = results;
  for (const other of results) expect(other).toEqual(result);
  const known = trip.idempotency === null ? undefined : model.known(trip);
  if (known !== undefined) {
    const same = known.idempotency?.bodySha256 === trip.idempotency?.bodySha256;
    const kind = !same ? 'conflict' : model.holds(known, trip) ? 'answered' : 'judged';
    expect(result?.kind).toBe(kind);
    if (result?.kind === 'answered') expect(result.answer).toEqual(known.idempotency?.answer);
    if (kind !== 'judged') return;
  }
  if (result?.kind !== 'judged') {
    throw new Error(`expected a judgement, got ${JSON.stringify(result)}`);
  }
  const { judgement } = result;
  const { violation } = judgement;
  const ruled = /^(rules|limits):/.test(violation?.rule ?? '') ? violation?.rule : violation?.violation_type;
  expect([judgement.outcome, ruled ?? null]).toEqual(expected);
  expectBalances(trip, judgement, model);
  // A refusal leaves an answered claim in place: taking it back finds nothing, and its order would be missing.
  // An approval stays open where the event of its check did not reach the log: rebuilt counters do not know it.
  const waits = askedOf(trip, judgement) !== null;
  const lands = one.lands || waits || (known !== undefined && judgement.outcome === 'frozen');
  const event = eventOf(trip, judgement, model.appended.length);
  for (const counters of all) {
    const keySha256 = trip.idempotency?.keySha256 ?? null;
    if (!lands) await counters.takeBack(trip.accountId, agentId, judgement, keySha256);
    else if (event.idempotency !== null) {
      await counters.answered(trip.accountId, event.idempotency.keySha256, event.idempotency.answer, trip.entropy);
    }
    if (lands && judgement.freezesAgent) await counters.freeze(agentId, judgement.nowMs);
  }
  if (!lands) return;
  model.appended.push(event);
  const unfrozenAt = model.unfrozenAt.get(agentId) ?? 0;
  if (judgement.freezesAgent && unfrozenAt < judgement.nowMs) model.frozen.add(agentId);
}

/**
 * Random histories of counters, against a plain model, and against counters rebuilt midway.
 * @param runs number of histories
 */
export function countersModelContract(
  name: string,
  open: (options: { clock: () => number }) => Promise<ContractCounters>,
  runs = 150,
): void {
  describe(`counters in random histories: ${name}`, () => {
    it(
      'answer as the plain rules say, and after a rebuild as if there had been none',
      async () => {
        await fc.assert(
          fc.asyncProperty(
            fc.array(command, { maxLength: 60 }),
            fc.array(command, { maxLength: 20 }),
            fc.nat(1000),
            async (before, after, cut) => {
              const model = new Model();
              const clock = () => model.nowMs;
              const lived = await open({ clock });
              const rebuilt = await open({ clock });
              try {
                await lived.counters.serve();
                let number = 0;
                for (const one of before) await run(one, number++, model, [lived.counters]);
                const upTo = Math.floor((cut / 1001) * (model.appended.length + 1));
                await rebuilt.counters.restore(model.snapshot(upTo));
                const tail = model.appended.slice(upTo);
                await rebuilt.counters.replay(tail);
                await rebuilt.counters.replay(tail.slice(-3));
                await rebuilt.counters.serve();
                for (const accountId of ACCOUNTS) {
                  const usage = await lived.counters.usage(accountId);
                  expect(usage.actionsEver).toBe(
                    model.appended.filter((event) => event.accountId === accountId && event.countsAction).length,
                  );
                  expect(await rebuilt.counters.usage(accountId)).toEqual(usage);
                }
                for (const agent of [0, 1, 2]) {
                  const frozen = await lived.counters.isFrozen(`g${agent}`);
                  expect(frozen).toBe(model.frozen.has(`g${agent}`));
                  expect(await rebuilt.counters.isFrozen(`g${agent}`)).toBe(frozen);
                  // Rebuilt counters hold the credits of the snapshot, and receive the rest.
                  await sayGivenBack(model, `g${agent}`, [rebuilt.counters]);
                }
                const both = [lived.counters, rebuilt.counters];
                for (const one of after) await run(namingNone(one), number++, model, both);
              } finally {
                await lived.cleanup();
                await rebuilt.cleanup();
              }
            },
          ),
          { numRuns: runs },
        );
      },
      Math.max(120_000, runs * 36),
    );
  });
}
