import type { IncomingHttpHeaders } from 'node:http';
import type { StreamCredentials, StreamFormat, StreamSettings } from '@countersign/contracts';
import type { OutboundNetwork } from '@countersign/service-kit';
import type { SentRecord } from './sent-record.js';

/** A request that carries a batch. */
export interface BatchRequest {
  readonly url: string;
  /** Absent: POST. */
  readonly method?: 'PUT';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** Rules that every kind has. */
interface Rules {
  /** Names of the settings that it has; absent: none. */
  readonly settings?: readonly (keyof StreamSettings)[];
  /**
   * A batch that is sent again holds the same events, also after a restart: its ends are stored before it is sent. Absent: it
   * may hold later ones in addition.
   */
  readonly repeatsBatches?: true;
  /** The problem of these credentials, of this address or of these settings; `null`: there is none. */
  problem(url: URL, credentials: StreamCredentials, settings: StreamSettings): string | null;
}

/** A kind of receiver that takes a batch in one HTTP request, and answers whether it has it. */
export interface HttpKind extends Rules {
  request(batch: readonly SentRecord[], to: Receiver): BatchRequest | Promise<BatchRequest>;
  /**
   * The error in an answer with a status of success; `null`: every event of the batch was accepted.
   * @param answer body of the answer; `null`: it was longer than what is read of one
   */
  refused?(answer: string | null, batch: readonly SentRecord[], headers: IncomingHttpHeaders): string | null;
  /** Code and meaning of an error, by an answer without success; `null`: it names none. */
  explained?(answer: string | null): string | null;
}

/** A kind of receiver that has another protocol. */
export interface OtherKind extends Rules {
  /** The address in the form in which it is stored, by the rules of `readPublicUrl` for hosts. */
  address(text: string, allowedHosts: readonly string[]): { readonly url: URL } | { readonly problem: string };
  /** Sends a batch in one attempt. @returns why it was not delivered; `null`: it was */
  deliver(batch: readonly SentRecord[], to: Receiver, network: OutboundNetwork): Promise<string | null>;
}

export type Kind = HttpKind | OtherKind;

export interface Receiver {
  readonly streamId: string;
  readonly accountId: string;
  readonly url: string;
  readonly format: StreamFormat;
  readonly settings: StreamSettings;
  readonly credentials: StreamCredentials;
  /** Name of this installation; `null`: it has no public URL. */
  readonly originHost: string | null;
  /** Time of the attempt. */
  readonly nowMs: number;
}

/** Names of credentials besides those that a kind knows; `null`: there are none. */
export function others(credentials: StreamCredentials, known: readonly (keyof StreamCredentials)[]): string | null {
  return unknownOf('credentials', credentials, known);
}

/** As {@link others}, of settings. */
export function otherSettings(settings: StreamSettings, { settings: known = [] }: Kind): string | null {
  return unknownOf('settings', settings, known);
}

function unknownOf(member: string, given: object, known: readonly string[]): string | null {
  const other = Object.keys(given).find((name) => !known.includes(name));
  return other === undefined ? null : `${member}.${other} is not of this kind: leave it out`;
}
