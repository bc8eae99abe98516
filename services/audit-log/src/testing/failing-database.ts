/** The end of a process, as its store sees it: a write that is not made, or of which only a part is. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

/** `before`: how many writes are made whole; `part`: how many documents of the next one still are. */
export interface Fault {
  before: number;
  readonly part: number;
}

interface Writing {
  insertMany(documents: readonly unknown[], options?: object): Promise<unknown>;
  bulkWrite(writes: readonly unknown[], options?: object): Promise<unknown>;
}

const WRITES: ReadonlySet<string | symbol> = new Set(['insertMany', 'bulkWrite', 'updateOne', 'updateMany']);

/**
 * The same database, whose collections fail as `fault()` says; after the fault no write is made any more. `null`: none.
 */
export function failing<T extends { collection(name: string): object }>(db: T, fault: () => Fault | null): T {
  return new Proxy(db, {
    get(target, name) {
      if (name !== 'collection') return Reflect.get(target, name, target) as unknown;
      return (of: string) => failingCollection(target.collection(of), fault);
    },
  });
}

function failingCollection(collection: object, fault: () => Fault | null): object {
  return new Proxy(collection, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const method = value as (...all: unknown[]) => unknown;
      if (!WRITES.has(name)) return method.bind(target);
      return async (...all: unknown[]) => {
        const now = fault();
        if (now === null) return method.apply(target, all);
        now.before -= 1;
        if (now.before >= 0) return method.apply(target, all);
        if (now.before === -1) await writePart(target as Writing, String(name), all, now.part);
        throw new Crash(`${String(name)} was cut off`);
      };
    },
  });
}

async function writePart(collection: Writing, name: string, [items, options]: unknown[], part: number): Promise<void> {
  if (part === 0 || !Array.isArray(items)) return;
  const some = items.slice(0, part);
  if (name === 'insertMany') await collection.insertMany(some, options as object);
  if (name === 'bulkWrite') await collection.bulkWrite(some, options as object);
}
