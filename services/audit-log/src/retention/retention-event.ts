import { TOPICS, type EventEnvelope, type JsonValue } from '@countersign/contracts';
import { commit, plainEnvelope, plainLeaf, toBase64Url, uuidV7, type Sha256 } from '@countersign/evidence';
import type { KeptContent } from '../store/port.js';
import type { Period } from './periods.js';

/** Content of one agent that is due, the oldest there is, in sequence order. */
export interface DueContent {
  readonly accountId: string;
  readonly agentId: string;
  readonly cadenceSeconds: number;
  readonly content: readonly [KeptContent, ...KeptContent[]];
  readonly period: Period;
  /** Younger content stays. */
  readonly beforeMs: number;
}

const DAY_MS = 86_400_000;

/**
 * The event that takes the content of an agent's checks and outcomes up to the leaf that it names. `until` in it: from
 * then on no copy is left in the log either. Besides it says what was taken and why.
 * @param nowMs the counters' clock
 * @param random gives as many random bytes as asked
 */
export function retentionEvent(
  due: DueContent,
  nowMs: number,
  random: (bytes: number) => Uint8Array,
  sha256: Sha256,
): EventEnvelope {
  const { accountId, agentId, cadenceSeconds, content, period, beforeMs } = due;
  const last = content.at(-1)!;
  const newest = Math.max(...content.map(ageOf).map((age) => age ?? nowMs));
  const salt = toBase64Url(random(16));
  const value: JsonValue = {
    by: { kind: 'system', id: 'retention' },
    until: new Date(newest + TOPICS['agent-events'].retention.days * DAY_MS).toISOString(),
    removed: {
      count: content.length,
      firstSequence: content[0].sequence,
      lastSequence: last.sequence,
      before: new Date(beforeMs).toISOString(),
      months: period.months,
      because: [...period.because],
    },
  };
  const leaf = plainLeaf({
    type: 'retention.applied',
    eventId: uuidV7(nowMs, random(10)),
    refersTo: last.eventId,
    agentId,
    occurredAt: new Date(nowMs).toISOString(),
    action: commit('action', salt, value, sha256),
  });
  return plainEnvelope(leaf, { accountId, cadenceSeconds, apiKeyId: null, openings: { action: { salt, value } } });
}

/**
 * The time that a leaf's age is counted from: what it says itself, or when it was anchored where that is later, so that
 * no clock that was set back makes it old. `null`: not anchored, so not to be taken.
 */
function ageOf({ occurredAtMs, anchoredAtMs }: KeptContent): number | null {
  return anchoredAtMs === null ? null : Math.max(occurredAtMs, anchoredAtMs);
}

/** The longest beginning of what is kept that is older than `beforeMs`. */
export function dueOf(kept: readonly KeptContent[], beforeMs: number): readonly KeptContent[] {
  const end = kept.findIndex((one) => !((ageOf(one) ?? Infinity) < beforeMs));
  return end < 0 ? kept : kept.slice(0, end);
}
