import type { TopicName } from '@countersign/contracts';
import { settledProblems } from './inspect.js';
import type { DocumentInspection, OwnedDocument, Problem, StoreInspection } from './inspect.js';
import { inspectMongoDocuments } from './mongo/open-mongo-document-store.js';
import type { Collection } from './port.js';
import { readPositions } from './positions.js';
import { inspectSqliteDocuments } from './sqlite/inspect-sqlite.js';

/** The store of a stopped instance by its file, or of an installation that may run by its database. */
export type InspectionSource = { readonly file: string } | { readonly uri: string };

/**
 * Opens the documents of a service for reading.
 * @param service begins the names of its collections in MongoDB
 * @throws OtherLayout
 * @throws when no server answers
 */
export async function inspectDocuments(
  source: InspectionSource,
  service: string,
  collections: readonly Collection<object>[],
): Promise<DocumentInspection> {
  if ('file' in source) return inspectSqliteDocuments(source.file, collections);
  return inspectMongoDocuments(source.uri, service, collections);
}

/** The inspection of a store that consists of documents. A service adds what it reads, and which documents disagree. */
export abstract class InspectedDocuments implements StoreInspection {
  /**
   * @param followed the topic whose positions the store holds
   * @param isStopped no other process has the store open
   */
  constructor(
    protected readonly documents: DocumentInspection,
    private readonly followed: TopicName,
    protected readonly isStopped: boolean,
  ) {}

  abstract owned(topic: TopicName): AsyncIterable<OwnedDocument>;

  async positions(topic: TopicName): Promise<ReadonlyMap<number, number>> {
    return topic === this.followed ? readPositions(this.documents) : new Map();
  }

  outbox(): ReturnType<DocumentInspection['outbox']> {
    return this.documents.outbox();
  }

  raises(): ReturnType<DocumentInspection['raises']> {
    return this.documents.raises();
  }

  async *problems(): AsyncIterable<Problem> {
    yield* this.documents.problems();
    yield* settledProblems(() => this.disagreements());
  }

  close(): Promise<void> {
    return this.documents.close();
  }

  /** Contradictions of documents with themselves and each other, by place. */
  protected abstract disagreements(): Promise<ReadonlyMap<string, string>>;
}
