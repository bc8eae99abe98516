import type { ArgumentMatcher, JsonValue } from '@countersign/contracts';
import type { SeenMember } from './arguments-of.js';
import { frequent, roundedUp, withHeadroom } from './bounds.js';
import { foldersOf } from './folders.js';
import { isNumberOfOne, isOfPeople, mayBeShown } from './shown-values.js';

export interface MatcherOptions {
  /** Checks that the matcher may leave out. */
  readonly allowance: number;
  /** Factor of lengths. */
  readonly headroom: number;
}

/** More hosts or domains are not a closed set. */
export const MOST_HOSTS = 50;
const MOST_VALUES = 12;
/** Checks of each value of a closed set. */
const LEAST_OF_VALUE = 3;
const LONGEST_LENGTH = 65_536;
/** A text that is shorter does no harm by its length. */
const SHORTEST_LENGTH = 64;
const LONGEST_SQL = 2048;
const LARGEST_AMOUNT = 1e9;

/**
 * Matchers that the values of a member suggest, the narrowest first. Whether one holds for all of them is for the caller to try.
 */
export function* matchersFor(member: SeenMember, options: MatcherOptions): Generator<ArgumentMatcher, void> {
  for (const matcher of narrow(member, options)) {
    yield member.everywhere ? matcher : { ...matcher, absent: 'allow' };
  }
  if (member.everywhere) yield { present: true };
}

function* narrow({ path, values }: SeenMember, options: MatcherOptions): Generator<ArgumentMatcher, void> {
  const numbers = values.filter((value) => typeof value === 'number');
  if (numbers.length === values.length) return yield* ofNumbers(path, numbers, options.allowance);
  if (values.every((value) => typeof value === 'boolean')) {
    if (new Set(values).size === 1) yield { one_of: [values[0] as boolean] };
    return;
  }
  const lists = values.map(textsOf);
  if (lists.includes(null)) return;
  const texts = lists as readonly (readonly string[])[];
  const are = (form: RegExp): boolean => texts.some((list) => list.length > 0 && list.every((text) => form.test(text)));
  if (are(/^\s*(?:select|with|values|show|explain|describe)\b/i)) {
    yield { read_only_sql: true, max_length: Math.min(lengthOf(values, options), LONGEST_SQL) };
  }
  if (are(/@/)) yield* ofEntries('domain_in', texts.map(domainsOf), options.allowance);
  if (are(/^https?:\/\//i)) yield* ofEntries('host_in', texts.map(hostsOf), options.allowance);
  if (are(/^\//)) {
    const folders = foldersOf(texts, options.allowance);
    if (folders.length > 0) yield { under: folders };
  }
  if (values.every((value) => typeof value === 'string')) yield* ofNames(path, texts.flat(), options.allowance);
  const length = lengthOf(values, options);
  if (length <= LONGEST_LENGTH) yield { max_length: length };
}

function* ofNumbers(path: string, numbers: readonly number[], allowance: number): Generator<ArgumentMatcher, void> {
  if (isNumberOfOne(path) || isOfPeople(path)) return;
  const sorted = numbers.toSorted((a, b) => a - b);
  const [least, most] = [sorted[0]!, sorted[Math.max(0, sorted.length - 1 - allowance)]!];
  if (Math.max(Math.abs(least), Math.abs(most)) > LARGEST_AMOUNT) return;
  yield { min: least >= 0 ? 0 : -roundedUp(-least), max: roundedUp(most) };
}

function* ofEntries(
  name: 'domain_in' | 'host_in',
  lists: readonly (readonly string[])[],
  allowance: number,
): Generator<ArgumentMatcher, void> {
  const entries = frequent(lists, allowance);
  if (entries.length > 0 && entries.length <= MOST_HOSTS && entries.every(mayBeShown)) yield { [name]: entries };
}

/** A word in lower or in upper case: `pending`, `EUR`. Names of people begin with a capital letter. */
const WORD = /^(?:[a-z][a-z0-9_.-]{0,39}|[A-Z][A-Z0-9_.-]{0,39})$/;

/** A closed set of words, or the same beginning. */
function* ofNames(path: string, texts: readonly string[], allowance: number): Generator<ArgumentMatcher, void> {
  if (isOfPeople(path)) return;
  const single = texts.map((text) => [text]);
  const kept = frequent(single, allowance);
  const often = frequent(single, 0).length * LEAST_OF_VALUE <= texts.length;
  if (often && kept.length <= MOST_VALUES && kept.every((text) => WORD.test(text) && mayBeShown(text))) {
    const rare = kept.some((text) => texts.filter((one) => one === text).length < LEAST_OF_VALUE);
    if (!rare && kept.length > 0) yield { one_of: kept };
  }
  const common = kept.reduce(commonStart, kept[0] ?? '').match(/^[A-Za-z][A-Za-z_.-]*[-_:./]/)?.[0] ?? '';
  if (kept.length > 1 && common.length > 2 && mayBeShown(common) && !/\s/.test(common)) yield { prefix: common };
}

function commonStart(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return one.slice(0, at);
}

/** Characters of the longest text, or elements of the longest list, with headroom. */
function lengthOf(values: readonly JsonValue[], { allowance, headroom }: MatcherOptions): number {
  const lengths = values.map((value) =>
    typeof value === 'string' ? [...value].length : (value as readonly JsonValue[]).length,
  );
  const sorted = lengths.toSorted((a, b) => a - b);
  const most = withHeadroom(sorted[Math.max(0, sorted.length - 1 - allowance)]!, headroom);
  return Math.max(most, values.some(Array.isArray) ? 1 : SHORTEST_LENGTH);
}

/** A text, or the texts of a list; `null` for anything else. */
function textsOf(value: JsonValue): readonly string[] | null {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) && value.every((one): one is string => typeof one === 'string') ? value : null;
}

const domainsOf = (texts: readonly string[]): readonly string[] =>
  texts.flatMap((text) =>
    [...text.toLowerCase().matchAll(/@([a-z0-9-]+(?:\.[a-z0-9-]+)+)/g)].map(([, domain]) => domain!),
  );

/** `URL` also takes a host with `*`, which a list reads as any host, or with quotes, which end a text of `when`. */
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[[0-9a-f:.]+\])$/;

export function hostsOf(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => {
    try {
      const { hostname } = new URL(text);
      return HOST.test(hostname) ? [hostname] : [];
    } catch {
      return [];
    }
  });
}
