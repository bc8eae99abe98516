/** Longer names are not shown. */
const LONGEST_NAME = 64;
/** Most letters between an unknown name and a known one that is suggested for it. */
const MOST_LETTERS = 2;
const MOST_SUGGESTED = 3;

/**
 * Message for an unknown member: `unknown field "refund_limit". Did you mean "spending_limit"? Known fields: …`.
 * A name that is long or has unusual characters is not repeated.
 * @param place prefix of the names: `action.`
 */
export function unknownField(name: string, known: readonly string[], place = ''): string {
  const shown = /^[\w$@-]+$/.test(name) && name.length <= LONGEST_NAME;
  const near = shown ? nearNames(name, known) : [];
  const hint = near.length === 0 ? '' : ` Did you mean ${near.map((one) => `"${place}${one}"`).join(' or ')}?`;
  const all = known.length === 0 ? 'No field is known here' : `Known fields: ${known.join(', ')}`;
  return `unknown field ${shown ? `"${place}${name}"` : `"${place}…"`}.${hint} ${all}`;
}

/** Known names that an unknown one probably means: other spellings, then one or two other letters, then shared words. */
export function nearNames(name: string, known: readonly string[]): readonly string[] {
  const same = known.filter((one) => letters(one) === letters(name));
  if (same.length > 0) return same;
  const close = known.filter(
    (one) => distance(letters(name), letters(one)) <= (letters(name).length < 6 ? 1 : MOST_LETTERS),
  );
  if (close.length > 0) return close;
  const words = wordsOf(name);
  const shared = known.filter((one) => wordsOf(one).some((word) => words.includes(word)));
  return shared.length <= MOST_SUGGESTED ? shared : [];
}

const letters = (name: string): string => name.toLowerCase().replace(/[_-]/g, '');

const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[_-]/)
    .filter((word) => word.length > 2);

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}
