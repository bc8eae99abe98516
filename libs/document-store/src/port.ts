import type { TopicName } from '@countersign/contracts';

/*
 * Terms of this file:
 * - key: a value computed from a document, by which it is found and ordered; not its id.
 * - outbox: records for the event log that are stored with the change that caused them, until a relay has appended
 *   them.
 * - raise: a version of a record that the counters must reach, stored in the same way (`unannounced`, `announced`).
 * - sealed collection: one whose documents are verified against a checksum whenever they are read.
 */

/** The value of a key. `null`: the document has none; it is found by `null`, and by no range. */
export type KeyValue = string | number | boolean | null;
export type Keys = Readonly<Record<string, KeyValue>>;

/** A document as it is stored. */
export interface Stored<B> {
  readonly id: string;
  /** 1 when it is inserted; each write adds one. `restore` alone sets any version. */
  readonly version: number;
  /** Any JSON object. It is stored as `JSON.stringify` writes it. */
  readonly body: B;
}

/** One kind of document of a service. Every call for it passes the same constant. */
export interface Collection<B extends object, K extends Keys = Keys> {
  /** In `snake_case`. It is part of the name of a table in SQLite or of a collection in MongoDB. */
  readonly name: string;
  /**
   * Computes the keys of a document from its body and id alone; always the same names. A release that changes names or
   * values raises `keysVersion`: its first start computes the keys of all stored documents again.
   */
  readonly keysOf: (body: B, id: string) => K;
  /** Type of each key. A query MUST use a key only if an index begins with it: any other reads the whole collection. */
  readonly keys: { readonly [F in keyof K]: 'text' | 'number' | 'boolean' };
  /** From 1. A store that a newer release has written is not opened. */
  readonly keysVersion: number;
  /** The keys of each index, in their order in it. */
  readonly indexes: readonly (readonly (keyof K & string)[])[];
  /** Keys whose value two documents never share; any number of documents may have `null`. */
  readonly unique?: readonly (keyof K & string)[];
  /**
   * Makes it a sealed collection: reads reject with `StoreDamaged` when a document was changed by other means than a
   * store.
   */
  readonly isSealed?: true;
}

/** Conditions for the value of a key; all that are given must hold. A document whose value is `null` never matches. */
export interface Range<V extends KeyValue = KeyValue> {
  /** Greater than. */
  readonly above?: V;
  /** Equal or greater. */
  readonly from?: V;
  /** Less than. */
  readonly below?: V;
  readonly oneOf?: readonly V[];
  readonly noneOf?: readonly V[];
  /** Of a text: has this one in it, character by character; an empty one is in every text. */
  readonly contains?: string;
}

/** Conditions by key, a value or a range; all must hold. */
export type Where<K extends Keys> = { readonly [F in keyof K]?: K[F] | Range<K[F]> };

export interface Query<K extends Keys> {
  readonly where?: Where<K>;
  /**
   * The keys to order by, the first one first; documents with equal values come in the order of insertion. Default: the
   * order of insertion, which a later write of a document does not change.
   */
  readonly by?: (keyof K & string) | readonly (keyof K & string)[];
  /** Reverses the whole order. */
  readonly descending?: boolean;
  /** Maximum number of documents. */
  readonly limit: number;
  /** Number of documents to leave out first; default 0. */
  readonly offset?: number;
}

/** The keys of {@link Query.by} as a list. */
export function keysOf(by: string | readonly string[] | undefined): readonly string[] {
  if (by === undefined) return [];
  return typeof by === 'string' ? [by] : by;
}

/**
 * Reads. Outside of a transaction, each call shows the committed documents of one moment. In a transaction, all calls
 * show the documents of one moment, with the transaction's own writes.
 */
export interface Reads {
  /** `null`: there is none with this id. */
  get<B extends object, K extends Keys>(collection: Collection<B, K>, id: string): Promise<Stored<B> | null>;
  /** The documents by id; ids of none are left out. */
  getMany<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, Stored<B>>>;
  find<B extends object, K extends Keys>(collection: Collection<B, K>, query: Query<K>): Promise<readonly Stored<B>[]>;
  count<B extends object, K extends Keys>(collection: Collection<B, K>, where?: Where<K>): Promise<number>;
}

/** A record of the outbox: a relay appends it to the event log after the transaction has committed. */
export interface OutgoingRecord {
  readonly topic: TopicName;
  readonly key: string;
  readonly value: string;
}

/** A version to be raised in the counters, before the request that made the change is answered. */
export interface VersionRaise {
  readonly kind: string;
  readonly id: string;
  readonly version: number;
}

export interface Transaction extends Reads {
  /**
   * Writes documents at `version`. 1 inserts a document that is not there; a greater one replaces the stored one, which
   * must be at `version` − 1.
   * @throws Conflict where a document is there, is not there, or is at another version
   * @throws UniqueTaken
   */
  put<B extends object, K extends Keys>(collection: Collection<B, K>, documents: readonly Stored<B>[]): Promise<void>;
  /** Writes documents whatever is stored, at the version after the stored one or at 1. @throws UniqueTaken */
  set<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    documents: readonly Omit<Stored<B>, 'version'>[],
  ): Promise<void>;
  /**
   * Inserts, at version 1, the documents whose ids are not there. Returns the ids that it has inserted. @throws
   * UniqueTaken
   */
  add<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    documents: readonly Omit<Stored<B>, 'version'>[],
  ): Promise<ReadonlySet<string>>;
  /**
   * Writes documents at exactly these versions, whatever is stored: for copies from a topic or another store. @throws
   * UniqueTaken
   */
  restore<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    documents: readonly Stored<B>[],
  ): Promise<void>;
  /** Removes documents. @throws Conflict where one is not stored at its version */
  remove<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    documents: readonly Pick<Stored<B>, 'id' | 'version'>[],
  ): Promise<void>;
  /**
   * Removes at most `limit` of the documents that match, in the order of insertion. Returns how many it has removed.
   */
  removeWhere<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    where: Where<K>,
    limit: number,
  ): Promise<number>;
  /**
   * Removes at most `limit` documents with `from` <= id < `below`, in the order of ids. Returns how many it has
   * removed.
   */
  removeRange<B extends object, K extends Keys>(
    collection: Collection<B, K>,
    from: string,
    below: string,
    limit: number,
  ): Promise<number>;
  /**
   * Makes the transaction depend on a document that it reads and does not write. If another transaction writes or
   * expects the document at the same time, one of the two is repeated or fails.
   * @throws Conflict where the document is not stored at this version
   */
  expect<B extends object, K extends Keys>(collection: Collection<B, K>, id: string, version: number): Promise<void>;
  /**
   * Puts records into the outbox, in this order. All transactions that publish records of one topic and key MUST write
   * the same document: so they conflict, and the outbox keeps their order.
   */
  publish(records: readonly OutgoingRecord[]): Promise<void>;
  /** Stores raises, for `unannounced`. */
  raise(raises: readonly VersionRaise[]): Promise<void>;
}

/** Names a row of the outbox or a raise, in the store that returned it. */
export type RowId = string | number;

/**
 * The documents of one service.
 * - A transaction is all or nothing. When `transact` resolves, everything is written and MUST be durable. When it
 *   rejects, nothing is written, except with `StoreUnreachable`: then either is possible. The versions of its documents
 *   show which, and a repetition of what was written is a `Conflict`.
 * - Isolation is that of a snapshot. Of two transactions that write or expect the same document at the same time, one
 *   is repeated or fails. A transaction that only reads a document does not notice when another one changes it.
 * - Every method may reject with `StoreUnreachable` while the store cannot be used, or with the database's error; reads
 *   of a sealed collection also with `StoreDamaged`.
 */
export interface DocumentStore extends Reads {
  /**
   * Runs `work` and commits what it wrote.
   * @param work MUST await methods of the transaction and nothing else, and change nothing outside of it: after a
   * conflict with another transaction it may be called again
   * @throws Conflict, UniqueTaken, and any error of `work`: nothing was written
   * @throws StoreUnreachable also when the transaction was repeated for too long and did not commit
   */
  transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /**
   * Every document, in the order of ids, page by page: one that is written meanwhile is returned as it was or as it is.
   */
  all<B extends object, K extends Keys>(collection: Collection<B, K>): AsyncIterable<Stored<B>>;

  /**
   * Rows of the outbox, those of one topic and key in the order of their transactions: `limit`, or all when there are
   * fewer.
   */
  pending(limit: number): Promise<readonly { readonly id: RowId; readonly record: OutgoingRecord }[]>;
  /** Removes rows of the outbox whose records are in the log; ids of no row are ignored. */
  sent(ids: readonly RowId[]): Promise<void>;
  /** Stored raises, oldest first: `limit`, or all when there are fewer. */
  unannounced(limit: number): Promise<readonly (VersionRaise & { readonly row: RowId })[]>;
  /** Removes raises that the counters have; ids of no row are ignored. */
  announced(rows: readonly RowId[]): Promise<void>;

  close(): Promise<void>;
}

/** A document is not at the version that the transaction relies on. Nothing was written. */
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

/** The store cannot be used at the moment. It is not known whether a pending write took effect. */
export class StoreUnreachable extends Error {
  override readonly name = 'StoreUnreachable';
}
