import type { LogBatch, NewRecord } from '@countersign/event-log';
import type { OutboxStore } from '@countersign/topics';
import type { Destination } from '../domain/destination.js';
import type { Message } from '../domain/message.js';
import type { Folded, Notice, Thread } from '../domain/thread.js';
import type { StreamStore } from '../streams/stream-store.js';

/** A batch of one partition, in offset order; without notices it only advances the position. */
export interface NoticedBatch extends Pick<LogBatch, 'from'> {
  readonly partition: number;
  /** The position after the batch. */
  readonly next: number;
  /** Time at which the log appended its last record, ms. */
  readonly logTimeMs: number;
  readonly notices: readonly Notice[];
}

export type Fold = (thread: Thread | null, notices: readonly [Notice, ...Notice[]]) => Folded;

/** A message that one instance may attempt until `untilMs`; `token` distinguishes its claim from a later one. */
export interface Claim {
  readonly message: Message;
  readonly token: string;
}

export interface Backlog {
  readonly waiting: number;
  /** Due time of the longest due message, ms; `null`: there is none. */
  readonly oldestDueMs: number | null;
}

export interface DeliveryPage {
  readonly messages: readonly Message[];
  readonly total: number;
}

/** How long event ids are remembered beyond their time, by the log's time: `architecture.md`. */
export const REMEMBERED_MS = 72 * 3_600_000;

/**
 * The state of alerts; several instances may share it. A method that writes MUST be durable when it resolves, and rejects
 * only if the store cannot be used.
 */
export interface AlertStore extends OutboxStore {
  readonly streams: StreamStore;
  /** @param events of what a person did, for the outbox, here and below: written with the change, and without it not */
  addDestination(destination: Destination, events?: readonly NewRecord[]): Promise<void>;
  /** `false`: it is not at revision `destination.revision − 1`, or was removed; nothing was written. */
  replaceDestination(destination: Destination, events?: readonly NewRecord[]): Promise<boolean>;
  /** Also removes its threads and messages. `false`: the account has none of that id. */
  removeDestination(accountId: string, id: string, events?: readonly NewRecord[]): Promise<boolean>;
  /** Puts events into the outbox that belong to no change. */
  enqueue(events: readonly NewRecord[]): Promise<void>;
  destination(id: string): Promise<Destination | null>;
  /** Of every account. */
  allDestinations(): AsyncIterable<Destination>;
  /** `null` for a destination of another account, too. */
  destinationOf(accountId: string, id: string): Promise<Destination | null>;
  /** Oldest first. */
  destinations(accountId: string): Promise<readonly Destination[]>;
  /** Enabled ones of any of these accounts. */
  enabledDestinations(accountIds: readonly string[]): Promise<readonly Destination[]>;

  /** Offset after the last event whose effects are stored, or `null`. */
  position(partition: number): Promise<number | null>;
  /**
   * Folds a batch's notices into their threads, each event once, stores the messages to send, and then the position:
   * after a crash in between, or when redelivered, nothing is reported twice. Events below the stored position, and those
   * whose id was seen in the partition before, are skipped. `fold` is pure and may be called again for a thread.
   */
  follow(batch: NoticedBatch, fold: Fold): Promise<void>;
  /** Closes due sums, at most `limit`; returns how many. A thread and its messages are one write. */
  closeSums(nowMs: number, limit: number, close: (thread: Thread) => Folded): Promise<number>;

  /** Stores messages unless one with the same id exists. */
  addMessages(messages: readonly Message[]): Promise<void>;
  /** Claims the longest due message that is for none of these destinations; it is due again at `untilMs`. */
  claim(nowMs: number, untilMs: number, except: readonly string[]): Promise<Claim | null>;
  /** Stores the result of an attempt. `false`: the claim expired and was taken over, or the message was removed. */
  settle(token: string, message: Message): Promise<boolean>;
  /**
   * Changes a message of a destination, unless an instance is attempting it. `change` is pure and may be called again.
   * @returns the changed message, `'claimed'`, or `null` if the destination has none of that id
   */
  changeMessage(
    destinationId: string,
    id: string,
    change: (message: Message) => Message,
    events?: readonly NewRecord[],
  ): Promise<Message | 'claimed' | null>;
  /** Newest first. */
  deliveries(destinationId: string, limit: number, offset: number): Promise<DeliveryPage>;
  backlog(): Promise<Backlog>;
  /** Removes threads whose window ended, and messages that were settled, before these times. */
  forget(threadsBeforeMs: number, messagesBeforeMs: number): Promise<void>;

  close(): Promise<void>;
}

/** Notices of events at or above the position, by thread, in offset order. */
export function byThread(
  notices: readonly Notice[],
  from: number,
): ReadonlyMap<string, readonly [Notice, ...Notice[]]> {
  const threads = new Map<string, [Notice, ...Notice[]]>();
  for (const notice of notices) {
    if (notice.violation.offset < from) continue;
    const others = threads.get(notice.key);
    if (others === undefined) threads.set(notice.key, [notice]);
    else others.push(notice);
  }
  return threads;
}
