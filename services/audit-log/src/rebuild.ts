import { join } from 'node:path';
import type { EventEnvelope, TopicName } from '@countersign/contracts';
import type { Offsets } from '@countersign/event-log';
import { RestoreRefused, storedPages } from '@countersign/topics';
import type { RestoreContext } from '@countersign/service-kit';
import { AnchorIntake } from './ingest/anchor-intake.js';
import { EventIntake } from './ingest/event-intake.js';
import type { EventStore, LoggedEvent } from './store/port.js';

/** An archived event that the log no longer keeps, with its openings. */
export interface OlderEvent {
  readonly envelope: EventEnvelope;
  /** As it was archived; the archive that is made must come to the same. */
  readonly sequence: number;
  /** Where it lay in the log. */
  readonly partition: number;
  readonly offset: number;
}

const TOPIC: TopicName = 'agent-events';
const BATCH = 1000;

/**
 * Rebuilds the archive, where there is none, from the log and from the events that were archived before the log begins.
 * Erasures and retention are applied again; no head is published.
 * @param older every event below the log's beginning, each partition by itself and oldest first
 * @throws RestoreRefused where one of them is missing, or the log drops some in the meantime
 */
export async function rebuildFromTopics(
  context: RestoreContext,
  older: AsyncIterable<OlderEvent> | Iterable<OlderEvent>,
  progress: (what: string) => void,
): Promise<void> {
  const { eventLog } = context;
  const file = join(context.directory, 'events.db');
  const store = await context.openStore<EventStore>({
    sqlite: async () => new (await import('./store/sqlite.js')).SqliteEventStore(file),
    mongo: async (uri, suffix) => (await import('./store/mongo.js')).openMongoEventStore(uri, suffix),
  });
  try {
    const begins = await eventLog.beginOffsets(TOPIC);
    await appendOlder(store, older, begins);
    const events = new EventIntake(context, store, () => undefined);
    const anchors = new AnchorIntake(store);
    const end = await eventLog.endOffsets('agent-events');
    for await (const records of storedPages(eventLog, 'agent-events')) {
      const { partition, offset } = records[0]!;
      await events.take({ topic: 'agent-events', partition, records, endOffset: end[partition] ?? 0 });
      const place = partition === 0 ? '' : ` of partition ${partition}`;
      progress(`archive: event ${offset + records.length} of ${end[partition] ?? 0}${place}`);
    }
    const now = await eventLog.beginOffsets(TOPIC);
    if (Object.entries(now).some(([partition, begin]) => begin !== begins[Number(partition)]))
      throw new RestoreRefused('the log dropped its oldest events meanwhile: run the command again');
    for await (const records of storedPages(eventLog, 'anchors')) {
      const { partition } = records[0]!;
      await anchors.take({ topic: 'anchors', partition, records, endOffset: 0 });
    }
  } finally {
    await store.close();
  }
}

async function appendOlder(
  store: EventStore,
  older: AsyncIterable<OlderEvent> | Iterable<OlderEvent>,
  begins: Offsets,
): Promise<void> {
  const next = new Map<number, number>();
  const last = new Map<string, number>();
  let batch: LoggedEvent[] = [];
  const write = async (partition: number, end: number): Promise<void> => {
    const from = next.get(partition) ?? 0;
    if (end === from) return;
    await store.append(batch, { topic: TOPIC, partition, from, next: end });
    next.set(partition, end);
    batch = [];
  };
  let reached: OlderEvent | null = null;
  for await (const event of older) {
    const { envelope, sequence, partition, offset } = event;
    const begin = begins[partition] ?? 0;
    if (offset >= begin)
      throw new RestoreRefused(`the archive holds more than the ${begin} events before the log begins`);
    const { agentId } = envelope.leaf;
    const due = (last.get(agentId) ?? 0) + 1;
    if (sequence !== due)
      throw new RestoreRefused(`sequence ${due} of agent ${agentId} is older than the log and lost`);
    last.set(agentId, sequence);
    if (reached !== null && (reached.partition !== partition || batch.length === BATCH))
      await write(reached.partition, reached.offset + 1);
    batch.push({ offset, envelope });
    reached = event;
  }
  if (reached !== null) await write(reached.partition, reached.offset + 1);
  for (const [partition, begin] of Object.entries(begins)) await write(Number(partition), begin);
}
