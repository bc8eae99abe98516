/** Thrown in a process that counts as killed: none of its calls has an effect any more. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

export interface Kill {
  /** Wraps an object, so that the process may die at each call of a method. Nested objects are wrapped as well. */
  wrap<T extends object>(target: T): T;
  readonly happened: boolean;
}

/**
 * Dies at the n-th call (from 1) of any wrapped object: before the call takes effect, or after its effect and before its
 * result is returned.
 */
export function killAt(n: number, moment: 'before' | 'after'): Kill {
  let calls = 0;
  const step = (call: () => unknown): unknown => {
    calls += 1;
    if (calls > n || (calls === n && moment === 'before')) throw new Killed('killed');
    const result = call();
    if (calls !== n) return result;
    if (result instanceof Promise) {
      const dying = result.then(() => {
        throw new Killed('killed');
      });
      // The caller that waited for it may be dead as well.
      dying.catch(() => undefined);
      return dying;
    }
    throw new Killed('killed');
  };
  const wrap = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, name) {
        const value: unknown = Reflect.get(object, name, object);
        if (typeof value === 'function') {
          return (...values: unknown[]) => step(() => (value as (...all: unknown[]) => unknown).apply(object, values));
        }
        return typeof value === 'object' && value !== null ? wrap(value) : value;
      },
    });
  return {
    wrap,
    get happened() {
      return calls >= n;
    },
  };
}
