import { byRank } from '../rule-findings.js';
import type { HeldAmount, Judgement, RuleBounds, RuleTrip, TripApprovals, TripFact } from '../port.js';
import { shortHash } from './keys.js';

/** Fields of the hash `w:` of an agent: see `lua/rules.ts`. */
export function factField({ key, id }: TripFact): string {
  return `f${shortHash(key)} ${id}`;
}
export function limitField(key: string): string {
  return `l${shortHash(key)}`;
}

/** The argument `rules` of `lua/check-rules.ts`. */
export function ruleArgument(rules: RuleTrip, bounds: RuleBounds): string {
  const { facts, sets, limits, conditional, approvals } = rules;
  const ranked = byRank(rules);
  return JSON.stringify([
    [...facts.map(factField), ...limits.map(({ key }) => limitField(key))],
    facts.length,
    ranked.map((rule, index) => {
      const original = ranked === conditional ? index : conditional.indexOf(rule);
      return [original, rule.observe ? 1 : 0, rule.truth, ...rule.facts.map((fact) => fact + 1)];
    }),
    sets.map(({ fact, ttlSeconds, on }) => [fact + 1, ttlSeconds * 1000, on === 'checked' ? 1 : 0]),
    limits.map(({ windowSeconds, max, amount, observe }) => [
      windowSeconds * 1000,
      max.units,
      max.nanos,
      amount.units,
      amount.nanos,
      observe ? 1 : 0,
    ]),
    [bounds.agent, bounds.all, bounds.window, bounds.amounts],
    (rules.also ?? []).map(({ fact, where }) => [fact + 1, where + 1]),
    ...(approvals === undefined ? [] : [approvalArgument(approvals)]),
  ]);
}

function approvalArgument({ rules, candidateId, mostPending, namedId }: TripApprovals): readonly unknown[] {
  const asks = rules.map(({ rule, bindingSha256, expiresSeconds }) => [rule, bindingSha256, expiresSeconds * 1000]);
  return [candidateId, mostPending, namedId ?? '', asks];
}

/** Violations of rules, of limits, and of missing room, each as JSON: a claim keeps the one that was found. */
export function violationTexts(rules: RuleTrip | undefined): string {
  if (rules === undefined) return '[]';
  const text = ({ violation }: { readonly violation: unknown }) => JSON.stringify(violation);
  return JSON.stringify([rules.conditional.map(text), rules.limits.map(text), JSON.stringify(rules.noRoom)]);
}

/** Order, facts, amounts and approvals that a revert undoes, for `TAKE_BACK`; `null`: it was judged without balances. */
export function revertedArgument({ seen, ruleCounts, outcome, approvals = [] }: Judgement): string | null {
  if (seen === undefined) return null;
  const { facts, limits } = ruleCounts ?? { facts: [], limits: [] };
  const amounts = limits.flatMap(({ key, amount }) => [limitField(key), amount.units, amount.nanos]);
  const used = outcome === 'allowed' ? approvals.filter((one) => !one.reusable && one.usedBefore !== true) : [];
  const given = used.flatMap(({ bindingSha256, id }) => [bindingSha256, id]);
  return JSON.stringify([seen.order, facts.map(factField), amounts, given]);
}

/** Amounts that are given back, as `GIVE_BACK_HELD` takes them. */
export function heldRows(held: readonly HeldAmount[]): (readonly (string | number)[])[] {
  return held.map(({ key, atMs, order, amount }) => [limitField(key), atMs, order, amount.units, amount.nanos]);
}
export function heldArgument(held: readonly HeldAmount[]): string {
  return JSON.stringify(heldRows(held));
}
