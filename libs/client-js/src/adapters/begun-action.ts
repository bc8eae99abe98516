import type { Action } from '../action.js';
import type { ActionDeniedError } from '../action-denied.js';
import type { Countersign } from '../client.js';
import type { CallOptions } from '../options.js';
import type { CheckResult } from '../result.js';

/** The part of the client that adapters use, also of another copy of this package. */
export type Guard = Pick<Countersign, 'guard'>;

/** An allowed action that is being executed, until its end is reported. */
export interface BegunAction {
  readonly check: CheckResult;
  /** Each resolves when the outcome is reported or the report has failed; the first call counts. */
  succeeded(): Promise<void>;
  failed(): Promise<void>;
}

/**
 * `guard` for an action that ends later, or whose result is streamed: resolves once the action is allowed.
 * @throws as `guard` does before it executes
 */
export function begin(countersign: Guard, action: Action, options: CallOptions = {}): Promise<BegunAction> {
  return new Promise((resolve, reject) => {
    const execute = (check: CheckResult): Promise<void> =>
      new Promise((done, fail) => {
        const settled = async (): Promise<void> => reported.catch(() => undefined);
        resolve({
          check,
          succeeded: () => (done(), settled()),
          failed: () => (fail(new Error('the action failed')), settled()),
        });
      });
    const reported = countersign.guard(action, execute, options);
    reported.catch(reject);
  });
}

/** Streams the result of an action and reports its end. An action whose stream is abandoned has failed. */
export async function* untilItsEnd<T>(begun: BegunAction, pieces: AsyncIterable<T>): AsyncGenerator<T, unknown> {
  let ended = false;
  try {
    const value: unknown = yield* pieces;
    ended = true;
    return value;
  } finally {
    await (ended ? begun.succeeded() : begun.failed());
  }
}

export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** Compares the code, since the class differs if the client was loaded by `require` and the adapter by `import`. */
export function isDenied(error: unknown): error is ActionDeniedError {
  return error instanceof Error && (error as { readonly code?: unknown }).code === 'action_denied';
}
