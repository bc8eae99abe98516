import type { Destination } from '../domain/destination.js';
import type { Message } from '../domain/message.js';
import type { Folded, Notice, Thread } from '../domain/thread.js';

/** One partition's batch, in offset order; it may hold no notices and only move the position. */
export interface NoticedBatch {
  readonly partition: number;
  /** The position after the batch. */
  readonly next: number;
  /** When the log took the last of it, ms. */
  readonly logTimeMs: number;
  readonly notices: readonly Notice[];
}

export type Fold = (thread: Thread | null, notices: readonly [Notice, ...Notice[]]) => Folded;

/** A message that one instance alone may try until `untilMs`; `token` tells its claim from a later one. */
export interface Claim {
  readonly message: Message;
  readonly token: string;
}

export interface Backlog {
  readonly waiting: number;
  /** When the message was due that has been due longest, ms; `null`: none waits. */
  readonly oldestDueMs: number | null;
}

export interface DeliveryPage {
  readonly messages: readonly Message[];
  readonly total: number;
}

/** How long ids of events are remembered beyond the time in them, by the log's time: `architecture.md`. */
export const REMEMBERED_MS = 72 * 3_600_000;

/**
 * What alerts owns; several instances may share it. A method that writes MUST be durable when it resolves, and rejects
 * only when the store cannot be used.
 */
export interface AlertStore {
  addDestination(destination: Destination): Promise<void>;
  /** `false`: it is not at revision `destination.revision − 1`, or gone; nothing was written. */
  replaceDestination(destination: Destination): Promise<boolean>;
  /** With its threads and messages. `false`: the account has none of that id. */
  removeDestination(accountId: string, id: string): Promise<boolean>;
  destination(id: string): Promise<Destination | null>;
  /** Another account's is read no more than one that does not exist. */
  destinationOf(accountId: string, id: string): Promise<Destination | null>;
  /** Oldest first. */
  destinations(accountId: string): Promise<readonly Destination[]>;
  /** Enabled ones of any of these accounts. */
  enabledDestinations(accountIds: readonly string[]): Promise<readonly Destination[]>;

  /** Where following stands: the offset after the last event whose effects are stored, or `null`. */
  position(partition: number): Promise<number | null>;
  /**
   * Folds a batch's notices into their threads, each event once, keeps the messages that leave, and then its position:
   * a crash in between, or the same batch again, tells nothing twice. Events below the stored position, and those whose
   * id was seen in the partition before, are left out. `fold` is pure and may be called again for a thread.
   */
  follow(batch: NoticedBatch, fold: Fold): Promise<void>;
  /** Closes sums that are due, at most `limit`; gives how many. A thread and its messages are one write. */
  closeSums(nowMs: number, limit: number, close: (thread: Thread) => Folded): Promise<number>;

  /** Keeps messages unless one of the same id is there. */
  addMessages(messages: readonly Message[]): Promise<void>;
  /** The message that has been due longest, of none of these destinations; it is due again at `untilMs`. */
  claim(nowMs: number, untilMs: number, except: readonly string[]): Promise<Claim | null>;
  /** Keeps how a try ended. `false`: the claim has run out and another has it, or the message is gone. */
  settle(token: string, message: Message): Promise<boolean>;
  /** Newest first. */
  deliveries(destinationId: string, limit: number, offset: number): Promise<DeliveryPage>;
  backlog(): Promise<Backlog>;
  /** Drops threads whose window ended, and messages that were settled, before these times. */
  forget(threadsBeforeMs: number, messagesBeforeMs: number): Promise<void>;

  close(): Promise<void>;
}

/** Notices of events that are at or above the position, by thread, in offset order. */
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
