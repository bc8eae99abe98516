import { applyProfilePatch, emptyProfile, expectedMicros, profileFindings } from '@countersign/policy-engine';
import type { ProfileFinding, ToolSchemas } from '@countersign/policy-engine';
import type { PolicyFile } from './read-policy-file.js';
import { NO_AGENT } from './run-cases.js';

/** Most combinations of values that are tried for the rules of a file: some seconds. */
const TRIES = 200_000;

/** All findings about the policy of a file, on a profile without other rules. @param schemas of tools, by name */
export function draftFindings(
  { kind, patch }: Pick<PolicyFile, 'kind' | 'patch'>,
  schemas?: ToolSchemas,
): readonly ProfileFinding[] {
  const options = { tries: TRIES, isPart: kind !== 'profile', ...(schemas === undefined ? {} : { schemas }) };
  return profileFindings(applyProfilePatch(emptyProfile(NO_AGENT), patch), options);
}

/** The largest estimated time of its rules, facts and limits for one check, in µs; `null` where one of them is refused. */
export function draftCost({ patch }: Pick<PolicyFile, 'patch'>): number | null {
  return expectedMicros(applyProfilePatch(emptyProfile(NO_AGENT), patch));
}
