import type { BehaviorProfile, ProfilePreview } from '@countersign/contracts';
import {
  applyProfilePatch,
  conditionalProblem,
  mergeSafetyRules,
  profileFindings,
  profileProblem,
  profileSizeProblem,
} from '@countersign/policy-engine';
import { HttpRefusal } from '@countersign/http-edge';
import type { ProfilePatch } from '@countersign/policy-engine';
import { readDraft } from '../dry-run/read-request.js';

type Finding = ProfilePreview['findings'][number];

const MOST_FINDINGS = 100;

/** Names of members in front of a message: `rules[0]`, or of the field that is unknown. */
const NAMED = /^(?:unknown field ")?([a-z_]\w*(?:\[\d+\]|\.\w+)*)/i;

/**
 * The profile as a draft would leave it, and what is found about it. A draft that is refused has the reason as a finding.
 * @param draft fields as in a PATCH
 * @param rules merged into the draft afterwards; `undefined`: none
 * @throws HttpRefusal 400 where the rules are not well formed
 */
export function previewProfile(
  current: BehaviorProfile,
  draft: unknown,
  rules: unknown,
): Pick<ProfilePreview, 'profile' | 'findings'> {
  const merging = rules === undefined ? null : readDraft(current.agent_id, rules);
  const patch = patchOf(current.agent_id, draft);
  if (typeof patch === 'string') return { profile: null, findings: [refusal(patch)] };
  const drafted = applyProfilePatch(current, patch);
  // Rules that are compiled are kept for a while: those of a draft that is too large are not compiled.
  const tooLarge = drafted === current ? null : profileSizeProblem(drafted, current);
  if (tooLarge !== null) return { profile: null, findings: [refusal(tooLarge)] };
  const problem = conditionalProblem(drafted);
  const merged = merging === null || problem !== null ? drafted : merge(drafted, merging);
  const found = profileFindings(merged).map(({ path, kind, text }): Finding => ({ path: [...path], kind, text }));
  const refused =
    problem ??
    (merging === null ? null : profileProblem(merged)) ??
    (merged === current ? null : profileSizeProblem(merged, current));
  const isNamed = found.some(({ kind }) => kind === 'refused');
  const findings = [...(refused === null || isNamed ? [] : [refusal(refused)]), ...found];
  const isWarning = ({ kind }: Finding): number => Number(kind !== 'refused');
  return {
    profile: refused === null ? merged : null,
    findings: findings.sort((a, b) => isWarning(a) - isWarning(b)).slice(0, MOST_FINDINGS),
  };
}

/** `mergeSafetyRules` with one version more than the one in force, as a draft has without rules. */
function merge(drafted: BehaviorProfile, { agent_id: _agent, version: _version, ...rules }: ProfilePatch) {
  return { ...mergeSafetyRules(drafted, rules), version: drafted.version };
}

/** The patch, or why it is none. */
function patchOf(agentId: string, draft: unknown): ProfilePatch | string {
  try {
    return readDraft(agentId, draft);
  } catch (error) {
    if (error instanceof HttpRefusal && error.status === 400) return error.message;
    throw error;
  }
}

function refusal(text: string): Finding {
  const name = NAMED.exec(text)?.[1] ?? '';
  const path = [...name.matchAll(/\w+/g)].map(([segment]) => (/^\d+$/.test(segment) ? Number(segment) : segment));
  return { path: text.startsWith('the ') ? [] : path, kind: 'refused', text };
}
