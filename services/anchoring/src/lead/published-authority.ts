import type { AnchorFacts } from '@countersign/contracts';
import type { EventLog } from '@countersign/event-log';
import { readVersionedRecord } from '@countersign/topics';

/** Records of one look back. */
const PAGE = 200;

/**
 * Address of the authority that the newest record of `anchors` which names one names: its own record, a window's or a
 * report's. `null` where none does: nothing was anchored yet.
 */
export async function publishedAuthority(
  log: Pick<EventLog, 'beginOffsets' | 'endOffsets' | 'read'>,
): Promise<string | null> {
  const [begin, end] = await Promise.all([log.beginOffsets('anchors'), log.endOffsets('anchors')]);
  let newest: { readonly address: string; readonly atMs: number } | null = null;
  for (const [partition, until] of Object.entries(end)) {
    const found = await newestOf(log, Number(partition), begin[Number(partition)] ?? 0, until);
    if (found !== null && (newest === null || found.atMs > newest.atMs)) newest = found;
  }
  return newest?.address ?? null;
}

async function newestOf(
  log: Pick<EventLog, 'read'>,
  partition: number,
  begin: number,
  end: number,
): Promise<{ readonly address: string; readonly atMs: number } | null> {
  for (let until = end; until > begin;) {
    const from = Math.max(begin, until - PAGE);
    let found: { readonly address: string; readonly atMs: number } | null = null;
    for (let offset = from; offset < until;) {
      const records = await log.read('anchors', partition, offset, until - offset);
      const last = records.at(-1);
      if (last === undefined) break;
      for (const record of records) {
        // A read of a topic with gaps continues after them.
        if (record.offset >= until) continue;
        const address = addressOf(readVersionedRecord<AnchorFacts>(record).value);
        if (address !== null) found = { address, atMs: record.appendedAtMs };
      }
      offset = last.offset + 1;
    }
    if (found !== null) return found;
    until = from;
  }
  return null;
}

function addressOf(facts: AnchorFacts | null): string | null {
  if (facts?.kind === 'authority') return facts.address;
  return facts?.kind === 'window' || facts?.kind === 'report' ? facts.authority : null;
}
