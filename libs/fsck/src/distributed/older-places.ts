import type { ArchiveInspection, OlderEvent } from '@countersign/audit-log';
import type { Offsets } from '@countersign/event-log';
import { RestoreRefused } from '@countersign/topics';
import { envelopeOf, unreadable } from '../rebuild/older-events.js';

/**
 * Events of partitions that dropped their beginning, which only the archive still has; none where the log has all.
 * @param archive `null`: it cannot be read
 * @throws RestoreRefused where an event that the log has not is damaged, or the archive cannot be read
 */
export async function* olderPlaces(
  begins: Offsets,
  archive: Pick<ArchiveInspection, 'events'> | null,
): AsyncGenerator<OlderEvent> {
  for (const [name, begin] of Object.entries(begins)) {
    if (begin === 0) continue;
    if (archive === null) throw unreadable();
    const partition = Number(name);
    for await (const event of archive.events({ partition, from: 0, to: begin })) {
      const envelope = envelopeOf(event);
      const { offset } = event.at;
      if (envelope === null) {
        throw new RestoreRefused(
          `the event at offset ${offset} of partition ${partition} is older than the log and damaged`,
        );
      }
      yield { envelope, sequence: event.sequence, partition, offset };
    }
  }
}
