import type { Explanation } from '@countersign/contracts';
import { amountText, exceededLimit, minus } from '@countersign/counters';
import type { LimitBalance, RuleBalances, RuleQuestion, RuleTrip, StaticViolation } from '@countersign/counters';
import { countedRules, denialsWhere, factsHeld, NO_ROOM } from '@countersign/policy-engine';
import { HttpRefusal } from '@countersign/http-edge';
import type {
  CompiledProfile,
  ConditionalJudgement,
  ConditionalTrace,
  FactsHeld,
  Violation,
} from '@countersign/policy-engine';

/** Reads facts and balances of the agent. */
export type ReadBalances = (question: RuleQuestion) => Promise<RuleBalances>;

type Compiled = NonNullable<CompiledProfile['rules']>;

/** Facts and limits of a profile as a check of an action would find them now. */
interface Found {
  readonly compiled: Compiled;
  readonly judged: ConditionalJudgement;
  readonly held: FactsHeld;
  /** The part of a check that the counters judge; `undefined`: it has none. */
  readonly trip: RuleTrip | undefined;
  readonly balances: RuleBalances;
}

/** Amounts outside of the windows that one explanation reads: on Redis each is read in the way of checks. */
const MOST_READ = 2000;

const NOTHING_COUNTED: RuleBalances = { facts: [], unknownUntilMs: null, limits: [] };

export class RulesNow {
  /** Values of the facts by id; `null`: there was no room for one that may have been set. */
  readonly known: Readonly<Record<string, boolean | null>>;
  /** Balances of the limits that the action is charged to, by id. */
  readonly balances: Readonly<Record<string, string>>;
  readonly #found: Found | null;

  /** @param found `null`: the profile has no rules with conditions, facts or limits */
  private constructor(found: Found | null) {
    this.#found = found;
    this.known = Object.fromEntries(this.#facts().map(({ id, set }) => [id, set]));
    this.balances = Object.fromEntries(
      this.#charged().map(({ limit, balance }) => [limit.id, amountText(balance.consumed)]),
    );
  }

  /** @param session `null`: the check names none. @throws what `read` throws; HttpRefusal 400 where the balance of a limit was not read */
  static async read(
    compiled: Compiled | null,
    judged: ConditionalJudgement | null,
    session: string | null,
    read: ReadBalances,
  ): Promise<RulesNow> {
    if (compiled === null || judged === null) return new RulesNow(null);
    const held = factsHeld(compiled, session);
    const trip = countedRules(compiled, judged, session);
    const question = { facts: held.facts, limits: trip?.limits ?? [], most: MOST_READ };
    const isEmpty = question.facts.length === 0 && question.limits.length === 0;
    const balances = isEmpty ? NOTHING_COUNTED : await read(question);
    const unread = question.limits.filter((_limit, at) => balances.limits[at] === null).map(({ id }) => id);
    if (unread.length > 0) throw new HttpRefusal(400, notRead(unread));
    return new RulesNow({ compiled, judged, held, trip, balances });
  }

  /** The denial by a rule that is not only observed; `null`: there is none. */
  byRule(): Violation | null {
    if (this.#found === null) return null;
    const { compiled, judged } = this.#found;
    const isSet = (position: number): boolean => this.known[compiled.facts[position]!.member.id] === true;
    const denial = denialsWhere(judged, isSet).find(({ observe }) => !observe)?.violation;
    return denial === undefined ? null : { ...denial, extras: denial.extras ?? null };
  }

  /** The denial by the first limit that is exceeded and not only observed; `null`: there is none. */
  byLimit(): StaticViolation | null {
    return this.#charged().find(({ limit, exceeded }) => !limit.observe && exceeded !== null)?.exceeded ?? null;
  }

  /** The denial of an action that reads or sets facts while they are not known; `null`: they are known. */
  byMissingRoom(): StaticViolation | null {
    const { balances, trip } = this.#found ?? {};
    return (balances?.unknownUntilMs ?? null) !== null && (trip?.facts ?? []).length > 0 ? NO_ROOM : null;
  }

  /** The trace of a limit with the violation that a check finds. */
  withBudget(trace: ConditionalTrace): ConditionalTrace {
    const exceeded = this.#charged().find(({ limit }) => trace.rule === `limits:${limit.id}`)?.exceeded ?? null;
    return exceeded === null ? trace : { ...trace, violation: exceeded };
  }

  /** Every fact of the profile. */
  facts(): Explanation['facts'] {
    return this.#facts().map(({ id, scope, set, untilMs }) => ({ id, scope, set, until: timeOf(untilMs) }));
  }

  /** Every limit that the action is charged to. */
  limits(): Explanation['limits'] {
    return this.#charged().map(({ limit, balance: { consumed, oldestMs }, exceeded }) => ({
      id: limit.id,
      unit: limit.unit ?? 'count',
      window_seconds: limit.windowSeconds,
      limit: amountText(limit.max),
      used: amountText(consumed),
      needs: amountText(limit.amount),
      remaining: amountText(minus(limit.max, consumed)),
      fits: exceeded === null,
      decreases_at: timeOf(oldestMs === null ? null : oldestMs + limit.windowSeconds * 1000),
    }));
  }

  #facts(): readonly {
    readonly id: string;
    readonly scope: 'session' | 'agent';
    readonly set: boolean | null;
    readonly untilMs: number | null;
  }[] {
    if (this.#found === null) return [];
    const { compiled, held, balances } = this.#found;
    return compiled.facts.map(({ member: { id, scope = 'session' } }, position) => {
      const own = held.indexes[position]!;
      const places = [own, ...held.also.filter(({ fact }) => fact === own).map(({ where }) => where)];
      const untilMs = Math.max(0, ...places.map((place) => balances.facts[place] ?? 0));
      const unset = balances.unknownUntilMs === null ? false : null;
      return { id, scope, set: untilMs > 0 ? true : unset, untilMs: untilMs > 0 ? untilMs : null };
    });
  }

  #charged(): readonly {
    readonly limit: RuleTrip['limits'][number];
    readonly balance: LimitBalance;
    readonly exceeded: StaticViolation | null;
  }[] {
    const { trip, balances } = this.#found ?? {};
    return (trip?.limits ?? []).map((limit, at) => {
      const balance = balances!.limits[at]!;
      return { limit, balance, exceeded: exceededLimit(limit, balance) };
    });
  }
}

function notRead(ids: readonly string[]): string {
  return `limits not read: ${ids.join(', ')}. More than ${MOST_READ} amounts that were counted lie outside of the windows: explain without a draft that narrows them, or after the next check that is charged to them`;
}

/** A window of centuries may end beyond the range of a date. */
function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(Math.min(ms, 8.64e15)).toISOString();
}
