import type { OlderEvent } from '@countersign/audit-log';
import type { Offsets } from '@countersign/event-log';
import { RestoreRefused } from '@countersign/topics';
import type { Store } from '../open-stores.js';
import { offsetOf, placeIn } from '../places.js';
import { envelopeOf, type OlderRow } from '../rebuild/older-events.js';

/**
 * What only the archive still has of partitions that dropped their beginning; nothing where the log has all.
 * @param archive as rows of the tables of the embedded profile; `null`: it cannot be read
 * @throws RestoreRefused where an event that the log has not is damaged, or the archive cannot be read
 */
export function* olderPlaces(begins: Offsets, archive: Store | null): Generator<OlderEvent> {
  for (const [name, begin] of Object.entries(begins)) {
    if (begin === 0) continue;
    if (archive === null) {
      throw new RestoreRefused(
        'the log no longer holds its first events, and the archive that has them cannot be read',
      );
    }
    const partition = Number(name);
    const rows = archive.prepare<[number, number], OlderRow>(
      'SELECT n, sequence, leaf, facts, openings FROM events WHERE n >= ? AND n < ? ORDER BY n',
    );
    for (const row of rows.iterate(placeIn(partition, 0), placeIn(partition, begin))) {
      const envelope = envelopeOf(row);
      const offset = offsetOf(row.n);
      if (envelope === null) {
        throw new RestoreRefused(
          `the event at offset ${offset} of partition ${partition} is older than the log and damaged`,
        );
      }
      yield { envelope, sequence: row.sequence, partition, offset };
    }
  }
}
