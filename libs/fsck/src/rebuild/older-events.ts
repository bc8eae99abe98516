import type { EventEnvelope, Openings } from '@countersign/contracts';
import { canonicalLeaf, readLeaf, readMessage } from '@countersign/evidence';
import type { StoredLogFile } from '@countersign/event-log';
import type { OlderEvent } from '@countersign/audit-log';
import { RestoreRefused } from '@countersign/topics';
import type { Store } from '../open-stores.js';

/** An event of the archive, as far as it is taken over. */
export interface OlderRow {
  readonly n: number;
  readonly sequence: number;
  readonly leaf: string;
  readonly facts: string;
  readonly openings: string | null;
}

/** Records of the log among which the archive's first common event is looked for. */
const LOOKED_AT = 50;

/**
 * What only the archive still has of a log that dropped its beginning, oldest first; nothing where the log has all.
 * @throws RestoreRefused where an event that the log has not is damaged, or the archive cannot be read
 */
export function* olderEvents(log: StoredLogFile, archive: Store | null): Generator<OlderEvent> {
  if ((log.beginOffsets('agent-events')[0] ?? 0) === 0) return;
  if (archive === null) {
    throw new RestoreRefused('the log no longer holds its first events, and the archive that has them cannot be read');
  }
  const rows = archive.prepare<[number], OlderRow>(
    `SELECT e.n, e.sequence, e.leaf, e.facts, o.value AS openings FROM events e LEFT JOIN openings o ON o.n = e.n
     WHERE e.n < ? ORDER BY e.n`,
  );
  let offset = 0;
  for (const row of rows.iterate(firstCommon(log, archive))) {
    const envelope = envelopeOf(row);
    if (envelope === null) throw new RestoreRefused(`event n=${row.n} is older than the log and damaged`);
    yield { envelope, sequence: row.sequence, partition: 0, offset };
    offset += 1;
  }
}

function firstCommon(log: StoredLogFile, archive: Store): number {
  const find = archive.prepare<[Buffer], number>('SELECT n FROM events WHERE event_id = ?').pluck();
  const found: number[] = [];
  for (const record of log.read('agent-events', log.beginOffsets('agent-events')[0] ?? 0, LOOKED_AT)) {
    const reading = readMessage(record.value);
    if (!reading.ok) continue;
    const n = find.get(Buffer.from(reading.value.leaf.eventId.replaceAll('-', ''), 'hex'));
    if (n !== undefined) found.push(n);
  }
  const last = found.at(-1);
  return last === undefined ? Number.MAX_SAFE_INTEGER : Math.min(...found.filter((n) => n > last - LOOKED_AT));
}

/** `null`: it is damaged. */
export function envelopeOf({ leaf, facts, openings }: OlderRow): EventEnvelope | null {
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
