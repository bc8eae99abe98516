import type { StoredLog } from '@countersign/event-log';
import { readMessage } from '@countersign/evidence';
import type { EventRecords } from './compare-events.js';

const HOUR_MS = 3_600_000;
/** Number of first events whose ids are looked for in the archive. */
const FIRST_IDS = 50;

/** `agent-events` of the embedded profile: one partition, in one file. @throws LogDamaged */
export function singleFileEvents(log: StoredLog): EventRecords {
  const begin = log.beginOffsets('agent-events')[0] ?? 0;
  const end = log.endOffsets('agent-events')[0] ?? 0;
  const kept = begin === 0 ? null : firstKept(log);
  return {
    total: end - begin,
    records: () => log.records('agent-events'),
    isWhole: () => kept === null,
    mayBeOlder: ({ occurredAt }) => kept !== null && occurredAt < kept.fromMs,
    isNewer: () => Promise.resolve(false),
    async *older(archive) {
      if (kept !== null) yield* archive.older(kept.eventIds);
    },
  };
}

/** When the log took its first kept record, and the ids of the first events. */
function firstKept(log: StoredLog): { readonly fromMs: number; readonly eventIds: readonly string[] } {
  let fromMs = Infinity;
  const eventIds: string[] = [];
  for (const record of log.records('agent-events')) {
    fromMs = Math.min(fromMs, record.appendedAtMs);
    const reading = readMessage(record.value);
    if (reading.ok) eventIds.push(reading.value.leaf.eventId);
    if (eventIds.length === FIRST_IDS) break;
  }
  // Clocks of writers may run a little apart.
  return { fromMs: fromMs + HOUR_MS, eventIds };
}
