import type { StreamCredentials, StreamFormat } from '@countersign/contracts';
import type { SentRecord } from './sent-record.js';

/** A request that carries a batch. */
export interface BatchRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How a kind of receiver takes a batch. */
export interface Kind {
  /** The problem of these credentials or of this address; `null`: there is none. */
  problem(url: URL, credentials: StreamCredentials): string | null;
  request(batch: readonly SentRecord[], to: Receiver): BatchRequest;
  /**
   * The error in an answer with a status of success; `null`: every event of the batch was accepted.
   * @param answer body of the answer; `null`: it was longer than what is read of one
   */
  refused?(answer: string | null, batch: readonly SentRecord[]): string | null;
}

export interface Receiver {
  readonly streamId: string;
  readonly url: string;
  readonly format: StreamFormat;
  readonly credentials: StreamCredentials;
}

/** Names of credentials besides those that a kind knows; `null`: there are none. */
export function others(credentials: StreamCredentials, known: readonly (keyof StreamCredentials)[]): string | null {
  const other = Object.keys(credentials).find((name) => !(known as readonly string[]).includes(name));
  return other === undefined ? null : `credentials.${other} is not of this kind: leave it out`;
}
