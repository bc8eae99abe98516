import { TOPICS, type EventEnvelope, type JsonValue } from '@countersign/contracts';
import { commit, plainEnvelope, plainLeaf, toBase64Url, uuidV7, type Sha256 } from '@countersign/evidence';

export interface ErasureOrder {
  readonly accountId: string;
  readonly userId: string;
  readonly agentId: string;
  /** The event whose content goes. */
  readonly eventId: string;
  /** As the caller gave it; `null`: no reason. */
  readonly reason: string | null;
  readonly cadenceSeconds: number;
}

const DAY_MS = 86_400_000;

/**
 * The event that says that content was erased. `until` in it: from then on no copy is left in the log either.
 * @param nowMs the counters' clock
 * @param random gives as many random bytes as asked
 */
export function erasureEvent(
  order: ErasureOrder,
  nowMs: number,
  random: (bytes: number) => Uint8Array,
  sha256: Sha256,
): EventEnvelope {
  const salt = toBase64Url(random(16));
  const until = new Date(nowMs + TOPICS['agent-events'].retention.days * DAY_MS).toISOString();
  const { userId, reason } = order;
  const value: JsonValue = { by: { kind: 'user', id: userId }, until, ...(reason === null ? {} : { reason }) };
  const leaf = plainLeaf({
    type: 'content.erased',
    eventId: uuidV7(nowMs, random(10)),
    refersTo: order.eventId,
    agentId: order.agentId,
    occurredAt: new Date(nowMs).toISOString(),
    action: commit('action', salt, value, sha256),
  });
  const { accountId, cadenceSeconds } = order;
  return plainEnvelope(leaf, { accountId, cadenceSeconds, apiKeyId: null, openings: { action: { salt, value } } });
}
