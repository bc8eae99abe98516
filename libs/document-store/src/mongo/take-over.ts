import { createConnection } from 'mongoose';
import type { mongo } from 'mongoose';
import { copyOlder, isCopied } from '../copy-older.js';
import type { OlderDocuments } from '../copy-older.js';
import type { DocumentStore } from '../port.js';
import { mongoOptions } from './connection-options.js';

const NO_SUCH_NAMESPACE = 26;

/** A document of a collection of an older layout. */
export interface OlderRow extends mongo.Document {
  readonly _id: string | number;
}

/** Reads a collection of an older layout, in an order. */
export type ReadOlder = <R extends OlderRow>(name: string, sort: Readonly<Record<string, 1 | -1>>) => AsyncIterable<R>;

/** The collections of a service in MongoDB before it stored documents. */
export interface OlderLayout {
  readonly name: string;
  /** All of its collections, in the order in which they are renamed. */
  readonly collections: readonly string[];
  /** The reason why it cannot be taken over as it is, with advice; `null`: it can. */
  problem(read: ReadOlder): Promise<string | null>;
  documents(read: ReadOlder): AsyncIterable<OlderDocuments>;
}

/**
 * Copies an older layout into documents, once, and renames its collections to `<collection>.older-<ms>`. All instances of
 * the release that wrote it must have ended: what such an instance still writes is renamed likewise, and not copied.
 * Instances of this release may do it at the same time.
 * @throws if the layout cannot be taken over as it is
 */
export async function takeOverMongo(uri: string, documents: DocumentStore, layout: OlderLayout): Promise<void> {
  const { collections, name } = layout;
  const connection = await createConnection(uri, mongoOptions(uri)).asPromise();
  try {
    const database = connection.db!;
    const first = await Promise.all(collections.map((older) => database.collection(older).findOne()));
    if (first.every((row) => row === null)) return;
    const read: ReadOlder = (from, sort) => database.collection(from).find({}, { sort }) as never;
    const problem = await layout.problem(read);
    // What another instance has copied it may be renaming.
    if (problem !== null && !(await isCopied(documents, name))) throw new Error(problem);
    await copyOlder(documents, name, () => layout.documents(read));
    const suffix = `older-${Date.now()}`;
    for (const older of collections) await database.renameCollection(older, `${older}.${suffix}`).catch(unlessGone);
  } finally {
    await connection.close();
  }
}

function unlessGone(error: unknown): void {
  if ((error as { readonly code?: unknown }).code !== NO_SUCH_NAMESPACE) throw error;
}
