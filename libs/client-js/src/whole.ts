const FUNCTIONS: ReadonlySet<string> = new Set(['[object GeneratorFunction]', '[object AsyncGeneratorFunction]']);
const GENERATORS: ReadonlySet<string> = new Set(['[object Generator]', '[object AsyncGenerator]']);

/**
 * What is executed is over when it resolves: of a generator nothing is done yet, and its outcome would be told too early.
 * @throws TypeError where `execute` is a function of generators
 */
export function requireWhole(execute: unknown): void {
  if (FUNCTIONS.has(kindOf(execute))) throw notWhole();
}

/** @throws TypeError where the value is a generator, as {@link requireWhole} */
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
