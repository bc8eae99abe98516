import { join } from 'node:path';
import type { EventEnvelope, TopicName } from '@countersign/contracts';
import { RestoreRefused, storedPages, type RestoreContext } from '@countersign/service-kit';
import { AnchorIntake } from './ingest/anchor-intake.js';
import { EventIntake } from './ingest/event-intake.js';
import type { EventStore } from './store/port.js';

/** An archived event that the log no longer keeps, with its openings. */
export interface OlderEvent {
  readonly envelope: EventEnvelope;
  /** As it was archived; the archive that is made must come to the same. */
  readonly sequence: number;
}

const BATCH = 1000;

/**
 * Makes the archive of one process anew, in a directory that has none, from the log and from what was archived before
 * the log begins. Erasures and retention are applied as when they were taken first; no head is told.
 * @param older oldest first; every event below the log's beginning
 * @throws RestoreRefused where one of them is missing
 */
export async function rebuildFromTopics(
  context: RestoreContext,
  older: Iterable<OlderEvent>,
  progress: (what: string) => void,
): Promise<void> {
  const { eventLog } = context;
  const file = join(context.directory, 'events.db');
  const store = await context.openStore<EventStore>({
    sqlite: async () => new (await import('./store/sqlite.js')).SqliteEventStore(file),
    mongo: () => Promise.reject(new RestoreRefused('the archive in MongoDB is not made anew by this command')),
  });
  try {
    await appendOlder(store, older, (await eventLog.beginOffsets('agent-events'))[0] ?? 0);
    const events = new EventIntake(context, store, () => undefined);
    const anchors = new AnchorIntake(store);
    const end = await eventLog.endOffsets('agent-events');
    for await (const records of storedPages(eventLog, 'agent-events')) {
      const { partition, offset } = records[0]!;
      await events.take({ topic: 'agent-events', partition, records, endOffset: end[partition] ?? 0 });
      progress(`archive: event ${offset + records.length} of ${end[partition] ?? 0}`);
    }
    for await (const records of storedPages(eventLog, 'anchors')) {
      const { partition } = records[0]!;
      await anchors.take({ topic: 'anchors', partition, records, endOffset: 0 });
    }
  } finally {
    await store.close();
  }
}

const TOPIC: TopicName = 'agent-events';

async function appendOlder(store: EventStore, older: Iterable<OlderEvent>, begin: number): Promise<void> {
  let next = 0;
  const last = new Map<string, number>();
  let batch: EventEnvelope[] = [];
  const write = async (): Promise<void> => {
    const from = next;
    next += batch.length;
    if (next > begin) throw new RestoreRefused(`the archive holds more than the ${begin} events before the log begins`);
    const events = batch.map((envelope, i) => ({ offset: from + i, envelope }));
    await store.append(events, { topic: TOPIC, partition: 0, from, next });
    batch = [];
  };
  for (const { envelope, sequence } of older) {
    const { agentId } = envelope.leaf;
    const due = (last.get(agentId) ?? 0) + 1;
    if (sequence !== due)
      throw new RestoreRefused(`sequence ${due} of agent ${agentId} is older than the log and lost`);
    last.set(agentId, sequence);
    batch.push(envelope);
    if (batch.length === BATCH) await write();
  }
  await write();
  if (begin > next) await store.append([], { topic: TOPIC, partition: 0, from: next, next: begin });
}
