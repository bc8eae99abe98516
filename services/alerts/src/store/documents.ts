import { OLDER_LAYOUTS, POSITIONS } from '@countersign/document-store';
import type { Collection } from '@countersign/document-store';
import type { Destination } from '../domain/destination.js';
import type { Message } from '../domain/message.js';
import type { Thread } from '../domain/thread.js';
import { STREAM_CURSORS, STREAM_STATES, STREAMS } from './stream-documents.js';

// Types, because interfaces have no index signature.
type DestinationKeys = { accountId: string; createdAt: string; enabled: boolean };
type ThreadKeys = { destinationId: string; windowEndsMs: number; sumDueMs: number | null };
type MessageKeys = { destinationId: string; createdAtMs: number; dueAtMs: number | null; isClaimed: boolean };
type SeenKeys = { partition: number; eventId: string };

/** Version: the destination's revision. */
export const DESTINATIONS: Collection<Destination, DestinationKeys> = {
  name: 'destinations',
  keysOf: ({ accountId, createdAt, enabled }) => ({ accountId, createdAt, enabled }),
  keys: { accountId: 'text', createdAt: 'text', enabled: 'boolean' },
  keysVersion: 1,
  indexes: [['accountId', 'createdAt']],
};

/** By the thread's key. */
export const THREADS: Collection<Thread, ThreadKeys> = {
  name: 'threads',
  keysOf: ({ destinationId, windowEndsMs, sum }) => ({ destinationId, windowEndsMs, sumDueMs: sum?.dueAtMs ?? null }),
  keys: { destinationId: 'text', windowEndsMs: 'number', sumDueMs: 'number' },
  keysVersion: 1,
  indexes: [['destinationId'], ['sumDueMs'], ['windowEndsMs']],
};

export interface MessageBody {
  readonly message: Message;
  /** Claim of the instance that attempts it. */
  readonly claim: { readonly token: string; readonly untilMs: number } | null;
}

export const MESSAGES: Collection<MessageBody, MessageKeys> = {
  name: 'messages',
  keysOf: ({ message, claim }) => ({
    destinationId: message.destinationId,
    createdAtMs: message.createdAtMs,
    dueAtMs: claim === null ? message.dueAtMs : claim.untilMs,
    isClaimed: claim !== null,
  }),
  keys: { destinationId: 'text', createdAtMs: 'number', dueAtMs: 'number', isClaimed: 'boolean' },
  keysVersion: 1,
  indexes: [['destinationId', 'createdAtMs'], ['dueAtMs', 'destinationId'], ['createdAtMs'], ['isClaimed']],
};

/** Events whose notices were folded, by partition and id. */
export const SEEN_EVENTS: Collection<object, SeenKeys> = {
  name: 'seen_events',
  keysOf: (_body, id) => {
    const [partition = '', eventId = ''] = id.split('/');
    return { partition: Number(partition), eventId };
  },
  keys: { partition: 'number', eventId: 'text' },
  keysVersion: 1,
  indexes: [['partition', 'eventId']],
};

export function seenId(partition: number, eventId: string): string {
  return `${partition}/${eventId}`;
}

export const COLLECTIONS = [
  DESTINATIONS,
  THREADS,
  MESSAGES,
  SEEN_EVENTS,
  STREAMS,
  STREAM_STATES,
  STREAM_CURSORS,
  POSITIONS,
  OLDER_LAYOUTS,
] as unknown as readonly Collection<object>[];
