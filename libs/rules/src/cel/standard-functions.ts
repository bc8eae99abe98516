import { Fault, MAX_TEXT } from './fault.js';
import type { CelFunction, Run } from './function.js';
import { keysOf, Timestamp } from './values.js';
import type { Value } from './values.js';
import { compilePattern } from '../host/pattern.js';

const BOOL = { kind: 'bool' } as const;
const INT = { kind: 'int' } as const;

/** The number of code points of a text, elements of a list, or members of an object. */
function size(value: Value): Value {
  if (typeof value === 'string') return value.length > MAX_TEXT ? Fault.textTooLong : BigInt(codePoints(value));
  if (Array.isArray(value)) return BigInt(value.length);
  const keys = keysOf(value);
  return keys instanceof Fault ? keys : BigInt(keys.length);
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

function onTexts(test: (text: string, part: string) => boolean): CelFunction {
  const run: Run = ([text, part]) =>
    typeof text === 'string' && typeof part === 'string' ? test(text, part) : Fault.wrongType;
  return { params: [['string'], ['string']], result: BOOL, form: 'method', cost: 5, compile: () => run };
}

const MAX_SEARCHED = 1_048_576;

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
      ([value]) =>
        size(value),
  },
  startsWith: onTexts((text, part) => text.startsWith(part)),
  endsWith: onTexts((text, part) => text.endsWith(part)),
  contains: {
    params: [['string'], ['string']],
    result: BOOL,
    form: 'method',
    cost: 20,
    compile:
      () =>
      ([text, part]) => {
        if (typeof text !== 'string' || typeof part !== 'string') return Fault.wrongType;
        return text.length > MAX_SEARCHED ? Fault.textTooLong : text.includes(part);
      },
  },
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
