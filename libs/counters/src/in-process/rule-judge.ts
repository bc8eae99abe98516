import { amountText, exceeds, isNothing, NOTHING } from '../amount.js';
import { balancesById, byRank, finds, limitViolation, namesOfSet, resetsAt } from '../rule-findings.js';
import type { OpenJudgement } from '../judgement.js';
import type { CheckTrip, Judgement } from '../port.js';
import { UNKNOWN_FACTS } from '../rule-trip.js';
import type { FoundApproval } from '../approvals.js';
import type {
  ConditionalRule,
  CountedAmount,
  RuleTrip,
  Seen,
  SetFact,
  TripApprovals,
  TripLimit,
} from '../rule-trip.js';
import type { StaticViolation } from '../static-violation.js';
import { AgentApprovals } from './agent-approvals.js';
import { AgentRules } from './agent-rules.js';
import type { RuleRoom } from './agent-rules.js';
import type { LimitWindow } from './limit-window.js';
import type { AgentTotals } from './totals.js';

/** Gives the check its order, and reads the balances before it that do not depend on rules. */
export function readBalances(agent: AgentTotals, { rate }: CheckTrip, planUsed: number, nowMs: number): Seen {
  agent.order += 1;
  return {
    order: agent.order,
    spent: { day: agent.spent('day', nowMs), month: agent.spent('month', nowMs) },
    rate: rate === null ? null : agent.countedRate(rate.per_seconds * 1000, nowMs),
    plan: { used: planUsed },
    facts: NO_FACTS,
    limits: NO_LIMITS,
  };
}
const NO_FACTS: readonly string[] = [];
const NO_LIMITS: Readonly<Record<string, string>> = {};

/** A limit of the trip that is exceeded or has no room. */
interface LimitFinding {
  readonly violation: StaticViolation;
  readonly limit: NonNullable<Judgement['limit']>;
}

function factsSet({ facts, also }: RuleTrip, { rules }: AgentTotals, nowMs: number): readonly boolean[] {
  const set = facts.map((fact) => rules?.fact(fact)?.isSet(nowMs) ?? false);
  for (const { fact, where } of also ?? []) if (set[where] === true) set[fact] = true;
  return set;
}

/** Judges the rules, facts and limits of one trip by the balances before it, and counts it. */
export class RuleJudge {
  readonly #trip: RuleTrip;
  readonly #agent: AgentTotals;
  readonly #room: RuleRoom;
  readonly #nowMs: number;
  readonly #seen: Seen;
  readonly #set: readonly boolean[];
  #windows: readonly (LimitWindow | undefined)[] = [];
  #newFactsFit = true;
  /** For each limit: its amount can be counted. */
  readonly #fits: boolean[] = [];
  /** Approvals of rules that find something, by the index of the rule. */
  readonly #approvals = new Map<number, FoundApproval>();
  #exceeded: LimitFinding | null = null;
  #exceededObserved: LimitFinding | null = null;

  /** @param balances as `readBalances` returns them */
  constructor(rules: RuleTrip, agent: AgentTotals, balances: Seen, room: RuleRoom, nowMs: number) {
    this.#trip = rules;
    this.#agent = agent;
    this.#room = room;
    this.#nowMs = nowMs;
    this.#readWindows();
    this.#set = factsSet(rules, agent, nowMs);
    const { order, spent, rate, plan } = balances;
    const facts = namesOfSet(rules.facts, this.#set);
    this.#seen = { order, spent, rate, plan, facts, limits: balancesById(rules.limits, this.#windows) };
    if (rules.approvals !== undefined) this.#findApprovals(rules.approvals);
    this.#judgeLimits(this.#makeRoom());
  }

  /** The finding of the lowest rank among the rules that are, or are not, in observe mode. */
  rule(observe: boolean): StaticViolation | null {
    for (const rule of byRank(this.#trip)) {
      if (rule.observe === observe && finds(rule, this.#set) && !this.#isApproved(rule)) return rule.violation;
    }
    return null;
  }

  /** The violation of the first exceeded limit that is, or is not, in observe mode. */
  limit(observe: boolean): StaticViolation | null {
    return (observe ? this.#exceededObserved : this.#exceeded)?.violation ?? null;
  }

  /** The violation of a check whose facts are not known or cannot be kept. */
  noRoom(): StaticViolation | null {
    const { facts, noRoom } = this.#trip;
    const unknown = facts.length > 0 && (this.#agent.rules?.unknownUntilMs ?? 0) > this.#nowMs;
    return unknown || !this.#newFactsFit ? noRoom : null;
  }

  /** The judgement with its balances, after facts were set and amounts counted. */
  count(judgement: OpenJudgement): Judgement {
    judgement.seen = this.#seen;
    const facts = judgement.countsAction ? this.#setFacts(judgement.outcome === 'allowed') : [];
    const limits = judgement.outcome === 'allowed' ? this.#countLimits() : [];
    const { violation } = judgement;
    const found = [this.#exceeded, this.#exceededObserved].find((one) => one !== null && one.violation === violation);
    if (facts.length > 0 || limits.length > 0) judgement.ruleCounts = { facts, limits };
    if (found) judgement.limit = found.limit;
    if (judgement.countsAction && this.#trip.approvals !== undefined) this.#approve(judgement, this.#trip.approvals);
    return judgement;
  }

  #findApprovals({ rules }: TripApprovals): void {
    for (const { rule, ruleId, bindingSha256 } of rules) {
      const kept = this.#agent.approvals?.usable(bindingSha256, this.#nowMs) ?? null;
      if (kept === null || !finds(this.#trip.conditional[rule]!, this.#set)) continue;
      const { id, expiresAtMs, reusable } = kept;
      this.#approvals.set(rule, { ruleId, bindingSha256, id, expiresAtMs, reusable });
    }
  }

  #isApproved(rule: ConditionalRule): boolean {
    return this.#approvals.size > 0 && this.#approvals.has(this.#trip.conditional.indexOf(rule));
  }

  /** Asks for the approval that a denial needs, or uses those that were found. */
  #approve(judgement: OpenJudgement, approvals: TripApprovals): void {
    const { violation, outcome } = judgement;
    const needed = approvals.rules.find(({ rule }) => this.#trip.conditional[rule]!.violation === violation);
    if (outcome === 'denied' && needed !== undefined) {
      const { bindingSha256, expiresSeconds } = needed;
      this.#agent.approvals ??= new AgentApprovals();
      const expiresAtMs = this.#nowMs + expiresSeconds * 1000;
      judgement.asked = this.#agent.approvals.ask(bindingSha256, approvals, expiresAtMs, this.#nowMs);
    }
    if (this.#approvals.size === 0) return;
    judgement.approvals = [...this.#approvals.values()];
    if (outcome !== 'allowed') return;
    for (const one of this.#approvals.values()) this.#agent.approvals?.use(one);
  }

  #readWindows(): void {
    const { rules } = this.#agent;
    this.#windows = this.#trip.limits.map(({ key, windowSeconds }) => {
      const window = rules?.window(key);
      if (window !== undefined) rules?.trim(window, this.#nowMs, windowSeconds * 1000);
      return window;
    });
  }

  /** Room for new facts and windows, and for amounts, after expired ones were removed if it was short. */
  #makeRoom(): { keys: number; amounts: number } {
    const { bounds } = this.#room;
    const { sets, limits, facts } = this.#trip;
    const room = () => ({
      keys: Math.min(bounds.agent - (this.#agent.rules?.kept ?? 0), bounds.all - this.#room.kept),
      amounts: bounds.amounts - (this.#agent.rules?.amounts ?? 0),
    });
    const newFacts = () => sets.filter(({ fact }) => this.#agent.rules?.fact(facts[fact]!) === undefined).length;
    const newWindows = limits.filter(({ amount }, index) => !isNothing(amount) && !this.#windows[index]).length;
    let left = room();
    if (left.keys < newFacts() + newWindows || left.amounts < limits.length) {
      this.#agent.rules?.forget(this.#nowMs);
      if (bounds.all - this.#room.kept < newFacts() + newWindows) this.#room.reclaim(this.#nowMs);
      this.#readWindows();
      left = room();
    }
    const wanted = newFacts();
    this.#newFactsFit = wanted <= Math.max(0, left.keys);
    return this.#newFactsFit ? { ...left, keys: left.keys - wanted } : left;
  }

  #judgeLimits(left: { keys: number; amounts: number }): void {
    this.#trip.limits.forEach((limit, index) => {
      const window = this.#windows[index];
      if (isNothing(limit.amount)) {
        this.#fits.push(false);
        return;
      }
      const full = window === undefined ? left.keys < 1 : window.count >= this.#room.bounds.window;
      const fits = !full && left.amounts > 0;
      this.#fits.push(fits);
      if (fits) left.amounts -= 1;
      if (fits && window === undefined) left.keys -= 1;
      if (fits && !exceeds(window ?? NOTHING, limit.amount, limit.max)) return;
      if (limit.observe) this.#exceededObserved ??= this.#finding(limit, window);
      else this.#exceeded ??= this.#finding(limit, window);
    });
  }

  #finding(limit: TripLimit, window: LimitWindow | undefined): LimitFinding {
    const resetsAtMs = resetsAt(limit, window?.oldestMs ?? null);
    return {
      violation: limitViolation(limit, limit.violation, window ?? NOTHING, resetsAtMs),
      limit: { id: limit.id, consumed: amountText(window ?? NOTHING), resetsAtMs },
    };
  }

  #rules(): AgentRules {
    return (this.#agent.rules ??= new AgentRules(this.#room));
  }

  #setFacts(allowed: boolean): SetFact[] {
    const done: SetFact[] = [];
    for (const { fact: index, ttlSeconds, on } of this.#trip.sets) {
      if (!allowed && on === 'allowed') continue;
      const fact = this.#trip.facts[index]!;
      const rules = this.#rules();
      const expiresAtMs = this.#nowMs + ttlSeconds * 1000;
      if (this.#newFactsFit || rules.fact(fact) !== undefined) {
        rules.setFact(fact, this.#seen.order, this.#nowMs, ttlSeconds * 1000);
        done.push({ id: fact.id, key: fact.key, expiresAtMs });
      } else {
        rules.setFact(UNKNOWN_FACTS, this.#seen.order, this.#nowMs, ttlSeconds * 1000);
        done.push({ ...UNKNOWN_FACTS, expiresAtMs });
      }
    }
    return done;
  }

  #countLimits(): CountedAmount[] {
    const done: CountedAmount[] = [];
    this.#trip.limits.forEach(({ key, windowSeconds, amount, reserve }, index) => {
      if (this.#fits[index] !== true) return;
      const held = { key, order: this.#seen.order, atMs: this.#nowMs, amount };
      this.#rules().count(held, windowSeconds * 1000);
      done.push({ key, windowSeconds, amount, reserve });
    });
    return done;
  }
}
