import type { JsonValue, LeafEvent, Opening, Openings } from '@countersign/contracts';
import type { Sha256 } from '../crypto.js';
import { toBase64Url } from '../encoding/base64.js';
import { toHex } from '../encoding/hex.js';
import { utf8 } from '../encoding/text.js';
import { uuidV7 } from '../encoding/uuid.js';
import { canonicalBytes } from '../json/canonicalize.js';
import { commit, type CommitmentKind, commitV2 } from '../leaf/commitment.js';

/** An event of a made-up story: its leaf, and the content that its commitments hide. */
export interface StoryEvent {
  readonly leaf: LeafEvent;
  readonly openings: Openings;
  readonly erased?: true;
}

export interface Draft {
  readonly type: LeafEvent['type'];
  readonly fields?: Partial<LeafEvent>;
  readonly action?: JsonValue;
  readonly payload?: JsonValue;
  /** The payload is committed but was not kept. */
  readonly payloadNotKept?: true;
  readonly erased?: true;
  /** Makes the leaf one of version 2; a member that is not given is `null`. */
  readonly v2?: { readonly context?: JsonValue; readonly coverage?: readonly string[] };
}

/** 2026-03-02T10:00:00.000Z: the stories begin here. */
export const STORY_START = 1_772_445_600_000;

/** Pseudorandom bytes, the same on every run. */
export function bytesOf(label: string, length: number, sha256: Sha256): Uint8Array {
  return sha256(utf8(label)).slice(0, length);
}

export function storyUuid(label: string, atMs: number, sha256: Sha256): string {
  return uuidV7(atMs, bytesOf(label, 10, sha256));
}

/** Base58 text of the length of a Solana transaction signature, derived from `label`. */
export function storySignature(label: string, sha256: Sha256): string {
  return (toHex(sha256(utf8(`${label}/1`))) + toHex(sha256(utf8(`${label}/2`)))).replaceAll('0', 'z').slice(0, 88);
}

export function hashOfJson(value: unknown, sha256: Sha256): string {
  return toHex(sha256(canonicalBytes(value)));
}

/** The event of a draft; its salts follow from `eventId`. */
export function storyEvent(
  draft: Draft,
  place: { readonly agentId: string; readonly eventId: string; readonly atMs: number },
  sha256: Sha256,
): StoryEvent {
  const openings: { action?: Opening; payload?: Opening; context?: Opening } = {};
  const { v2 } = draft;
  const committed: { action: string | null; payload: string | null; context?: string | null } = {
    action: null,
    payload: null,
    ...(v2 === undefined ? {} : { context: null, coverage: v2.coverage ?? null }),
  };
  const seal = (kind: CommitmentKind, value: JsonValue | undefined, kept: boolean): void => {
    if (value === undefined) return;
    const salt = toBase64Url(bytesOf(`${place.eventId}/${kind}`, 16, sha256));
    committed[kind] = (v2 === undefined ? commit : commitV2)(kind, salt, value, sha256);
    openings[kind] = kept ? { salt, value } : { salt };
  };
  seal('action', draft.action, true);
  seal('payload', draft.payload, draft.payloadNotKept !== true);
  seal('context', v2?.context, true);
  const leaf: LeafEvent = {
    v: v2 === undefined ? 1 : 2,
    type: draft.type,
    eventId: place.eventId,
    refersTo: null,
    agentId: place.agentId,
    occurredAt: new Date(place.atMs).toISOString(),
    outcome: null,
    allowed: null,
    reason: null,
    severity: null,
    violation_type: null,
    rule: null,
    detail: null,
    actionKind: null,
    profileVersion: null,
    profileSha256: null,
    ...committed,
    ...draft.fields,
  };
  return draft.erased === true ? { leaf, openings: {}, erased: true } : { leaf, openings };
}
