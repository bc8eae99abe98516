import { checksumOf } from './checksum.js';
import type { TopicName } from '@countersign/contracts';
import type { Collection, Keys, KeyValue, OutgoingRecord, RowId, Stored, VersionRaise } from './port.js';

/** Something that a store holds and that cannot be so. */
export interface Problem {
  /** Collection and document. */
  readonly place: string;
  readonly problem: string;
}

/** The documents of a service as they are read to be checked: nothing is made, changed or repaired. */
export interface DocumentInspection {
  /** In the order of ids. A document that cannot be read is left out; `problems` names it. */
  documents<B extends object, K extends Keys>(collection: Collection<B, K>): AsyncIterable<Stored<B>>;
  outbox(): AsyncIterable<{ readonly id: RowId; readonly record: OutgoingRecord }>;
  raises(): AsyncIterable<VersionRaise & { readonly row: RowId }>;
  /** Documents that no store wrote in this form, and keys that do not follow from them. */
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

/** What a service stores, as it is read to be checked against the log: nothing is made, changed or repaired. */
export interface StoreInspection extends Pick<DocumentInspection, 'outbox' | 'raises' | 'problems' | 'close'> {
  /** What the store has for a compacted topic that its service publishes. */
  owned(topic: TopicName): AsyncIterable<OwnedDocument>;
  /** By partition: the offset that following the topic continues at. */
  positions(topic: TopicName): Promise<ReadonlyMap<number, number>>;
}

/** The store was written by another release: it is as it should be once this one has been started on it. */
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

/** What is wrong with a document by itself, or `null`. */
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

/** `null` where it is no JSON object. */
export function bodyOf<B>(body: string): B | null {
  try {
    const value = JSON.parse(body) as B;
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}

/**
 * Problems that are found twice: while the service runs, what belongs together may have been read before and after a change.
 * @param find gives problems by place
 */
export async function* settledProblems(find: () => Promise<ReadonlyMap<string, string>>): AsyncIterable<Problem> {
  const first = await find();
  if (first.size === 0) return;
  const second = await find();
  for (const [place, problem] of first) if (second.get(place) === problem) yield { place, problem };
}
