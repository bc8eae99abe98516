import type { ArchiveInspection, InspectedEvent, OlderEvent } from '@countersign/audit-log';
import type { EventEnvelope, Openings } from '@countersign/contracts';
import { canonicalLeaf, readLeaf, readMessage } from '@countersign/evidence';
import type { StoredLogFile } from '@countersign/event-log';
import { RestoreRefused } from '@countersign/topics';

/** Records of the log among which the archive's first common event is looked for. */
const LOOKED_AT = 50;

/**
 * Events of a log that dropped its beginning, which only the archive still has, oldest first; none where the log has all.
 * @throws RestoreRefused where an event that the log has not is damaged, or the archive cannot be read
 */
export async function* olderEvents(log: StoredLogFile, archive: ArchiveInspection | null): AsyncGenerator<OlderEvent> {
  if ((log.beginOffsets('agent-events')[0] ?? 0) === 0) return;
  if (archive === null) throw unreadable();
  const range = { partition: 0, from: Number.MIN_SAFE_INTEGER, to: await firstCommon(log, archive) };
  let offset = 0;
  for await (const event of archive.events(range)) {
    const envelope = envelopeOf(event);
    if (envelope === null) throw new RestoreRefused(`event n=${event.at.offset} is older than the log and damaged`);
    yield { envelope, sequence: event.sequence, partition: 0, offset };
    offset += 1;
  }
}

export function unreadable(): RestoreRefused {
  return new RestoreRefused('the log no longer holds its first events, and the archive that has them cannot be read');
}

async function firstCommon(log: StoredLogFile, archive: ArchiveInspection): Promise<number> {
  const records = log.read('agent-events', log.beginOffsets('agent-events')[0] ?? 0, LOOKED_AT);
  const ids = [...records].flatMap(({ value }) => {
    const reading = readMessage(value);
    return reading.ok ? reading.value.leaf.eventId : [];
  });
  const events = await archive.find(ids);
  const found = ids.flatMap((id) => events.get(id)?.at.offset ?? []);
  const last = found.at(-1);
  return last === undefined ? Number.MAX_SAFE_INTEGER : Math.min(...found.filter((n) => n > last - LOOKED_AT));
}

/** `null`: it is damaged. */
export function envelopeOf({ leaf, facts, openings }: InspectedEvent): EventEnvelope | null {
  try {
    const reading = readLeaf(JSON.parse(leaf));
    if (!reading.ok || canonicalLeaf(reading.value) !== leaf) return null;
    return {
      ...(JSON.parse(facts) as Omit<EventEnvelope, 'leaf' | 'openings'>),
      leaf: reading.value,
      openings: openings === null ? {} : (JSON.parse(openings) as Openings),
    };
  } catch {
    return null;
  }
}
