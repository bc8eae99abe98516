import { Conflict } from './port.js';
import type { Collection, DocumentStore, Keys, Stored } from './port.js';

/** Documents of one collection, as an older layout holds them. */
export interface OlderDocuments {
  readonly collection: Collection<object>;
  readonly documents: readonly Stored<object>[];
}

/** Advice where the last write of an older layout was interrupted. */
export const START_OLDER_ONCE = 'start the release before this one once, stop it, then start this one';

const PART = 300;
const COPYING = 1;
const COPIED = 2;

/** By name: how far the copy of an older layout is. Its version says so. */
export const OLDER_LAYOUTS: Collection<object, Record<string, never>> = {
  name: 'older_layouts',
  keysOf: () => ({}),
  keys: {},
  keysVersion: 1,
  indexes: [],
};

/**
 * Copies what an older layout holds, once. Instances may do so at the same time, and a repetition continues where one was
 * interrupted: each part is written only while the copy is not finished, and a document that is there is left.
 * @param store opened with {@link OLDER_LAYOUTS}
 * @param older in the order of insertion; at most a few hundred documents at once
 */
export async function copyOlder(
  store: DocumentStore,
  name: string,
  older: () => AsyncIterable<OlderDocuments>,
): Promise<void> {
  if (await isCopied(store, name)) return;
  try {
    await store.transact(async (transaction) => {
      if ((await transaction.get(OLDER_LAYOUTS, name)) !== null) return;
      await transaction.put(OLDER_LAYOUTS, [{ id: name, version: COPYING, body: {} }]);
    });
    for await (const { collection, documents } of older()) {
      await store.transact(async (transaction) => {
        await transaction.expect(OLDER_LAYOUTS, name, COPYING);
        const ids = documents.map(({ id }) => id);
        const there = await transaction.getMany(collection, ids);
        await transaction.restore(
          collection,
          documents.filter(({ id }) => !there.has(id)),
        );
      });
    }
    await store.transact((transaction) => transaction.put(OLDER_LAYOUTS, [{ id: name, version: COPIED, body: {} }]));
  } catch (error) {
    // Another instance has finished it, or begun it at the same moment.
    if (!(error instanceof Conflict)) throw error;
    if (!(await isCopied(store, name))) return copyOlder(store, name, older);
  }
}

/** Returns true once the copy is finished. */
export async function isCopied(store: DocumentStore, name: string): Promise<boolean> {
  return (await store.get(OLDER_LAYOUTS, name))?.version === COPIED;
}

/** Rows of an older layout as documents of a collection, a few hundred at once. @param read returns `null` where a row has no document, or several */
export async function* olderDocuments<R, B extends object, K extends Keys>(
  collection: Collection<B, K>,
  rows: AsyncIterable<R>,
  read: (row: R) => Stored<B> | readonly Stored<B>[] | null,
): AsyncIterable<OlderDocuments> {
  let documents: Stored<B>[] = [];
  const part = (): OlderDocuments => ({ collection: collection as unknown as Collection<object>, documents });
  for await (const row of rows) {
    const found = read(row);
    if (found !== null) documents.push(...[found].flat());
    if (documents.length < PART) continue;
    yield part();
    documents = [];
  }
  if (documents.length > 0) yield part();
}
