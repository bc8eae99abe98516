import { int } from '../cel/arithmetic.js';
import { Fault, MAX_ELEMENTS } from '../cel/fault.js';
import type { CelFunction, Run } from '../cel/function.js';
import { isInexact, Timestamp } from '../cel/values.js';
import type { Value } from '../cel/values.js';
import { nanosOf } from './decimal.js';
import { compileDomainIn } from './domain-in.js';
import { compileHours } from './hours.js';
import { lower, words } from './lower.js';
import { readsOnly } from './read-only-sql.js';
import { RecentResults } from './recent-results.js';
import { sqlParser } from './sql-parser.js';
import { compileUnder } from './under.js';

const BOOL = { kind: 'bool' } as const;
const TEXT = { kind: 'string' } as const;

/** A text, or a list of texts. */
function textsOf(value: Value): readonly string[] | Fault {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return Fault.wrongType;
  if (value.length > MAX_ELEMENTS) return Fault.tooManyElements;
  return value.every((one): one is string => typeof one === 'string') ? value : Fault.wrongType;
}

/** The entries of a literal: one text, or a list that is not empty. */
function entriesOf(value: Value): readonly string[] {
  const entries = textsOf(value);
  if (entries instanceof Fault || entries.length === 0) throw new RangeError('needs a list of one or more texts');
  return entries;
}

/** A function on a text, or on all of a list of texts, with a list of literals. */
function ofTexts(
  cost: number,
  compile: (
    entries: readonly string[],
    ports: Parameters<CelFunction['compile']>[1],
  ) => (texts: readonly string[]) => boolean,
): CelFunction {
  return {
    params: [
      ['string', 'list'],
      ['string', 'list'],
    ],
    result: BOOL,
    form: 'function',
    literals: [1],
    cost,
    compile: (literals, ports) => {
      const test = compile(entriesOf(literals[1]), ports);
      return ([value], { fuel }) => {
        const texts = textsOf(value);
        if (texts instanceof Fault) return texts;
        for (const text of texts) if (!fuel.characters(text.length + 32)) return Fault.textTooLong;
        return test(texts);
      };
    },
  };
}

const ofText = (result: CelFunction['result'], cost: number, prepare: () => (text: string) => Value): CelFunction => ({
  params: [['string']],
  result,
  form: 'function',
  cost,
  compile: () => {
    const run = prepare();
    return ([text], { fuel }) => {
      if (typeof text !== 'string') return Fault.wrongType;
      return fuel.characters(text.length) ? run(text) : Fault.textTooLong;
    };
  },
});

/** Statements that agents repeat are parsed once: parsing takes 20 µs and more. At most 8 MiB, for all rules of a process. */
const statements = new RecentResults(8192, 4 * 1024 * 1024);

function decimal(value: Value): Value {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return Fault.wrongType;
  if (isInexact(value)) return Fault.numberTooLarge;
  const nanos = nanosOf(value);
  return nanos === null ? Fault.notConvertible : int(nanos);
}

function hours(zone: string, isInside: (localSeconds: number) => boolean): Run {
  return ([time], { offsets }) => {
    if (!(time instanceof Timestamp)) return Fault.wrongType;
    const offset = Object.hasOwn(offsets, zone) ? offsets[zone] : undefined;
    if (offset === undefined) return Fault.zoneUnknown;
    return isInside(Math.floor(Number(time.nanos) / 1e9) + offset * 60);
  };
}

/**
 * Functions that the dialect adds to CEL, with `matches`: their meaning is in the vectors of this package. None reads a
 * clock, a network or the host's time zone.
 */
export const hostFunctions: Readonly<Record<string, CelFunction>> = {
  under: ofTexts(50, (folders) => {
    const isUnder = compileUnder(folders);
    return (paths) => paths.length > 0 && paths.every(isUnder);
  }),
  host_in: ofTexts(90, (entries, ports) => {
    const areAt = ports.hosts(entries);
    return (addresses) => addresses.length > 0 && areAt(addresses);
  }),
  domain_in: ofTexts(90, compileDomainIn),
  read_only_sql: ofText(BOOL, 2000, () => {
    const parse = sqlParser();
    return statements.keeping((sql) => readsOnly(sql, parse));
  }),
  hours: {
    params: [['timestamp'], ['string'], ['string'], ['string']],
    result: BOOL,
    form: 'function',
    literals: [1, 2, 3],
    cost: 20,
    compile: ([, zone, days, times]) => {
      if (typeof zone !== 'string' || typeof days !== 'string' || typeof times !== 'string') {
        throw new RangeError('needs texts: a zone, days and times');
      }
      return hours(zone, compileHours(days, times));
    },
  },
  decimal: {
    params: [['string', 'double', 'int']],
    result: { kind: 'int' },
    form: 'function',
    cost: 50,
    compile:
      () =>
      ([value]) =>
        decimal(value),
  },
  lower: ofText(TEXT, 30, () => lower),
  words: ofText({ kind: 'list', item: TEXT }, 80, () => (text) => words(text, MAX_ELEMENTS) ?? Fault.tooManyElements),
};
