import { applyProfilePatch, emptyProfile } from '@countersign/policy-engine';
import type { RulePatch } from '@countersign/policy-engine';
import { NO_AGENT } from '../policy-file/run-cases.js';
import { SimulatedAgent } from '../simulate/simulated-agent.js';
import type { SeenCheck } from './seen-check.js';

/**
 * Checks that the rules of a patch deny, on a profile without others, by the decision and the counters.
 * @returns Infinity for rules that a profile refuses
 */
export function deniedBy(patch: RulePatch, checks: readonly SeenCheck[]): number {
  let agent;
  try {
    agent = new SimulatedAgent(applyProfilePatch(emptyProfile(NO_AGENT), patch));
  } catch {
    return Infinity;
  }
  return checks.filter(({ action, atMs, who }) => !agent.check(action, atMs, who).allowed).length;
}
