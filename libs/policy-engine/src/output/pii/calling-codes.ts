import metadata from 'libphonenumber-js/metadata.min.json';

/** What of a country's plan is looked at, at its place in the library's metadata. */
interface Plan {
  readonly 3: readonly number[];
  readonly 5?: string | 0;
  readonly 7?: string | 0;
  readonly 8?: string | 0;
}

/** The numbers behind one calling code. */
interface Numbers {
  /** Digits that they may have, in any of its countries. */
  readonly lengths: ReadonlySet<number>;
  /** What is dialled before them at home, and all the same often written. */
  readonly trunk: RegExp | null;
  /** What a number becomes whose trunk prefix holds a part of it. */
  readonly rewritten: string | null;
}

const LONGEST_CODE = 3;

/** By calling code. The first of its countries has the plan by which trunk prefixes are taken off. */
const NUMBERS: ReadonlyMap<string, Numbers> = new Map([
  ...Object.entries(metadata.country_calling_codes).map(
    ([code, countries]) => [code, numbersOf(countries.map((country) => plan(metadata.countries[country])))] as const,
  ),
  ...Object.entries(metadata.nonGeographic).map(([code, only]) => [code, numbersOf([plan(only)])] as const),
]);

function plan(entry: unknown): Plan {
  return entry as Plan;
}

function numbersOf(plans: readonly Plan[]): Numbers {
  const main = plans[0]!;
  const trunk = text(main[7]) ?? text(main[5]);
  return {
    lengths: new Set(plans.flatMap((one) => one[3])),
    trunk: trunk === null ? null : new RegExp(`^(?:${trunk})`),
    rewritten: text(main[8]),
  };
}

function text(value: string | 0 | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/**
 * Whether digits that begin with a calling code can be a phone number: whatever libphonenumber calls possible is, by the
 * same metadata. The library itself takes more than ten microseconds a number, which texts of nothing else would show.
 */
export function isPossibleNumber(digits: string): boolean {
  for (let length = 1; length <= LONGEST_CODE; length += 1) {
    const numbers = NUMBERS.get(digits.slice(0, length));
    if (numbers !== undefined) return isNumber(numbers, digits.slice(length));
  }
  return false;
}

function isNumber({ lengths, trunk, rewritten }: Numbers, national: string): boolean {
  if (lengths.has(national.length)) return true;
  const match = trunk?.exec(national) ?? null;
  if (match === null) return false;
  const holdsPart = match.length > 1 && match[match.length - 1] !== undefined;
  if (holdsPart && rewritten !== null) return lengths.has(national.replace(trunk!, rewritten).length);
  return lengths.has(national.length - match[0].length);
}
