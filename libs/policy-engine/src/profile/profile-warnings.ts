import type { BehaviorProfile } from '@countersign/contracts';
import { profileFindings } from './profile-findings.js';

const MOST_WARNINGS = 20;

/**
 * Parts of a profile that have no effect, or are probably not what its author means: entries of lists, rules, facts and
 * limits. One sentence each; the first twenty, and the number of the others. Empty for a profile without any.
 */
export function profileWarnings(profile: BehaviorProfile): readonly string[] {
  const all = profileFindings(profile).map(({ text }) => text);
  const more = all.length - MOST_WARNINGS;
  return more <= 0 ? all : [...all.slice(0, MOST_WARNINGS), `and ${more} more`];
}
