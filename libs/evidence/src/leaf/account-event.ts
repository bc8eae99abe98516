import { accountStream, actorText } from '@countersign/contracts';
import type { AccountEventDraft, EventEnvelope, JsonValue } from '@countersign/contracts';
import type { Sha256 } from '../crypto.js';
import { toBase64Url } from '../encoding/base64.js';
import { uuidV7 } from '../encoding/uuid.js';
import { commitV2 } from './commitment.js';
import { plainEnvelope, plainLeaf } from './plain-leaf.js';

/** The account of an event, when it happened, and its random bytes. */
export interface AccountEventFacts {
  readonly accountId: string;
  readonly cadenceSeconds: number;
  /** ms by the counters' clock */
  readonly occurredAtMs: number;
  /** 10 random bytes for the id, 16 for the commitment. */
  readonly entropy: { readonly id: Uint8Array; readonly salt: Uint8Array };
}

/** The message of `agent-events` for an event of the account itself (FORMAT.md, "Events of an account"). */
export function accountEvent(draft: AccountEventDraft, of: AccountEventFacts, sha256: Sha256): EventEnvelope {
  const { accountId, cadenceSeconds, occurredAtMs, entropy } = of;
  const salt = toBase64Url(entropy.salt);
  const value: JsonValue = { ...draft.content, by: { ...draft.by } };
  const leaf = plainLeaf({
    v: 2,
    type: draft.type,
    eventId: uuidV7(occurredAtMs, entropy.id),
    agentId: accountStream(accountId),
    occurredAt: new Date(occurredAtMs).toISOString(),
    outcome: draft.outcome ?? null,
    refersTo: draft.refersTo ?? null,
    detail: actorText(draft.by),
    action: commitV2('action', salt, value, sha256),
  });
  return plainEnvelope(leaf, { accountId, cadenceSeconds, apiKeyId: null, openings: { action: { salt, value } } });
}
