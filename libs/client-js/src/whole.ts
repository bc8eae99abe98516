const FUNCTIONS: ReadonlySet<string> = new Set(['[object GeneratorFunction]', '[object AsyncGeneratorFunction]']);
const GENERATORS: ReadonlySet<string> = new Set(['[object Generator]', '[object AsyncGenerator]']);

/**
 * Requires a function whose execution is over when it resolves. A generator has done nothing by then, so its outcome would be
 * reported too early.
 * @throws TypeError if `execute` is a generator function
 */
export function requireWhole(execute: unknown): void {
  if (FUNCTIONS.has(kindOf(execute))) throw notWhole();
}

/** @throws TypeError if the value is a generator, as {@link requireWhole} */
export function whole<T>(value: T): T {
  if (GENERATORS.has(kindOf(value))) throw notWhole();
  return value;
}

const kindOf = (value: unknown): string => Object.prototype.toString.call(value);

function notWhole(): TypeError {
  return new TypeError(
    'a generator, of which nothing is done yet, has no outcome to report: go through it inside of what is guarded, and return what came',
  );
}
