import { commit, plainEnvelope, plainLeaf, toBase64Url, uuidV7 } from '@countersign/evidence';
import type { EventEnvelope } from '@countersign/contracts';
import type { EventDraft } from './change.js';
import type { Digest } from './profile.js';

/** Random bytes for one event. */
export interface EventEntropy {
  /** 10 bytes for the event id. */
  readonly id: Uint8Array;
  /** 16 bytes for the commitment. */
  readonly salt: Uint8Array;
}

/**
 * The message of `agent-events` for a change (`evidence.md`, "Leaf"): the input is committed as `action`, with its opening
 * next to the leaf; fields of checks are null or zero.
 */
export function agentEvent(
  agentId: string,
  accountId: string,
  draft: EventDraft,
  by: { readonly occurredAtMs: number; readonly cadenceSeconds: number; readonly apiKeyId: string | null },
  entropy: EventEntropy,
  sha256: Digest,
): EventEnvelope {
  const salt = toBase64Url(entropy.salt);
  const leaf = plainLeaf({
    type: draft.type,
    eventId: uuidV7(by.occurredAtMs, entropy.id),
    agentId,
    occurredAt: new Date(by.occurredAtMs).toISOString(),
    profileVersion: draft.profileVersion,
    profileSha256: draft.profileSha256,
    action: commit('action', salt, draft.committed, sha256),
  });
  const { cadenceSeconds, apiKeyId } = by;
  const openings = { action: { salt, value: draft.committed } };
  return plainEnvelope(leaf, { accountId, cadenceSeconds, apiKeyId, openings });
}
