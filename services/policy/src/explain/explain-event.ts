import type { BehaviorProfile, EventExplanation, EventWithProfile, LeafEvent } from '@countersign/contracts';
import { runInSlices } from '@countersign/async';
import { compileProfile, emptyProfile, explainInSlices, needsArguments, whoIn } from '@countersign/policy-engine';
import type { Action, CompiledProfile, Surroundings, Violation } from '@countersign/policy-engine';
import { profileSha256, type Digest } from '../domain/profile.js';
import { whoOf } from '../dry-run/recorded-check.js';
import { tracedConditions, tracedRule } from './explain-check.js';
import { redecideEvent } from './redecide-event.js';

type NotEvaluated = NonNullable<EventExplanation['notEvaluated']>;

/**
 * Explains a recorded check: every rule of the profile of then for the action as it was recorded. The profile is used only
 * if it has the hash of the leaf. Spending and rate are as recorded. Yields to other work of the thread.
 */
export async function explainEvent(found: EventWithProfile, sha256: Digest): Promise<EventExplanation> {
  const { event, profile } = found;
  const { leaf } = event.envelope;
  const then = profileOfThen(leaf, profile, sha256);
  const { eventId, agentId, profileVersion, profileSha256: hash } = leaf;
  const { outcome, allowed, reason, severity, violation_type, rule, detail } = leaf;
  return {
    ...{ eventId, agentId, profileVersion, profileSha256: hash, mode: then?.mode ?? null },
    recorded: { outcome, allowed, reason, severity, violation_type, rule, detail },
    ...(await evaluated(event, then)),
    redecided: redecideEvent(found, sha256),
  };
}

async function evaluated(
  { envelope: { leaf, openings } }: EventWithProfile['event'],
  profile: BehaviorProfile | null,
): Promise<Pick<EventExplanation, 'rules' | 'notEvaluated'>> {
  const none = (reason: NotEvaluated['reason']): Pick<EventExplanation, 'rules' | 'notEvaluated'> => ({
    rules: [],
    notEvaluated: { reason, rules: [] },
  });
  if (leaf.outcome !== 'allowed' && leaf.outcome !== 'denied') return none('not_judged');
  if (profile === null) return none('profile_unknown');
  const action = openings.action?.value;
  if (!isAction(action)) return none('erased');
  const payload = openings.payload?.value;
  const withheld = leaf.payload !== null && payload === undefined;
  // No rule finds anything in `false`; it shows that there was a payload.
  const shown = { ...action, ...(payload !== undefined && { payload }), ...(withheld && { payload: false }) };
  const compiled = compileProfile(profile);
  const around = surroundingsOf(leaf, openings.context?.value) ?? {
    ...{ agentId: leaf.agentId, ...whoIn(shown), facts: [] },
    time: Math.floor(Date.parse(leaf.occurredAt) / 1000),
  };
  const explained = await runInSlices(explainInSlices(compiled, shown, countedThen(leaf), around));
  const unread = withheld ? unreadRules(compiled, shown, explained.decision.violation) : null;
  const traces = [
    ...explained.rules.filter(({ rule }) => unread?.(rule) !== true).map(tracedRule),
    ...(unread !== null && compiled.rules !== null ? [] : explained.conditional.map(tracedConditions)),
  ];
  if (unread === null) return { rules: traces, notEvaluated: null };
  const left = [
    ...explained.rules.map(({ rule }) => rule).filter(unread),
    ...(compiled.rules === null ? [] : explained.conditional.map(({ rule }) => rule)),
  ];
  return { rules: traces, notEvaluated: left.length === 0 ? null : { reason: 'payload_not_kept', rules: left } };
}

/** The inputs of rules that a check committed to beside its action; `null`: its leaf is of version 1, which has no context. */
function surroundingsOf({ agentId }: LeafEvent, context: unknown): Surroundings | null {
  const who = whoOf(context);
  if (who === null) return null;
  const {
    request_time: time,
    facts,
    seen,
  } = context as {
    readonly request_time: { readonly seconds: number; readonly offsets: Readonly<Record<string, number>> };
    readonly facts?: readonly string[];
    readonly seen?: { readonly limits: Readonly<Record<string, string>> };
  };
  const { seconds, offsets } = time;
  return { agentId, ...who, time: seconds, offsets, facts: facts ?? [], balances: seen?.limits ?? {} };
}

/** The profile whose hash the leaf has; `null`: it is not stored. No event commits to the profile of a new agent. */
function profileOfThen(
  { agentId, profileSha256: hash }: LeafEvent,
  committed: BehaviorProfile | null,
  sha256: Digest,
): BehaviorProfile | null {
  const candidate = committed ?? emptyProfile(agentId);
  return profileSha256(candidate, sha256) === hash ? candidate : null;
}

/** The rules that read the payload of the action: without it their results are not known. */
function unreadRules(compiled: CompiledProfile, shown: Action, violation: Violation | null): (rule: string) => boolean {
  const apis = needsArguments(compiled, shown, violation);
  return (rule) =>
    (rule.startsWith('output_rules.') && compiled.output !== null) ||
    (apis && (rule === 'allowed_apis' || rule === 'blocked_apis'));
}

/** The denials of the counters, as the check recorded them. */
function countedThen(leaf: LeafEvent): { readonly spending: Violation | null; readonly rate: Violation | null } {
  const { violation_type, severity, reason, rule, detail } = leaf;
  const found = (type: 'spending_limit_exceeded' | 'rate_limit_exceeded'): Violation | null =>
    violation_type !== type || severity === null || reason === null
      ? null
      : { violation_type: type, severity, reason, rule, detail, extras: null };
  return { spending: found('spending_limit_exceeded'), rate: found('rate_limit_exceeded') };
}

function isAction(value: unknown): value is Action {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
