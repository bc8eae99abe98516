import type { TopicName } from '@countersign/contracts';
import type { StoreInspection } from '@countersign/document-store';
import type { StoredLog } from '@countersign/event-log';
import { LAYOUT, type StoreName } from '../layout.js';
import type { ServiceStores, Store } from '../open-stores.js';
import type { Check } from '../report.js';

/** Who follows what; the columns are those of the embedded profile, which the distributed one is read into. */
const READERS: Readonly<Record<StoreName, readonly TopicName[]>> = {
  archive: ['agent-events', 'anchors'],
  anchors: ['agent-events', 'anchor-requests'],
  policy: ['agent-events'],
  identity: ['agent-events'],
  reports: ['anchors'],
  facts: ['signing-keys', 'reports', 'anchors', 'agents', 'agent-heads'],
  alerts: ['agent-events'],
};

/**
 * No consumer stands beyond the end of a topic; on a stopped instance, how far each is from it.
 * @param isStopped nothing follows while this reads: what lies between is what is left to do
 */
export async function checkPositions(
  log: StoredLog,
  stores: ServiceStores,
  isStopped: boolean,
  check: Check,
): Promise<void> {
  for (const [name, topics] of Object.entries(READERS) as [StoreName, readonly TopicName[]][]) {
    const store = stores[name];
    if (store === null) continue;
    for (const topic of topics) {
      const stands = await positionsIn(store, topic);
      if (stands === null) continue;
      const begins = log.beginOffsets(topic);
      const ends = log.endOffsets(topic);
      for (const [partition, next] of stands) {
        check.examined += 1;
        const end = ends[partition] ?? 0;
        if (next > end)
          check.wrong(`${LAYOUT[name]} positions`, `it stands at offset ${next} of ${topic}, which ends at ${end}`);
      }
      if (!isStopped) continue;
      for (const [partition, end] of Object.entries(ends)) {
        const from = stands.get(Number(partition)) ?? begins[Number(partition)] ?? 0;
        check.behind += Math.max(0, end - from);
      }
    }
  }
}

/** `null`: this store keeps none. */
async function positionsIn(store: Store | Pick<StoreInspection, 'positions'>, topic: TopicName) {
  if ('positions' in store) return store.positions(topic);
  return has(store, 'positions') ? positionsOf(store, topic) : null;
}

/** Where the consumer that keeps the store stands in each partition. */
export function positionsOf(store: Store, topic: TopicName): ReadonlyMap<number, number> {
  const columns = store.prepare<[], string>(`SELECT name FROM pragma_table_info('positions')`).pluck().all();
  const next = columns.includes('next') ? 'next' : 'next_offset';
  const where = columns.includes('topic') ? `WHERE topic = '${topic}'` : '';
  return new Map(store.prepare<[], [number, number]>(`SELECT partition, ${next} FROM positions ${where}`).raw().all());
}

/** `true` when the store has this table: the distributed profile has no counterpart to some. */
export function has(store: Store, table: string): boolean {
  return store.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(table) !== undefined;
}

/** `true` when a table has this column: stores that an older release wrote last do not have all. */
export function hasColumn(store: Store, table: string, column: string): boolean {
  return store.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(table, column) !== undefined;
}
