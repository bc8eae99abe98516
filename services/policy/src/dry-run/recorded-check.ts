import type { ArchivedEvent, BehaviorProfile, EventEnvelope, LeafEvent } from '@countersign/contracts';
import { canonicalize } from '@countersign/evidence';
import { decide, decideInSlices, needsArguments, whoIn } from '@countersign/policy-engine';
import type { Action, Violation, Who } from '@countersign/policy-engine';
import type { SimulatedAgent, Verdict } from '../simulate/simulated-agent.js';

/** Reasons why a recorded check cannot be evaluated under a draft. */
export const UNJUDGED = ['erased', 'payloadNotKept', 'frozen', 'plan'] as const;
export type Unjudged = (typeof UNJUDGED)[number];

/** Rules that read the payload, each as text: equal for rules that are written alike. */
export interface PayloadRules {
  readonly output: string;
  readonly apis: string;
}

export function payloadRules(profile: BehaviorProfile): PayloadRules {
  const { output_rules, allowed_apis, blocked_apis } = profile;
  return { output: canonicalize(output_rules), apis: canonicalize({ allowed_apis, blocked_apis }) };
}

/** The members of a recorded check that are read. */
export interface JudgedCheck {
  readonly erased: boolean;
  readonly envelope: Pick<EventEnvelope, 'leaf' | 'openings' | 'costMicros' | 'order' | 'ruleCounts'>;
}

/**
 * Evaluates a recorded check under the draft, in time slices: a long payload is not read in one go. A check that cannot be
 * evaluated is counted as it was recorded.
 * @param draft of the draft; the verdict of these rules is taken from the record where the payload was not kept and the rules
 *   in force then were the same
 * @param known by version of the profile
 */
export function* judgeRecorded(
  { envelope, erased }: JudgedCheck,
  agent: SimulatedAgent,
  draft: PayloadRules,
  known: ReadonlyMap<number, PayloadRules>,
): Generator<undefined, Verdict | Unjudged, undefined> {
  const { leaf, openings } = envelope;
  const atMs = Date.parse(leaf.occurredAt);
  if (leaf.outcome === 'frozen') return 'frozen';
  if (leaf.outcome !== 'allowed' && leaf.outcome !== 'denied') return 'plan';
  const unjudged = (reason: Unjudged): Unjudged => {
    agent.count({ ...envelope, countsRate: leaf.allowed === true && agent.profile.rate !== null }, atMs);
    return reason;
  };
  const action = openings.action?.value;
  if (!isObject(action)) return unjudged('erased');
  const who = whoOf(openings.context?.value) ?? whoIn(action);
  const around = agent.around(atMs, who);
  const payload = openings.payload?.value;
  if (payload !== undefined) {
    return agent.settle(yield* decideInSlices(agent.profile, { ...action, payload }, around), atMs, who);
  }
  // Rules with conditions read the arguments, which are in the payload.
  if (leaf.payload !== null && agent.profile.rules !== null) return unjudged(erased ? 'erased' : 'payloadNotKept');
  // There was a payload, so its absence in the record is not a misnamed member. No rule finds anything in `false`.
  const shown = leaf.payload === null ? action : { ...action, payload: false };
  let decision = decide(agent.profile, shown, around);
  const recorded = leaf.profileVersion === null ? undefined : known.get(leaf.profileVersion);
  if (leaf.payload !== null && needsArguments(agent.profile, shown, decision.violation)) {
    const apis = recorded?.apis === draft.apis ? apiVerdict(leaf) : 'unknown';
    if (apis === 'unknown' || decision.violation?.rule === 'require:url')
      return unjudged(erased ? 'erased' : 'payloadNotKept');
    // The lists did not match the arguments: a url that repeats one of them must not match either.
    if (apis === null && decision.violation !== null)
      decision = decide(agent.profile, { ...shown, url: undefined }, around);
    if (apis !== null) decision = { ...decision, violation: apis };
  }
  if (leaf.payload === null || agent.profile.output === null || decision.violation !== null) {
    return agent.settle(decision, atMs, who);
  }
  const output = recorded?.output === draft.output ? outputVerdict(leaf) : 'unknown';
  if (output === 'unknown') return unjudged(erased ? 'erased' : 'payloadNotKept');
  return agent.settle({ ...decision, violation: output }, atMs, who);
}

/** Principal, session, issuer and actors as a context has them; `null` where there is no context. */
export function whoOf(context: unknown): Who | null {
  if (!isObject(context)) return null;
  const { principal, session, issuer, actors } = context;
  return {
    principal: typeof principal === 'string' ? principal : null,
    session: typeof session === 'string' ? session : null,
    ...(typeof issuer === 'string' ? { issuer } : {}),
    ...(Array.isArray(actors) ? { actors: (actors as readonly { readonly id: string }[]).map(({ id }) => id) } : {}),
  };
}

/** Recorded verdict of the API lists that were in force: off-limits and allowed actions are evaluated before them. */
function apiVerdict({ violation_type, severity, reason, rule, detail }: LeafEvent): Violation | null | 'unknown' {
  if (violation_type === 'off_limits_action') return 'unknown';
  const ofApis = violation_type === 'api_not_allowed' && /^(?:allowed|blocked)_apis:/.test(rule ?? '');
  if (!ofApis) return null;
  return severity === null || reason === null
    ? 'unknown'
    : { violation_type: 'api_not_allowed', severity, reason, rule, detail, extras: null };
}

/** Recorded verdict of the output rules that were in force: they are evaluated after all other static rules. */
function outputVerdict({ violation_type, severity, reason, rule, detail }: LeafEvent): Violation | null | 'unknown' {
  switch (violation_type) {
    case null:
    case 'spending_limit_exceeded':
    case 'rate_limit_exceeded':
      return null;
    case 'unsafe_output':
      return severity === null || reason === null
        ? 'unknown'
        : { violation_type: 'unsafe_output', severity, reason, rule, detail, extras: null };
    default:
      return 'unknown';
  }
}

/** The version and the rules that a `profile.changed` event put in force; `null` for any other or an erased one. */
export function changedPayloadRules({ envelope }: ArchivedEvent): readonly [number, PayloadRules] | null {
  if (envelope.leaf.type !== 'profile.changed') return null;
  const committed = envelope.openings.action?.value;
  if (!isObject(committed) || !isObject(committed['profile'])) return null;
  const profile = committed['profile'] as unknown as BehaviorProfile;
  return [profile.version, payloadRules(profile)];
}

function isObject(value: unknown): value is Action {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
