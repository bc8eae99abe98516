import type { EventRecord } from '@countersign/contracts';
import { eventProofOnce } from '../api/one-event.js';
import { preferences } from '../preferences.js';
import type { Finding } from './use-many.js';
import type { VerifiedKind } from './verified-kind.js';
import { verify } from './verifier.js';

/**
 * Verifies one event with its proof in this browser.
 * @throws AskError, or Error with words for the reader, where it could not be verified
 */
export async function verified({
  eventId,
  anchored,
}: Pick<EventRecord, 'eventId' | 'anchored'>): Promise<Finding<VerifiedKind>> {
  if (!anchored) return { kind: 'waiting' };
  const { verdict } = await verify(await eventProofOnce(eventId), preferences().rpcUrl, () => undefined);
  return { kind: verdict };
}
