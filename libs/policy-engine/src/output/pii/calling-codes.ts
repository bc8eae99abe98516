import metadata from 'libphonenumber-js/metadata.min.json';

/** The part of a country's plan that is used, at its index in the library's metadata. */
interface Plan {
  readonly 3: readonly number[];
  readonly 5?: string | 0;
  readonly 7?: string | 0;
  readonly 8?: string | 0;
}

/** The numbers of one calling code. */
interface Numbers {
  /** Possible numbers of digits, in any of its countries. */
  readonly lengths: ReadonlySet<number>;
  /** Trunk prefix: dialled before them within the country, and often written anyway. */
  readonly trunk: RegExp | null;
  /** Replacement for a number whose trunk prefix contains a part of it. */
  readonly rewritten: string | null;
}

const LONGEST_CODE = 3;

/** By calling code. The first of its countries has the plan by which trunk prefixes are removed. */
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
 * Reports whether digits that begin with a calling code can be a phone number: all that libphonenumber calls possible
 * are, by the same metadata. The library itself takes more than ten microseconds a number, too much for texts full of
 * numbers.
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
