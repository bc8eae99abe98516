import { compilePattern } from '../host/pattern.js';
import { contains } from './contains.js';
import { Fault } from './fault.js';
import type { Fuel } from './fault.js';
import type { CelFunction, Run } from './function.js';
import { keysOf, Timestamp } from './values.js';
import type { Value } from './values.js';

const BOOL = { kind: 'bool' } as const;
const INT = { kind: 'int' } as const;

/** The number of code points of a text, elements of a list, or members of an object. */
function size(value: Value, fuel: Fuel): Value {
  if (typeof value === 'string') return fuel.characters(value.length) ? BigInt(codePoints(value)) : Fault.textTooLong;
  if (Array.isArray(value)) return BigInt(value.length);
  const keys = keysOf(value);
  if (keys instanceof Fault) return keys;
  return fuel.elements(keys.length) ? BigInt(keys.length) : Fault.tooCostly;
}

function codePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at + 1 < text.length; at += 1) {
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      count -= 1;
      at += 1;
    }
  }
  return count;
}

/** A test of two texts. @param lengthOf number of characters that it reads */
function onTexts(
  cost: number,
  lengthOf: (text: string, part: string) => number,
  test: (text: string, part: string) => boolean,
): CelFunction {
  const run: Run = ([text, part], { fuel }) => {
    if (typeof text !== 'string' || typeof part !== 'string') return Fault.wrongType;
    return fuel.searched(lengthOf(text, part)) ? test(text, part) : Fault.textTooLong;
  };
  return { params: [['string'], ['string']], result: BOOL, form: 'method', cost, compile: () => run };
}

const lengthOfPart = (_text: string, part: string): number => part.length;

function ofTimestamp(read: (date: Date) => number): CelFunction {
  const run: Run = ([time]) => {
    if (!(time instanceof Timestamp)) return Fault.wrongType;
    const { nanos } = time;
    const millis = nanos >= 0n ? nanos / 1_000_000n : -((999_999n - nanos) / 1_000_000n);
    return BigInt(read(new Date(Number(millis))));
  };
  return { params: [['timestamp']], result: INT, form: 'method', cost: 20, compile: () => run };
}

const dayOfYear = (date: Date): number =>
  Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000);

/** Functions of CEL's standard library; times are read in UTC. */
export const standardFunctions: Readonly<Record<string, CelFunction>> = {
  size: {
    params: [['string', 'list', 'map']],
    result: INT,
    form: 'either',
    cost: 10,
    compile:
      () =>
      ([value], { fuel }) =>
        size(value, fuel),
  },
  startsWith: onTexts(5, lengthOfPart, (text, part) => text.startsWith(part)),
  endsWith: onTexts(5, lengthOfPart, (text, part) => text.endsWith(part)),
  contains: onTexts(20, (text, part) => text.length + part.length, contains),
  matches: {
    params: [['string'], ['string']],
    result: BOOL,
    form: 'either',
    literals: [1],
    cost: 60,
    compile: (literals) => {
      const matches = compilePattern(literals[1] as string);
      return ([text], { fuel }) => {
        if (typeof text !== 'string') return Fault.wrongType;
        return fuel.characters(text.length) ? matches(text) : Fault.textTooLong;
      };
    },
  },
  getFullYear: ofTimestamp((date) => date.getUTCFullYear()),
  getMonth: ofTimestamp((date) => date.getUTCMonth()),
  getDate: ofTimestamp((date) => date.getUTCDate()),
  getDayOfMonth: ofTimestamp((date) => date.getUTCDate() - 1),
  getDayOfWeek: ofTimestamp((date) => date.getUTCDay()),
  getDayOfYear: ofTimestamp(dayOfYear),
  getHours: ofTimestamp((date) => date.getUTCHours()),
  getMinutes: ofTimestamp((date) => date.getUTCMinutes()),
  getSeconds: ofTimestamp((date) => date.getUTCSeconds()),
  getMilliseconds: ofTimestamp((date) => date.getUTCMilliseconds()),
};
