import type { ArchivedEvent, BehaviorProfile, LeafEvent, OutputRules } from '@countersign/contracts';
import { canonicalize } from '@countersign/evidence';
import { decide, decideInTurns } from '@countersign/policy-engine';
import type { Action, Violation } from '@countersign/policy-engine';
import type { SimulatedAgent, Verdict } from '../simulate/simulated-agent.js';

/** Why a recorded check cannot be judged by a draft. */
export const UNJUDGED = ['erased', 'payloadNotKept', 'frozen', 'plan'] as const;
export type Unjudged = (typeof UNJUDGED)[number];

/** The output rules of each version of the profile that is known, as {@link outputRulesText}. */
export type OutputRulesByVersion = ReadonlyMap<number, string>;

/** Equal for rules that are written alike. */
export function outputRulesText(rules: OutputRules | null): string {
  return canonicalize(rules);
}

/**
 * What the draft makes of a recorded check, in turns: a long payload is not read in one go. What cannot be judged is
 * counted as it was recorded.
 * @param draft the draft's output rules as {@link outputRulesText}; their verdict is taken from the record where the payload was not kept and the
 *   rules in force then were the same
 */
export function* judgeRecorded(
  { envelope, erased }: ArchivedEvent,
  agent: SimulatedAgent,
  draft: string,
  known: OutputRulesByVersion,
): Generator<undefined, Verdict | Unjudged, undefined> {
  const { leaf, openings } = envelope;
  const atMs = Date.parse(leaf.occurredAt);
  if (leaf.outcome === 'frozen') return 'frozen';
  if (leaf.outcome !== 'allowed' && leaf.outcome !== 'denied') return 'plan';
  const unjudged = (reason: Unjudged): Unjudged => {
    agent.count(
      { costMicros: envelope.costMicros, countsRate: leaf.allowed === true && agent.profile.rate !== null },
      atMs,
    );
    return reason;
  };
  const action = openings.action?.value;
  if (!isObject(action)) return unjudged('erased');
  const payload = openings.payload?.value;
  if (payload !== undefined) return agent.settle(yield* decideInTurns(agent.profile, { ...action, payload }), atMs);
  // A payload was there: that the record has none is no member that was misnamed.
  const decision = decide(agent.profile, leaf.payload === null ? action : { ...action, payload: '' });
  if (leaf.payload === null || agent.profile.output === null || decision.violation !== null) {
    return agent.settle(decision, atMs);
  }
  const recorded = leaf.profileVersion === null ? undefined : known.get(leaf.profileVersion);
  const output = recorded === draft ? outputVerdict(leaf) : 'unknown';
  if (output === 'unknown') return unjudged(erased ? 'erased' : 'payloadNotKept');
  return agent.settle({ ...decision, violation: output }, atMs);
}

/** What the output rules of its time said of a recorded check: they are judged after all other static rules. */
function outputVerdict({ violation_type, severity, reason, rule, detail }: LeafEvent): Violation | null | 'unknown' {
  switch (violation_type) {
    case null:
    case 'spending_limit_exceeded':
    case 'rate_limit_exceeded':
      return null;
    case 'unsafe_output':
      return severity === null || reason === null
        ? 'unknown'
        : { violation_type, severity, reason, rule, detail, extras: null };
    default:
      return 'unknown';
  }
}

/** The version and the output rules that a `profile.changed` event put in force; `null` for any other or an erased one. */
export function changedOutputRules({ envelope }: ArchivedEvent): readonly [number, string] | null {
  if (envelope.leaf.type !== 'profile.changed') return null;
  const committed = envelope.openings.action?.value;
  if (!isObject(committed) || !isObject(committed['profile'])) return null;
  const { version, output_rules } = committed['profile'] as unknown as BehaviorProfile;
  return [version, outputRulesText(output_rules)];
}

function isObject(value: unknown): value is Action {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
