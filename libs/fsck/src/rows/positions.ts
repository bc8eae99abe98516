import type { TopicName } from '@countersign/contracts';
import type { StoredLog } from '@countersign/event-log';
import { LAYOUT, type StoreName } from '../layout.js';
import type { ServiceStores } from '../open-stores.js';
import type { Check } from '../report.js';

/** Topics that the service of each store follows. */
const READERS: Readonly<Record<StoreName, readonly TopicName[]>> = {
  archive: ['agent-events', 'anchors'],
  holds: [],
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
      const stands = await store.positions(topic);
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
