import { StoreUnreachable } from '../port.js';

const DUPLICATE_KEY = 11000;

/** By name, as several copies of the driver may be installed. */
const UNREACHABLE_NAMES: ReadonlySet<string> = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoServerSelectionError',
  'MongooseServerSelectionError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoPoolClearedError',
  'PoolClearedOnNetworkError',
  'MongoPoolClosedError',
  'MongoWaitQueueTimeoutError',
  'MongoWriteConcernError',
  'MongoOperationTimeoutError',
]);

/** Answers of a server that is stepping down, starting, shutting down or lacks a majority. */
const UNREACHABLE_CODES: ReadonlySet<number> = new Set([
  6, 7, 64, 89, 91, 100, 189, 262, 9001, 10058, 10107, 11600, 11602, 13435, 13436,
]);

interface DriverError {
  readonly name: string;
  readonly code?: unknown;
  readonly writeErrors?: unknown;
}

export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { name, code } = error as DriverError;
  if (UNREACHABLE_NAMES.has(name)) return true;
  return typeof code === 'number' ? UNREACHABLE_CODES.has(code) : isBulkWithoutAnswer(error);
}

/** A bulk write replaces the driver's error by one of its own without a code: no server has answered. */
function isBulkWithoutAnswer({ name, code, writeErrors }: DriverError): boolean {
  return name === 'MongoBulkWriteError' && code === undefined && Array.isArray(writeErrors) && writeErrors.length === 0;
}

/** A single write met another document under a unique key. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof Error && (error as DriverError).code === DUPLICATE_KEY;
}

/**
 * Positions, in an unordered batch, of the writes that met another document under a unique key.
 * @throws the error itself where there is another failure among them
 */
export function duplicatesOf(error: unknown): readonly number[] {
  const { writeErrors } = (error ?? {}) as DriverError;
  const failed: readonly { readonly code?: unknown; readonly index?: unknown }[] = Array.isArray(writeErrors)
    ? writeErrors
    : [];
  const duplicates = failed.flatMap(({ code, index }) =>
    code === DUPLICATE_KEY && typeof index === 'number' ? [index] : [],
  );
  if (duplicates.length === 0 || duplicates.length < failed.length || hasConcernError(error)) throw error;
  return duplicates;
}

function hasConcernError(error: unknown): boolean {
  const { result } = error as { readonly result?: { getWriteConcernError?: () => unknown } };
  return result?.getWriteConcernError?.() !== undefined;
}

/** The same store, whose promises reject with {@link StoreUnreachable} where the driver found no server. */
export function tellingUnreachable<T extends object>(store: T): T {
  const nested = new Map<object, object>();
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value === 'function') {
        return (...values: unknown[]) => {
          const result: unknown = (value as (...all: unknown[]) => unknown).apply(target, values);
          return result instanceof Promise ? result.catch(rethrow) : result;
        };
      }
      if (typeof value !== 'object' || value === null) return value;
      const known = nested.get(value) ?? tellingUnreachable(value);
      nested.set(value, known);
      return known;
    },
  });
}

function rethrow(error: unknown): never {
  if (isUnreachable(error)) throw new StoreUnreachable('the store cannot be reached', { cause: error });
  throw error;
}
