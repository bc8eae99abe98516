import { runInSlices } from '@countersign/async';
import type { BehaviorProfile, EventDetail } from '@countersign/contracts';
import { actionCost } from '@countersign/policy-engine';
import type { Action } from '@countersign/policy-engine';
import { SimulatedAgent } from '../simulate/simulated-agent.js';
import { FlipTally } from './flips.js';
import type { Tallied } from './flips.js';
import { judgeRecorded, payloadRules } from './recorded-check.js';

/** A recorded check, as `GET /v1/events/{eventId}` shows it. */
export type RecordedCheck = Pick<EventDetail, 'leaf' | 'opened' | 'erased'>;

/**
 * Judges recorded checks of one agent by a draft, in their order, as if the draft had been in force from the first of them:
 * nothing was counted before it, and no fact was set.
 * @param inForce the profile in force: what it says of a payload that was not kept is taken from the record
 * @param heldFrom position of the first check that is added up by itself
 * @returns what would have been decided differently of the checks before that one, and of the others
 */
export async function replayChecks(
  checks: readonly RecordedCheck[],
  {
    inForce,
    draft,
    heldFrom,
  }: { readonly inForce: BehaviorProfile; readonly draft: BehaviorProfile; readonly heldFrom: number },
): Promise<{ readonly before: Tallied; readonly held: Tallied }> {
  const agent = new SimulatedAgent(draft);
  const [rules, known] = [payloadRules(draft), new Map([[inForce.version, payloadRules(inForce)]])];
  const [before, held] = [new FlipTally(), new FlipTally()];
  for (const [at, { leaf, opened, erased }] of checks.entries()) {
    const action = opened.action?.value;
    const costMicros = leaf.allowed === true && isAction(action) ? actionCost(action) : 0;
    const event = { erased, envelope: { leaf, openings: opened, costMicros } };
    const verdict = await runInSlices(judgeRecorded(event, agent, rules, known));
    (at < heldFrom ? before : held).add(event, verdict);
  }
  return { before: before.result(), held: held.result() };
}

const isAction = (value: unknown): value is Action =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
