import type { EventExplanation, EventRecord } from '@countersign/contracts';
import { ask } from '../api/ask.js';
import { redecisionWords } from '../words/verify.js';
import type { Finding } from './use-many.js';
import type { RedecidedKind } from './verified-kind.js';

/**
 * The verdict of one check, computed again by the server from the profile of then and what the check saw.
 * @throws AskError
 */
export async function redecided({
  eventId,
  type,
}: Pick<EventRecord, 'eventId' | 'type'>): Promise<Finding<RedecidedKind>> {
  if (type !== 'action.checked') return { kind: 'open', reason: redecisionWords.noCheck };
  const answer = await ask<EventExplanation>(`/v1/events/${encodeURIComponent(eventId)}/explanation`);
  const { verdict } = answer.redecided;
  if (verdict === 'same' || verdict === 'different') return { kind: verdict };
  return { kind: 'open', reason: openReason(answer.redecided) };
}

/** Why a verdict could not be computed again. */
export function openReason({ verdict, reason }: EventExplanation['redecided']): string {
  return verdict === 'erased' ? redecisionWords.erased : redecisionWords.reasons[reason ?? 'verdict'];
}
