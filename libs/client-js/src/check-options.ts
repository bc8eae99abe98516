type Members = Readonly<Record<string, unknown>>;

/**
 * @param what name of the options in the message
 * @throws TypeError if the options are not an object, or have an unknown member
 */
export function requireKnown(options: unknown, known: readonly string[], what: string): asserts options is Members {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new TypeError(`${what}: an object with ${known.join(', ')}`);
  }
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const nearest = nearestOf(unknown, known);
  const hint = nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
  throw new TypeError(`${what}: unknown option "${unknown}".${hint} Known options: ${known.join(', ')}`);
}

/** @throws TypeError if one of the named options is set and not a function */
export function requireFunctions(options: Members, names: readonly string[]): void {
  for (const name of names) {
    const value = options[name];
    if (value !== undefined && typeof value !== 'function')
      throw new TypeError(`${name}: a function, not ${kindOf(value)}`);
  }
}

/** @throws TypeError if an option is not a number, or `fits` returns false for it */
export function requireNumber(name: string, value: unknown, fits: (value: number) => boolean, words: string): void {
  if (typeof value !== 'number' || !fits(value)) throw new TypeError(`${name}: ${words}, not ${kindOf(value)}`);
}

/** Describes a value without revealing it. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return value === '' ? 'an empty text' : 'a text';
  return Array.isArray(value) ? 'a list' : `a value of the type ${typeof value}`;
}

/** The known name that a misspelled one most likely means. */
function nearestOf(name: string, known: readonly string[]): string | undefined {
  const given = folded(name);
  const same = known.find((one) => folded(one) === given);
  if (same !== undefined || given === '') return same;
  const ranked = known.map((one) => [distance(given, folded(one)), one] as const).sort(([a], [b]) => a - b);
  const [best] = ranked;
  if (best !== undefined && best[0] <= 2) return best[1];
  return known.find((one) => folded(one).startsWith(given) || given.startsWith(folded(one)));
}

const folded = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/gu, '');

/** Levenshtein distance. */
function distance(from: string, to: string): number {
  let row = [...to, ''].map((_letter, index) => index);
  for (const [place, letter] of [...from].entries()) {
    const next = [place + 1];
    for (const [column, other] of [...to].entries()) {
      next.push(Math.min(row[column + 1]! + 1, next[column]! + 1, row[column]! + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1)!;
}
