import type { AnchorFacts } from '@countersign/contracts';
import type { EventLog } from '@countersign/event-log';
import { readVersionedRecord } from '@countersign/topics';
import type { AnchorStore } from '../store/port.js';
import { publishedAuthority } from './published-authority.js';

/** The newest records suffice: a store that lost windows lost the newest. */
const NEWEST = 20;

/** Windows were published that the store does not have, or that another key signed. */
export class StoreForgot extends Error {
  override readonly name = 'StoreForgot';
}

type Reads = Pick<EventLog, 'beginOffsets' | 'endOffsets' | 'read'>;
type Knows = Pick<AnchorStore, 'cadences' | 'closedWindow'>;

/**
 * Compares the newest records of each partition of `anchors` with the store and the key: a store that is lost, or older
 * than what was published, would cut the same events into other windows and anchor them a second time.
 * @param authority address of the key that would sign
 * @throws StoreForgot naming the window or the authority
 */
export async function requirePublishedWindows(log: Reads, store: Knows, authority: string): Promise<void> {
  const published = await publishedAuthority(log);
  if (published !== null && published !== authority) {
    throw new StoreForgot(
      `anchors are signed by ${published}, and the key of this instance is ${authority}: put authority.json back from a backup`,
    );
  }
  const cut = new Map((await store.cadences()).map(({ cadenceSeconds, cuts }) => [cadenceSeconds, cuts]));
  for (const facts of await newestFacts(log)) {
    if (facts.kind === 'cut') {
      if (facts.number > (cut.get(facts.cadenceSeconds) ?? 0)) {
        throw forgot(`the window of ${facts.cadenceSeconds} s that ended at ${facts.windowEnd}`);
      }
    }
    if (facts.kind === 'window') {
      const stored = await store.closedWindow(facts.windowId);
      if (stored?.merkleRoot !== facts.merkleRoot) throw forgot(`window ${facts.windowId} with its root`);
    }
  }
}

function forgot(what: string): StoreForgot {
  return new StoreForgot(
    `${what} was published, and the store does not have it: put its newest state back (distributed profile: what a ` +
      'copy lacks is taken from the log by countersign admin restore)',
  );
}

async function newestFacts(log: Reads): Promise<readonly AnchorFacts[]> {
  const [begin, end] = await Promise.all([log.beginOffsets('anchors'), log.endOffsets('anchors')]);
  const found: AnchorFacts[] = [];
  for (const [partition, until] of Object.entries(end)) {
    const first = begin[Number(partition)] ?? 0;
    let offset = Math.max(first, until - NEWEST);
    while (offset < until) {
      const records = await log.read('anchors', Number(partition), offset, NEWEST);
      const last = records.at(-1);
      if (last === undefined) break;
      for (const record of records) {
        const { value } = readVersionedRecord<AnchorFacts>(record);
        if (value !== null) found.push(value);
      }
      offset = last.offset + 1;
    }
  }
  return found;
}
