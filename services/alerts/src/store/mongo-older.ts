import { olderDocuments, POSITIONS, START_OLDER_ONCE } from '@countersign/document-store';
import type { OlderLayout, OlderRow } from '@countersign/document-store';
import type { Destination } from '../domain/destination.js';
import type { Message } from '../domain/message.js';
import type { Thread } from '../domain/thread.js';
import { DESTINATIONS, MESSAGES, SEEN_EVENTS, seenId, THREADS } from './documents.js';

interface Row extends OlderRow {
  readonly _id: string;
  /** JSON. */
  readonly body: string;
}
interface DestinationRow extends Row {
  readonly revision: number;
}
interface ThreadRow extends Row {
  /** True while its messages have no documents of their own. */
  readonly leaves: boolean;
}
interface SeenRow extends OlderRow {
  /** Of the first occurrence of the event in its partition. */
  readonly offset: number;
}
interface PositionRow extends OlderRow {
  readonly next: number;
}

/** The layout before documents, where a thread held its messages until they had documents of their own. */
export const THREAD_LAYOUT: OlderLayout = {
  name: 'threads',
  collections: ['alerts_destinations', 'alerts_threads', 'alerts_messages', 'alerts_seen_events', 'alerts_positions'],
  async problem(read) {
    for await (const { leaves } of read<ThreadRow>('alerts_threads', { _id: 1 })) {
      if (leaves) return `the last change of alerts was interrupted: ${START_OLDER_ONCE}`;
    }
    return null;
  },
  async *documents(read) {
    const destinations = read<DestinationRow>('alerts_destinations', { createdAt: 1, _id: 1 });
    yield* olderDocuments(DESTINATIONS, destinations, ({ _id: id, revision: version, body }) => ({
      id,
      version,
      body: JSON.parse(body) as Destination,
    }));
    yield* olderDocuments(THREADS, read<ThreadRow>('alerts_threads', { _id: 1 }), ({ _id: id, body }) => ({
      id,
      version: 1,
      body: JSON.parse(body) as Thread,
    }));
    const messages = read<Row>('alerts_messages', { createdAtMs: 1, _id: 1 });
    yield* olderDocuments(MESSAGES, messages, ({ _id: id, body }) => ({
      id,
      version: 1,
      body: { message: JSON.parse(body) as Message, claim: null },
    }));
    const positions = new Map<number, number>();
    for await (const row of read<PositionRow>('alerts_positions', { _id: 1 })) positions.set(Number(row._id), row.next);
    yield* olderDocuments(SEEN_EVENTS, read<SeenRow>('alerts_seen_events', { _id: 1 }), ({ _id, offset }) => {
      const [partition = '', eventId = ''] = String(_id).split('/');
      // The batch of this event was interrupted and is redelivered; a thread that has the event knows it by the offset.
      if (offset >= (positions.get(Number(partition)) ?? 0)) return null;
      return { id: seenId(Number(partition), eventId), version: 1, body: {} };
    });
    yield* olderDocuments(POSITIONS, read<PositionRow>('alerts_positions', { _id: 1 }), ({ _id: id, next }) => ({
      id: String(id),
      version: 1,
      body: { next },
    }));
  },
};
