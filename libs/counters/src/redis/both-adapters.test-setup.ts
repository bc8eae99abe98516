import fc from 'fast-check';
import { chosenRules, ruleChoice } from '../contract/rule-trips.test-setup.js';
import { tripOf } from '../counters.contract.js';
import { InProcessCounters } from '../in-process/in-process-counters.js';
import { CLAIM_BOUNDS } from '../port.js';
import type { ApprovalDecision, CheckTrip, Counters, HeldAmount, Judgement, RuleBounds } from '../port.js';
import { connectRedisCounters } from './connect.js';

const START = Date.UTC(2028, 1, 28, 23, 59, 50);
const MOST = Number.MAX_SAFE_INTEGER;
const VIOLATION = {
  violation_type: 'off_limits_action',
  severity: 'P1',
  reason: 'off limits',
  rule: null,
  detail: 'a “detail”\n\u0000',
  extras: null,
} as const;

const pick = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const check = fc.record({
  account: fc.nat(1),
  agent: fc.nat(2),
  cost: pick(0, 1, 7, 1_500_000, MOST - 8, MOST),
  limit: fc.option(pick(0, 10, 3_000_000, MOST - 1, MOST)),
  window: pick('action' as const, 'day' as const, 'month' as const),
  max: fc.option(pick(0, 1, 3, 20)),
  cap: fc.option(pick(0, 5, 30)),
  sandbox: fc.boolean(),
  expires: fc.option(pick(START + 60_000, START + 40 * 86_400_000)),
  observe: fc.boolean(),
  freezes: fc.boolean(),
  denied: fc.nat(4).map((n) => n === 0),
  frozen: fc.nat(6).map((n) => n === 0),
  versions: fc.record({ account: pick(1, 2), apiKey: pick(1, 2), agent: pick(1, 2, 3) }),
  key: fc.option(fc.nat(3)),
  rules: ruleChoice,
  wantsSeen: fc.boolean(),
  body: fc.nat(5).map((n) => (n === 0 ? 'b2' : 'b1')),
  then: pick('answer' as const, 'answer' as const, 'refuse' as const, 'takeBack' as const, 'nothing' as const),
});
type Check = typeof check extends fc.Arbitrary<infer T> ? T : never;
/** A call of the counters, or of a check and of what follows it. */
export type Call =
  Check | Decision | { skip: number; back: number } | { freeze: number } | { unfreeze: number } | Raise;
/** Decides the newest approval of an agent. */
type Decision = { decide: number; approve: boolean; again: boolean };
type Raise = { raise: 'account' | 'api-key' | 'agent'; to: number };
/** Time that passes, ms. */
export const pass = pick(1, 999, 5_000, 10_000, 60_000, 599_000, 3_600_000, 86_400_000, 86_400_000 * 31);
export const call: fc.Arbitrary<Call> = fc.oneof(
  { weight: 12, arbitrary: check },
  { weight: 2, arbitrary: fc.record({ skip: fc.nat(2), back: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ decide: fc.nat(2), approve: fc.nat(3).map((n) => n > 0), again: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ freeze: fc.nat(2) }) },
  { weight: 1, arbitrary: fc.record({ unfreeze: fc.nat(2) }) },
  {
    weight: 1,
    arbitrary: fc.record({ raise: pick('account' as const, 'api-key' as const, 'agent' as const), to: pick(1, 2, 3) }),
  },
);

/** @param name makes the accounts, agents and keys of one history its own */
function trip(one: Check, name: string): CheckTrip {
  return tripOf({
    accountId: `a${one.account}${name}`,
    agentId: `g${one.agent}${name}`,
    apiKeyId: `k${name}`,
    versions: one.versions,
    plan: { plan: one.sandbox ? 'sandbox' : 'core', actionCap: one.cap, sandboxExpiresAtMs: one.expires },
    profileVersion: one.versions.agent,
    frozen: one.frozen,
    observe: one.observe,
    freezeOnViolation: one.freezes,
    violation: one.denied ? VIOLATION : null,
    costMicros: one.cost,
    spending: one.limit === null ? null : { limitMicros: one.limit, window: one.window },
    rate: one.max === null ? null : { max: one.max, per_seconds: [5, 60, 86_400][one.agent]! },
    ...(one.rules === null ? {} : { rules: chosenRules(one.rules) }),
    wantsSeen: one.wantsSeen,
    idempotency:
      one.key === null ? null : { keySha256: `${one.key}`.repeat(64), bodySha256: `${one.body}${one.agent}` },
  });
}

/** Amounts that a check counted, reserved or not. */
function heldBy({ nowMs: atMs, seen, ruleCounts }: Judgement): readonly HeldAmount[] {
  return (ruleCounts?.limits ?? []).map(({ key, amount }) => ({ key, order: seen?.order ?? 0, atMs, amount }));
}

async function settle(counters: Counters, sent: CheckTrip, judgement: Judgement, then: Check['then']): Promise<void> {
  const key = sent.idempotency?.keySha256 ?? null;
  if (then === 'takeBack') await counters.takeBack(sent.accountId, sent.agentId, judgement, key);
  if (key === null || then === 'takeBack' || then === 'nothing') return;
  const answer = {
    status: then === 'answer' ? 200 : 403,
    body: `{"allowed":${judgement.outcome === 'allowed'},"a":"ü\\u0000"}`,
    eventId: 'e',
    coverage: null,
  };
  await counters.answered(sent.accountId, key, answer, judgement.entropy);
}

/** Counters of both adapters that receive the same calls, at the same times. */
export class BothAdapters {
  nowMs = START;
  readonly #plain: Counters;
  #redis: Counters | null = null;

  constructor(private readonly ruleBounds: RuleBounds) {
    const clock = { now: () => this.nowMs, notBefore: () => undefined };
    this.#plain = new InProcessCounters({ clock, ruleBounds });
  }

  async open(url: string, prefix: string): Promise<void> {
    this.#redis = await connectRedisCounters({
      url,
      prefix,
      log: { info: () => undefined, warn: () => undefined },
      deadlineMs: 5_000,
      settleMs: 0,
      claimBounds: CLAIM_BOUNDS,
      ruleBounds: this.ruleBounds,
      testClock: () => this.nowMs,
    });
    await this.same((counters) => counters.serve());
  }

  async close(): Promise<void> {
    await this.#redis?.close();
  }

  /** The result of a call, which is the same of both. */
  readonly same = async <T>(ask: (counters: Counters) => Promise<T>): Promise<T> => {
    if (this.#redis === null) throw new Error('not open');
    const expected = await ask(this.#plain);
    expect(await ask(this.#redis)).toEqual(expected);
    return expected;
  };
}

/** A history of calls to both adapters; several at a time have different names. */
export class AdapterHistory {
  readonly #held: (readonly HeldAmount[])[][] = [[], [], []];
  /** The newest approval that an agent waits for. */
  readonly #asked: (Pick<ApprovalDecision, 'id' | 'bindingSha256' | 'expiresAtMs'> | undefined)[] = [];

  constructor(
    readonly both: BothAdapters,
    readonly name = '',
  ) {}

  async run(one: Call): Promise<void> {
    const { same } = this.both;
    const { name } = this;
    if ('skip' in one) {
      const amounts = this.#held[one.skip]?.at(-1 - one.back) ?? [];
      await same((counters) => counters.giveBackHeld(`g${one.skip}${name}`, amounts));
    } else if ('decide' in one) {
      const asked = this.#asked[one.decide];
      if (asked === undefined) return;
      const usableUntilMs = one.again ? asked.expiresAtMs + 600_000 : asked.expiresAtMs;
      const state = one.approve ? 'approved' : 'denied';
      const decision = {
        ...asked,
        agentId: `g${one.decide}${name}`,
        state,
        usableUntilMs,
        reusable: one.again,
      } as const;
      await same((counters) => counters.decideApproval(decision));
    } else if ('freeze' in one) await same((counters) => counters.freeze(`g${one.freeze}${name}`, this.both.nowMs));
    else if ('unfreeze' in one) await same((counters) => counters.unfreeze(`g${one.unfreeze}${name}`));
    else if ('raise' in one) {
      const id = { account: 'a0', 'api-key': 'k', agent: 'g1' }[one.raise];
      await same((counters) => counters.raise(one.raise, id + name, one.to));
    } else {
      const sent = trip(one, name);
      const result = await same((counters) => counters.check(sent));
      if (!('judgement' in result)) return;
      this.#held[one.agent]?.push(heldBy(result.judgement));
      this.#keepAsked(one.agent, sent, result.judgement);
      await same((each) => settle(each, sent, result.judgement, one.then));
    }
  }

  #keepAsked(agent: number, { rules }: CheckTrip, { asked, violation }: Judgement): void {
    if (asked === undefined || asked.id === null || asked.expiresAtMs === null) return;
    const rule = rules?.conditional.findIndex(({ violation: { rule: name } }) => name === violation?.rule);
    const ask = rules?.approvals?.rules.find((one) => one.rule === rule);
    if (ask === undefined) return;
    this.#asked[agent] = { id: asked.id, bindingSha256: ask.bindingSha256, expiresAtMs: asked.expiresAtMs };
  }

  /** Compares what is left. */
  async end(): Promise<void> {
    const { same } = this.both;
    for (const id of ['a0', 'a1']) await same((counters) => counters.usage(id + this.name));
    for (const id of ['g0', 'g1', 'g2']) await same((counters) => counters.isFrozen(id + this.name));
  }
}
