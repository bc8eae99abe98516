import type { TopicName } from '@countersign/contracts';
import type { OwnedDocument, StoreInspection } from '@countersign/document-store';
import type { StoredLog } from '@countersign/event-log';
import { digestOf, newestRecords, type Newest } from './newest-records.js';
import { partitionOf, type Reached } from './places.js';
import type { Check } from './report.js';

/** A record that a reader of a topic keeps. */
export interface Kept extends OwnedDocument {
  /** Of the record in the topic. */
  readonly key: string;
}

export interface Owner {
  readonly topic: TopicName;
  /** File and table. */
  readonly place: string;
  readonly rows: () => Iterable<OwnedDocument> | AsyncIterable<OwnedDocument>;
  /** Keys whose records lie in the outbox still. */
  readonly pending: ReadonlySet<string>;
}

/** The newest records of a topic must be the rows of its owner, but for those that the owner has not sent yet. */
export async function compareOwner(
  log: StoredLog,
  { topic, place, rows, pending }: Owner,
  check: Check,
): Promise<void> {
  const newest = newestRecords(log, topic);
  for await (const { id, version, value } of rows()) {
    check.examined += 1;
    const published = newest.get(id);
    newest.delete(id);
    const at = `${place} ${id}`;
    if (published === undefined || published.version < version) {
      if (pending.has(`${topic} ${id}`)) check.behind += 1;
      else
        check.wrong(
          at,
          `the topic ${topic} has ${published === undefined ? 'no record' : `version ${published.version}`}, the store ${version}`,
        );
    } else if (published.version > version) {
      check.wrong(at, `the topic ${topic} has version ${published.version}, the store only ${version}`);
    } else if (published.digest !== digestOf(value)) {
      check.wrong(at, `it is not what the topic ${topic} says at offset ${published.offset}`);
    }
  }
  for (const [id, { digest, offset }] of newest) {
    if (digest !== null) check.wrong(`${topic} offset ${offset}`, `${id} is not in ${place}`);
  }
}

export interface Reader {
  readonly topic: TopicName;
  readonly place: string;
  readonly rows: () => Iterable<Kept> | AsyncIterable<Kept>;
  /** Below it every record was kept. */
  readonly position: Reached;
  /** Keys of the topic that this reader keeps. */
  readonly keeps?: (key: string) => boolean;
}

/** The records that a reader keeps of a topic must be the newest ones up to its position. */
export async function compareReader(
  log: StoredLog,
  { topic, place, rows, position, keeps }: Reader,
  check: Check,
): Promise<void> {
  const newest = newestRecords(log, topic, keeps === undefined ? {} : { keys: keeps });
  for await (const row of rows()) {
    check.examined += 1;
    const published = newest.get(row.key);
    newest.delete(row.key);
    const at = `${place} ${row.id}`;
    if (published === undefined) check.wrong(at, `the topic ${topic} has no such record`);
    else if (published.version > row.version) lag(published, `${at}: version ${published.version} of ${topic}`);
    else if (published.version < row.version)
      check.wrong(at, `version ${row.version}, the topic ${topic} has ${published.version}`);
    else if (published.digest !== digestOf(row.value)) {
      check.wrong(at, `it is not what the topic ${topic} says at offset ${published.offset}`);
    }
  }
  for (const [key, published] of newest) if (published.digest !== null) lag(published, `${place}: ${key} of ${topic}`);

  function lag({ offset }: Newest, what: string): void {
    if (!position.has(offset)) check.behind += 1;
    else
      check.wrong(
        what,
        `it is missing, although everything below offset ${position.of(partitionOf(offset))} was taken`,
      );
  }
}

/** `<topic> <key>` of what lies in a store's outbox. */
export async function pendingOf(store: Pick<StoreInspection, 'outbox'>): Promise<ReadonlySet<string>> {
  const pending = new Set<string>();
  for await (const { record } of store.outbox()) pending.add(`${record.topic} ${record.key}`);
  return pending;
}
