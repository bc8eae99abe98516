import { canonicalBytes, toHex } from '@countersign/evidence';
import {
  applyProfilePatch,
  conditionalProblem,
  emptyProfile,
  mergeSafetyRules,
  profileProblem,
  profileSizeProblem,
  readProfilePatch,
} from '@countersign/policy-engine';
import type { ProfilePatch, RulePatch } from '@countersign/policy-engine';
import type { BehaviorProfile, JsonValue } from '@countersign/contracts';
import { next } from './agent.js';
import type { Agent } from './agent.js';
import { byOf, INACTIVE, refused } from './change.js';
import type { Actor, Change, EventDraft } from './change.js';

export type Digest = (bytes: Uint8Array) => Uint8Array;

/** SHA-256 of the JCS of the profile as `GET …/profile` gives it, lower-case hex. */
export function profileSha256(profile: BehaviorProfile, sha256: Digest): string {
  return toHex(sha256(canonicalBytes(profile)));
}

/** Judges a PATCH body for the agent `id`, before anything is looked up. */
export function readPatchFor(id: string, body: unknown): { readonly patch: ProfilePatch } | { readonly error: string } {
  const read = readProfilePatch(body);
  if ('patch' in read && read.patch.agent_id !== undefined && read.patch.agent_id.toLowerCase() !== id) {
    return { error: 'agent_id is that of another agent: leave it out, or send it back as it is' };
  }
  return read;
}

/**
 * The profile that a patch would make, which {@link readPatchFor} found well formed: the same object where it changes
 * nothing.
 */
export function draftProfile(
  { facts: { status, profile } }: Pick<Agent, 'facts'>,
  patch: ProfilePatch,
): { readonly profile: BehaviorProfile } | Extract<Change, { readonly kind: 'refused' }> {
  if (status === 'inactive') return refused(409, INACTIVE);
  if (patch.version !== undefined && patch.version !== profile.version) {
    return refused(409, `version ${patch.version} is not the current one, which is ${profile.version}: read it again`);
  }
  const draft = applyProfilePatch(profile, patch);
  // Rules read facts that another field sets, so they are judged together.
  const problem = conditionalProblem(draft);
  return problem === null ? { profile: draft } : refused(400, problem);
}

/** Applies a patch that {@link readPatchFor} found well formed. */
export function changeProfile(agent: Agent, patch: ProfilePatch, actor: Actor, nowMs: number, sha256: Digest): Change {
  const draft = draftProfile(agent, patch);
  return 'kind' in draft ? draft : replaced(agent, draft.profile, actor, nowMs, sha256);
}

/** Puts exactly the named rules in force; all others take their defaults. */
export function putProfile(agent: Agent, patch: ProfilePatch, actor: Actor, nowMs: number, sha256: Digest): Change {
  const { agent_id: _agent, version: _version, ...defaults } = emptyProfile(agent.id);
  return changeProfile(
    agent,
    { ...defaults, require: null, rules: null, facts: null, limits: null, ...patch },
    actor,
    nowMs,
    sha256,
  );
}

/** The event that says which profile is in force. */
export function profileChanged(profile: BehaviorProfile, hash: string, actor: Actor): EventDraft {
  return {
    type: 'profile.changed',
    committed: { profile: profile as unknown as JsonValue, by: byOf(actor) },
    profileVersion: profile.version,
    profileSha256: hash,
  };
}

/** Merges the rules of a safety package. The result is validated as a PATCH is. */
export function applyPackage(agent: Agent, rules: RulePatch, actor: Actor, nowMs: number, sha256: Digest): Change {
  if (agent.facts.status === 'inactive') return refused(409, INACTIVE);
  const merged = mergeSafetyRules(agent.facts.profile, rules);
  const problem = profileProblem(merged);
  if (problem !== null) return refused(409, `with the package's rules the profile would not be valid: ${problem}`);
  return replaced(agent, merged, actor, nowMs, sha256);
}

function replaced(agent: Agent, profile: BehaviorProfile, actor: Actor, nowMs: number, sha256: Digest): Change {
  if (profile === agent.facts.profile) return { kind: 'unchanged', agent };
  const tooLarge = profileSizeProblem(profile, agent.facts.profile);
  if (tooLarge !== null) return refused(413, tooLarge);
  const hash = profileSha256(profile, sha256);
  return {
    kind: 'changed',
    agent: next(agent, { profile, profileSha256: hash, profileEditor: { kind: actor.kind, id: actor.id } }, nowMs),
    event: profileChanged(profile, hash, actor),
  };
}
