import type { Explanation } from '@countersign/contracts';
import { countedViolations } from '@countersign/counters';
import type { AgentUsage } from '@countersign/counters';
import { actionCost, compileProfile, explainInSlices, judgeConditional, whoIn } from '@countersign/policy-engine';
import type { Action, ConditionalTrace, RuleTrace, Violation } from '@countersign/policy-engine';
import { runInSlices } from '@countersign/async';
import type { Agent } from '../domain/agent.js';
import { RulesNow } from './rules-now.js';
import type { ReadBalances } from './rules-now.js';

export type TracedRule = Explanation['rules'][number];
type TracedViolation = Extract<TracedRule, { readonly result: 'matched' }>['violation'];

/**
 * Explains the result of every rule of the agent's profile for an action, and the answer that a check would get now: by
 * the facts that are set and the balances of its limits, of which nothing is counted. Approvals are not read. Yields to
 * other work of the thread while a long payload is read.
 * @param usage of the agent, with the rate limit of its profile
 * @param read reads facts and balances of the agent
 * @throws what `read` throws
 */
export async function explainCheck(
  { id, facts }: Agent,
  usage: AgentUsage,
  action: Action,
  read: ReadBalances,
): Promise<Explanation> {
  const { profile } = facts;
  const compiled = compileProfile(profile);
  const { spending, rate } = compiled;
  const counted = countedViolations(usage, { spending, rate, costMicros: actionCost(action) });
  const around = { agentId: id, ...whoIn(action), time: Math.floor(usage.nowMs / 1000) };
  const judged = compiled.rules === null ? null : judgeConditional(compiled.rules, action, around);
  const now = await RulesNow.read(compiled.rules, judged, around.session, read);
  const surroundings = { ...around, known: now.known, balances: now.balances };
  const { decision, rules, conditional } = await runInSlices(explainInSlices(compiled, action, counted, surroundings));
  const denial =
    decision.violation ?? now.byRule() ?? counted.spending ?? counted.rate ?? now.byLimit() ?? now.byMissingRoom();
  return {
    agentId: id,
    agentStatus: facts.status === 'active' && usage.frozen ? 'frozen' : facts.status,
    profileVersion: profile.version,
    mode: profile.mode,
    coverage: decision.coverage.length > 0 ? 'governed' : 'none',
    answer: denial === null || compiled.observe ? { allowed: true } : { allowed: false, ...membersOf(denial) },
    rules: [...rules.map(tracedRule), ...conditional.map((trace) => tracedConditions(now.withBudget(trace)))],
    facts: now.facts(),
    limits: now.limits(),
  };
}

export function tracedRule(trace: RuleTrace): TracedRule {
  const { rule: name, result } = trace;
  switch (result) {
    case 'matched':
      return { name, result, violation: membersOf(trace.violation) };
    case 'passed':
      return { name, result };
    case 'not_applicable':
      return { name, result, because: trace.because };
  }
}

export function tracedConditions({
  rule: name,
  result,
  clauses,
  reads,
  facts,
  mode,
  violation,
  ...about
}: ConditionalTrace): TracedRule {
  if (result === 'not_applicable') {
    const what = name.startsWith('limits:') ? 'limit' : 'rule';
    return { name, result, because: `the ${what} is for other tools or types of actions` };
  }
  const shown = { clauses, reads, mode, ...(facts.length === 0 ? {} : { facts }) };
  if (violation === null) return { name, result: 'passed', ...shown };
  const { would_allow: wouldAllow } = about;
  const allowing = wouldAllow === null ? {} : { would_allow: wouldAllow };
  return { name, result: 'matched', violation: membersOf(violation), ...shown, ...allowing };
}

function membersOf({
  extras = null,
  ...words
}: Omit<Violation, 'extras'> & Partial<Pick<Violation, 'extras'>>): TracedViolation {
  const members = Object.entries({ ...words, ...extras }).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(members) as unknown as TracedViolation;
}
