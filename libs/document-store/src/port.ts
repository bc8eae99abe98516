import type { TopicName } from '@countersign/contracts';

/** A value that documents are found and ordered by. Documents whose value is `null` are in no index. */
export type KeyValue = string | number | boolean | null;
export type Keys = Readonly<Record<string, KeyValue>>;

/** A document as it is stored. */
export interface Stored<B> {
  readonly id: string;
  /** 1 when it is inserted; each write adds one. */
  readonly version: number;
  /** Any JSON object. */
  readonly body: B;
}

/** One kind of document of a service. The same constant is given to every call. */
export interface Collection<B extends object, K extends Keys = Keys> {
  /** `snake_case`; the name of a table in SQLite, and with the service's name of a collection in MongoDB. */
  readonly name: string;
  /**
   * The keys of a document. Pure, and always the same names. A release that changes names or values raises `keysVersion`:
   * the next start computes the keys of all documents again.
   */
  readonly keysOf: (body: B, id: string) => K;
  /** Type of each key. A key is used in a query only when an index begins with it. */
  readonly keys: { readonly [F in keyof K]: 'text' | 'number' | 'boolean' };
  /** From 1. */
  readonly keysVersion: number;
  /** Keys of each index, in order. */
  readonly indexes: readonly (readonly (keyof K & string)[])[];
  /** Keys that no two documents may share, unless they are `null`. */
  readonly unique?: readonly (keyof K & string)[];
  /** Reads reject with `StoreDamaged` where a document was changed by anything but a store. */
  readonly isSealed?: true;
}

export interface Range<V extends KeyValue = KeyValue> {
  readonly above?: V;
  readonly from?: V;
  readonly below?: V;
  readonly oneOf?: readonly V[];
  /** Documents whose value is `null` are none of them, and do not match. */
  readonly noneOf?: readonly V[];
}

/** All conditions must hold. */
export type Where<K extends Keys> = { readonly [F in keyof K]?: K[F] | Range<K[F]> };

export interface Query<K extends Keys> {
  readonly where?: Where<K>;
  /** Default: the order of insertion. Documents with equal values come in the order of insertion. */
  readonly by?: (keyof K & string) | readonly (keyof K & string)[];
  readonly descending?: boolean;
  readonly limit: number;
  readonly offset?: number;
}

/** The keys of {@link Query.by}. */
export function keysOf(by: string | readonly string[] | undefined): readonly string[] {
  if (by === undefined) return [];
  return typeof by === 'string' ? [by] : by;
}

/** Reads. Outside of a transaction each is of committed documents at one moment; in one, all are of the same moment. */
export interface Reads {
  get<B extends object, K extends Keys>(collection: Collection<B, K>, id: string): Promise<Stored<B> | null>;
  /** Unknown ids are left out. */
  getMany<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, Stored<B>>>;
  find<B extends object, K extends Keys>(collection: Collection<B, K>, query: Query<K>): Promise<readonly Stored<B>[]>;
  count<B extends object, K extends Keys>(collection: Collection<B, K>, where?: Where<K>): Promise<number>;
}

/** A record for the event log, published after the transaction has committed. */
export interface OutgoingRecord {
  readonly topic: TopicName;
  readonly key: string;
  readonly value: string;
}

/** A version that the counters must reach before the change is answered. */
export interface VersionRaise {
  readonly kind: string;
  readonly id: string;
  readonly version: number;
}

export interface Transaction extends Reads {
  /**
   * Writes documents. Version 1 inserts; any other replaces the version before it.
   * @throws Conflict where a stored document is not at the version before
   */
  put<B extends object, K extends Keys>(collection: Collection<B, K>, documents: readonly Stored<B>[]): Promise<void>;
  /** Writes documents whatever their stored version is. */
  set<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    documents: readonly Omit<Stored<B>, 'version'>[],
  ): Promise<void>;
  /** Inserts documents at version 1, but for those that are there. Returns the ids of those that it has inserted. */
  add<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    documents: readonly Omit<Stored<B>, 'version'>[],
  ): Promise<ReadonlySet<string>>;
  /** Writes documents at exactly these versions, whatever is stored: for copies of what another place holds. */
  restore<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    documents: readonly Stored<B>[],
  ): Promise<void>;
  /** @throws Conflict where a stored document is not at its version */
  remove<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    documents: readonly Pick<Stored<B>, 'id' | 'version'>[],
  ): Promise<void>;
  /** Removes at most `limit` documents, those inserted first. Returns how many. */
  removeWhere<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    where: Where<K>,
    limit: number,
  ): Promise<number>;
  /** Removes at most `limit` documents whose ids begin at `from` and end before `below`, the lowest first. Returns how many. */
  removeRange<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    from: string,
    below: string,
    limit: number,
  ): Promise<number>;
  /**
   * The transaction depends on this document, which it does not write: another one that writes it, or expects it, at the
   * same time conflicts with this one.
   * @throws Conflict where it is not stored at this version
   */
  expect<B extends object, K extends Keys>(collection: Collection<B, K>, id: string, version: number): Promise<void>;
  /** Puts records into the outbox, in this order. Transactions that publish records of one key MUST write one document. */
  publish(records: readonly OutgoingRecord[]): Promise<void>;
  /** Stores raises of versions, as `publish` stores records. */
  raise(raises: readonly VersionRaise[]): Promise<void>;
}

export type RowId = string | number;

/**
 * Documents of one service, written together or not at all.
 * - `transact` MUST be durable when it resolves, and write everything or nothing when it rejects; a rejection with
 *   `StoreUnreachable` alone leaves that in doubt.
 * - Isolation is that of a snapshot. Of two transactions that write, or expect, the same document at the same time one is
 *   repeated or fails. A transaction that only reads a document does not notice that another one changes it.
 * - A method rejects for another reason than those named only when the store cannot be used.
 */
export interface DocumentStore extends Reads {
  /**
   * @param work awaits methods of the transaction and nothing else; may be called again, so it changes nothing outside
   * @throws Conflict, UniqueTaken, and any error of `work`: nothing was written
   * @throws StoreUnreachable
   */
  transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** Every document, in the order of ids; documents that change meanwhile may be given as before or after. */
  all<B extends object, K extends Keys>(collection: Collection<B, K>): AsyncIterable<Stored<B>>;

  /** Rows of the outbox; those of one key in the order of their transactions. Fewer than `limit` only when there are no more. */
  pending(limit: number): Promise<readonly { readonly id: RowId; readonly record: OutgoingRecord }[]>;
  /** Removes rows that are in the log. Unknown ones are ignored. */
  sent(ids: readonly RowId[]): Promise<void>;
  /** Raises of versions, oldest first. Fewer than `limit` only when there are no more. */
  unannounced(limit: number): Promise<readonly (VersionRaise & { readonly row: RowId })[]>;
  /** Removes rows. Unknown ones are ignored. */
  announced(rows: readonly RowId[]): Promise<void>;

  close(): Promise<void>;
}

/** A document is not at the version that a transaction relies on. Nothing was written. */
export class Conflict extends Error {
  override readonly name = 'Conflict';
}

/** Another document has this value of a unique key. Nothing was written. */
export class UniqueTaken extends Error {
  override readonly name = 'UniqueTaken';
  constructor(
    readonly collection: string,
    readonly key: string,
  ) {
    super(`another document of ${collection} has this ${key}`);
  }
}

/** The store cannot be used at the moment; whether a write that was under way took effect is not known. */
export class StoreUnreachable extends Error {
  override readonly name = 'StoreUnreachable';
}
