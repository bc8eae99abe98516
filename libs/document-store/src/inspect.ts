import { checksumOf } from './checksum.js';
import type { TopicName } from '@countersign/contracts';
import type { Collection, Keys, KeyValue, OutgoingRecord, RowId, Stored, VersionRaise } from './port.js';

/** Damage that a store contains. */
export interface Problem {
  /** Collection and document. */
  readonly place: string;
  readonly problem: string;
}

/** Read-only view of a service's documents, to check them: it creates, changes and repairs nothing. */
export interface DocumentInspection {
  /** In the order of ids. A document that cannot be read is left out; `problems` names it. */
  documents<B extends object, K extends Keys>(collection: Collection<B, K>): AsyncIterable<Stored<B>>;
  outbox(): AsyncIterable<{ readonly id: RowId; readonly record: OutgoingRecord }>;
  raises(): AsyncIterable<VersionRaise & { readonly row: RowId }>;
  /** Documents that no store has written in this form, and keys that do not follow from them. */
  problems(): AsyncIterable<Problem>;
  close(): Promise<void>;
}

/** A document that a compacted topic repeats. */
export interface OwnedDocument {
  readonly id: string;
  readonly version: number;
  /** As the topic has it. */
  readonly value: object;
}

/** Read-only view of a service's store, to check it against the log: it creates, changes and repairs nothing. */
export interface StoreInspection extends Pick<DocumentInspection, 'outbox' | 'raises' | 'problems' | 'close'> {
  /** Documents that the service publishes to a compacted topic. */
  owned(topic: TopicName): AsyncIterable<OwnedDocument>;
  /** By partition: the offset that following the topic continues at. */
  positions(topic: TopicName): Promise<ReadonlyMap<number, number>>;
}

/** The store was written by another release. Starting this one on it brings it to the present layout. */
export class OtherLayout extends Error {
  override readonly name = 'OtherLayout';
}

/** A document as an adapter stores it. */
export interface RawDocument {
  readonly id: string;
  readonly version: number;
  readonly body: string;
  readonly checksum: string;
  /** By name; a key that is absent is `null`. */
  readonly keys: Readonly<Record<string, KeyValue>>;
}

/** The damage of a document that shows without any other, or `null`. */
export function problemOf<B extends object, K extends Keys>(
  collection: Collection<B, K>,
  { id, version, body, checksum, keys }: RawDocument,
): string | null {
  if (checksumOf(id, version, body) !== checksum) return 'it was changed by something else than the service';
  const value = bodyOf<B>(body);
  if (value === null) return 'its body is not a JSON object';
  const expected = collection.keysOf(value, id);
  const wrong = Object.keys(collection.keys).find((key) => (keys[key] ?? null) !== (expected[key] ?? null));
  return wrong === undefined ? null : `its key ${wrong} is not what its body says`;
}

/** Returns `null` where the text is not a JSON object. */
export function bodyOf<B>(body: string): B | null {
  try {
    const value = JSON.parse(body) as B;
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/**
 * Problems that are found twice. While a service runs, one of two related documents may be read before a change and the other
 * one after it.
 * @param find returns problems by place
 */
export async function* settledProblems(find: () => Promise<ReadonlyMap<string, string>>): AsyncIterable<Problem> {
  const first = await find();
  if (first.size === 0) return;
  const second = await find();
  for (const [place, problem] of first) if (second.get(place) === problem) yield { place, problem };
}
