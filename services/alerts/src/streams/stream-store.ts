import type { ChainLink } from '@countersign/event-formats';
import type { NewRecord } from '@countersign/event-log';
import type { Stream } from './stream.js';

/** How far a stream has come with one agent. */
export interface StreamCursor {
  readonly streamId: string;
  readonly agentId: string;
  /** Sequence of the last event that was taken; 0: none was. */
  readonly sequence: number;
  /** The last event that was sent, for the next one to refer to; `null`: none was, or its format has no chain. */
  readonly link: ChainLink | null;
}

export interface StreamError {
  readonly at: string;
  /** Of the receiver's answer; `null`: there was none. */
  readonly status: number | null;
  readonly message: string;
}

/** The delivery of a stream, so far. */
export interface StreamState {
  readonly streamId: string;
  readonly accountId: string;
  /** The process that delivers it, until then, ms; `null`: none does. */
  readonly lease: { readonly owner: string; readonly untilMs: number } | null;
  /** Failed attempts in a row. */
  readonly failures: number;
  /** Time since when events wait, ms; `null`: none do. */
  readonly pendingSinceMs: number | null;
  /** Events that wait, also those that the filter leaves out. */
  readonly pending: number;
  readonly lastDeliveredAt: string | null;
  readonly lastError: StreamError | null;
  /** The last event of each agent in the batch that is being sent, of a kind that repeats batches; `null` or absent: none is. */
  readonly planned?: readonly Pick<StreamCursor, 'agentId' | 'sequence'>[] | null;
}

/** A stream that this process delivers. Each save needs the version of the one before. */
export interface LeasedStream {
  readonly version: number;
  readonly state: StreamState;
  readonly cursors: readonly StreamCursor[];
}

/**
 * Streams and their places; several instances may share them. A method that writes MUST be durable when it resolves, and
 * rejects only if the store cannot be used.
 */
export interface StreamStore {
  /**
   * `false`: the account has `most` of them already.
   * @param events of what a person did, for the outbox, here and below: written with the change, and without it not
   */
  add(stream: Stream, most: number, events?: readonly NewRecord[]): Promise<boolean>;
  /** `false`: it is not at revision `stream.revision − 1`, or was removed. */
  replace(stream: Stream, events?: readonly NewRecord[]): Promise<boolean>;
  /** Removes it with its place. `false`: the account has none of that id. */
  remove(accountId: string, id: string, events?: readonly NewRecord[]): Promise<boolean>;
  /** Puts events into the outbox that belong to no change. */
  enqueue(events: readonly NewRecord[]): Promise<void>;
  /** `null` for a stream of another account, too. */
  find(accountId: string, id: string): Promise<Stream | null>;
  /** Oldest first. */
  list(accountId: string): Promise<readonly Stream[]>;
  /** Of all accounts, disabled ones too. */
  all(): AsyncIterable<Stream>;
  /** Of all accounts. */
  enabled(): Promise<readonly Stream[]>;
  states(streamIds: readonly string[]): Promise<ReadonlyMap<string, StreamState>>;
  /** Leases a stream. `null`: another owner has it, or it was removed. */
  lease(streamId: string, owner: string, nowMs: number, untilMs: number): Promise<LeasedStream | null>;
  /**
   * Saves state and cursors together, those that are given. `null`: the lease was lost, or the stream removed, and nothing
   * was written.
   * @returns the version for the next save
   */
  save(version: number, state: StreamState, cursors: readonly StreamCursor[]): Promise<number | null>;
}
