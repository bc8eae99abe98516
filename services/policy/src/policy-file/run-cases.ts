import { FROZEN_REASON } from '@countersign/contracts';
import type { BehaviorProfile } from '@countersign/contracts';
import { applyProfilePatch, decideInSlices, emptyProfile, profileWarnings, whoIn } from '@countersign/policy-engine';
import type { Action } from '@countersign/policy-engine';
import { SimulatedAgent } from '../simulate/simulated-agent.js';
import type { Verdict } from '../simulate/simulated-agent.js';
import { FROZEN } from './file-schema.js';
import type { ExpectedAnswer, PolicyCase, PolicyFile } from './read-policy-file.js';

/** Result of a check. */
export type CameOut = Required<ExpectedAnswer>;

/** A step with another result than expected. */
export interface CaseFailure {
  readonly title: string;
  /** From 1; `null` where the case is a single check. */
  readonly step: number | null;
  /** From 1, if a check of `given` failed. */
  readonly given?: number;
  readonly expected: ExpectedAnswer;
  readonly came: CameOut;
}

const NOTHING = {
  violation_type: null,
  rule: null,
  severity: null,
  reason: null,
  detail: null,
  code: null,
  category: null,
  pii_kind: null,
  matched_topic: null,
  decision: null,
};
const REFUSED_FROZEN: CameOut = { ...NOTHING, allowed: false, severity: 'P1', reason: FROZEN_REASON, code: FROZEN };
/** Stands for the agent of a policy in a file. */
export const NO_AGENT = '00000000-0000-4000-8000-000000000000';

/** Rules of the file's policy that have no effect, on a profile without other rules. */
export function policyWarnings({ patch }: Pick<PolicyFile, 'patch'>): readonly string[] {
  return profileWarnings(applyProfilePatch(emptyProfile(NO_AGENT), patch));
}

/** The first step of each case that fails under the file's policy, on a profile without other rules. */
export function runCases({ patch, cases }: Pick<PolicyFile, 'patch' | 'cases'>): readonly CaseFailure[] {
  const profile = applyProfilePatch(emptyProfile(NO_AGENT), patch);
  return cases.flatMap((one) => runCase(profile, one) ?? []);
}

/** The first step that fails, or `null`. After a denial that freezes the agent all checks are refused, as by a gateway. */
export function runCase(profile: BehaviorProfile, one: PolicyCase): CaseFailure | null {
  const steps = runCaseInSlices(profile, one);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** As {@link runCase}; yields after each check, and after each piece of a long payload. */
export function* runCaseInSlices(
  profile: BehaviorProfile,
  { title, steps }: PolicyCase,
): Generator<undefined, CaseFailure | null, undefined> {
  const agent = new SimulatedAgent(profile);
  let frozen = false;
  const before = steps.filter(({ given }) => given !== null).length;
  const isSingle = steps.length - before === 1;
  for (const [n, { action, atMs, times, expect, given }] of steps.entries()) {
    let came: CameOut = REFUSED_FROZEN;
    for (let check = 0; check < times; check += 1) {
      yield;
      if (frozen) {
        came = REFUSED_FROZEN;
        break;
      }
      const verdict = yield* checkInSlices(agent, action, atMs);
      frozen = verdict.freezes;
      came = cameOut(verdict);
    }
    if (expect !== null && !holds(expect, came)) {
      if (given !== null) return { title, step: null, given: given + 1, expected: expect, came };
      return { title, step: isSingle ? null : n + 1 - before, expected: expect, came };
    }
  }
  return null;
}

function* checkInSlices(agent: SimulatedAgent, action: Action, atMs: number): Generator<undefined, Verdict, undefined> {
  const who = whoIn(action);
  return agent.settle(yield* decideInSlices(agent.profile, action, agent.around(atMs, who)), atMs, who);
}

function cameOut({ allowed, violation }: Verdict): CameOut {
  if (violation === null) return { ...NOTHING, allowed };
  const { violation_type, rule, severity, reason, detail, extras } = violation;
  const { category = null, pii_kind = null, matched_topic = null } = extras ?? {};
  const decision = violation_type === 'approval_required' ? 'step_up' : (extras?.decision ?? null);
  const members = { violation_type, rule, severity, reason, detail, category, pii_kind, matched_topic, decision };
  return { ...NOTHING, allowed, ...members };
}

function holds(expected: ExpectedAnswer, came: CameOut): boolean {
  const members = Object.entries(expected) as [keyof ExpectedAnswer, unknown][];
  return members.every(([member, value]) => came[member] === value);
}
