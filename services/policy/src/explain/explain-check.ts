import type { AgentStatus, PolicyCoverage, ProfileMode } from '@countersign/contracts';
import { countedViolations } from '@countersign/counters';
import type { AgentUsage } from '@countersign/counters';
import { actionCost, compileProfile, explainInTurns } from '@countersign/policy-engine';
import type { Action, RuleTrace, Violation } from '@countersign/policy-engine';
import { inTurns } from '@countersign/service-kit';
import type { Agent } from '../domain/agent.js';

/** A violation as an answer tells it: what is not set is left out. */
type ToldViolation = Readonly<Record<string, string | number>>;

/** The trace of one rule. */
type ToldRule =
  | { readonly name: string; readonly result: 'matched'; readonly violation: ToldViolation }
  | { readonly name: string; readonly result: 'passed' }
  | { readonly name: string; readonly result: 'not_applicable'; readonly because: string };

/** Body of `POST /v1/agents/{id}/explain`. */
export interface Explanation {
  readonly agentId: string;
  readonly agentStatus: AgentStatus;
  readonly profileVersion: number;
  readonly mode: ProfileMode;
  readonly coverage: PolicyCoverage;
  /** As `POST /v1/check` answers with 200. */
  readonly answer: Readonly<Record<string, string | number | boolean>>;
  readonly rules: readonly ToldRule[];
}

/**
 * What every rule of the agent's profile says of an action, and what a check would be answered now. Others of the thread
 * have their turn while a long payload is read.
 * @param usage what the counters tell of the agent, with the rate limit of its profile
 */
export async function explainCheck({ id, facts }: Agent, usage: AgentUsage, action: Action): Promise<Explanation> {
  const { profile } = facts;
  const compiled = compileProfile(profile);
  const { spending, rate } = compiled;
  const counted = countedViolations(usage, { spending, rate, costMicros: actionCost(action) });
  const { decision, rules } = await inTurns(explainInTurns(compiled, action, counted));
  const denial = decision.violation ?? counted.spending ?? counted.rate;
  return {
    agentId: id,
    agentStatus: facts.status === 'active' && usage.frozen ? 'frozen' : facts.status,
    profileVersion: profile.version,
    mode: profile.mode,
    coverage: decision.coverage,
    answer: denial === null || compiled.observe ? { allowed: true } : { allowed: false, ...told(denial) },
    rules: rules.map(toldRule),
  };
}

function toldRule(trace: RuleTrace): ToldRule {
  const { rule: name, result } = trace;
  switch (result) {
    case 'matched':
      return { name, result, violation: told(trace.violation) };
    case 'passed':
      return { name, result };
    case 'not_applicable':
      return { name, result, because: trace.because };
  }
}

function told({ extras, ...words }: Violation): ToldViolation {
  const members = Object.entries({ ...words, ...extras }).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(members) as ToldViolation;
}
