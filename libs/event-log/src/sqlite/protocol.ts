import type { MessagePort } from 'node:worker_threads';

/** Messages of a client to the writer thread. `topic` and the entries of `topics` index `TOPIC_NAMES`. */
export type ToWriter =
  | {
      readonly kind: 'append';
      readonly sequence: number;
      /** One number when all records are of one topic. */
      readonly topics: number | readonly number[];
      readonly keys: readonly string[];
      readonly values: readonly string[];
    }
  /** Subscribes to changes of this topic's end. */
  | { readonly kind: 'watch'; readonly topic: number }
  | { readonly kind: 'join'; readonly member: number; readonly partition: string }
  | { readonly kind: 'leave'; readonly member: number }
  | { readonly kind: 'connect'; readonly port: MessagePort }
  | { readonly kind: 'maintain'; readonly sequence: number; readonly nowMs: number }
  | { readonly kind: 'bye' };

export type AppendRequest = Extract<ToWriter, { kind: 'append' }>;

/** Outcome of one `append`: the first offset that each topic's records took (they are consecutive), or the failure. */
export type AppendAnswer =
  | { readonly sequence: number; readonly first: number | Readonly<Record<number, number>> }
  | { readonly sequence: number; readonly outcome: 'refused' | 'in-doubt'; readonly reason: string };

export type FromWriter =
  | { readonly kind: 'answers'; readonly answers: readonly AppendAnswer[] }
  /** Offsets after the last durable record, in the order of `TOPIC_NAMES`. */
  | { readonly kind: 'ends'; readonly ends: readonly number[] }
  | { readonly kind: 'latched'; readonly reason: string }
  /** After being latched, it accepts records again. */
  | { readonly kind: 'recovered' }
  | { readonly kind: 'assigned'; readonly member: number }
  | { readonly kind: 'waiting'; readonly member: number }
  | { readonly kind: 'maintained'; readonly sequence: number; readonly problem: string | null }
  | { readonly kind: 'closed' };

/** From the opener to the thread that it started. */
export type ToThread = { readonly kind: 'connect'; readonly port: MessagePort } | { readonly kind: 'close' };
export type FromThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly name: string; readonly message: string }
  | { readonly kind: 'closed'; readonly problem: string | null };

/** Between the writer thread and the checkpoint thread. */
export type ToCheckpointer = { readonly kind: 'checkpoint' } | { readonly kind: 'close' };
/** A run has ended. `problem`: the first error so far; after it nothing is moved any more. */
export interface FromCheckpointer {
  readonly problem: string | null;
}
/** In place of the number of runs: the checkpoint thread has ended. */
export const GONE = -1;
