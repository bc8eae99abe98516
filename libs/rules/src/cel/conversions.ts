import { duration, int, timestamp } from './arithmetic.js';
import { Fault } from './fault.js';
import type { CelFunction, Run } from './function.js';
import type { Kind, Type } from './syntax.js';
import { Duration, Timestamp } from './values.js';
import type { Value } from './values.js';

const NANOS = 1_000_000_000n;
/** Longer texts are no number, time or span. */
const MAX_LENGTH = 64;

function toInt(value: Value): Value {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') {
    if (!Number.isFinite(value) || Math.abs(value) >= 2 ** 63) return Fault.overflow;
    return int(BigInt(Math.trunc(value)));
  }
  if (typeof value === 'string') return /^-?\d{1,19}$/.test(value) ? int(BigInt(value)) : Fault.notConvertible;
  if (value instanceof Timestamp) return floorDivide(value.nanos, NANOS);
  return Fault.wrongType;
}

const floorDivide = (a: bigint, b: bigint): bigint => a / b - (a % b < 0n ? 1n : 0n);

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

function toDouble(value: Value): Value {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'string') return Fault.wrongType;
  return value.length <= MAX_LENGTH && NUMBER.test(value) ? Number(value) : Fault.notConvertible;
}

function toText(value: Value): Value {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value);
    default:
      return Fault.wrongType;
  }
}

function toBool(value: Value): Value {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return Fault.wrongType;
  if (['1', 't', 'true', 'TRUE', 'True'].includes(value)) return true;
  return ['0', 'f', 'false', 'FALSE', 'False'].includes(value) ? false : Fault.notConvertible;
}

/** RFC 3339, section 5.6. */
const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

/** The time of a text of RFC 3339; a fault for any other, and for a day that the calendar does not have. */
function timestampOf(text: string): Timestamp | Fault {
  const [, seconds, fraction = '', zone] = text.length <= MAX_LENGTH ? (TIME.exec(text) ?? []) : [];
  if (seconds === undefined || zone === undefined) return Fault.notConvertible;
  const local = Date.parse(`${seconds}Z`);
  if (Number.isNaN(local) || new Date(local).toISOString().slice(0, 19) !== seconds) return Fault.notConvertible;
  const offset =
    zone === 'Z' ? 0 : (zone.startsWith('-') ? -1 : 1) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4)));
  return timestamp(BigInt(local - offset * 60_000) * 1_000_000n + BigInt(fraction.padEnd(9, '0')));
}

function toTimestamp(value: Value): Value {
  if (value instanceof Timestamp) return value;
  if (typeof value === 'bigint') return timestamp(value * NANOS);
  return typeof value === 'string' ? timestampOf(value) : Fault.wrongType;
}

const UNITS: Readonly<Record<string, bigint>> = {
  h: 3600n * NANOS,
  m: 60n * NANOS,
  s: NANOS,
  ms: 1_000_000n,
  us: 1000n,
  ns: 1n,
};
const SPAN = /^-?(?:\d{1,15}(?:\.\d{1,9})?(?:h|ms|m|s|us|ns))+$/;

/** `1h30m`, `-1.5s`: numbers with a unit each. */
function toDuration(value: Value): Value {
  if (value instanceof Duration) return value;
  if (typeof value !== 'string') return Fault.wrongType;
  if (value.length > MAX_LENGTH || !SPAN.test(value)) return Fault.notConvertible;
  let nanos = 0n;
  for (const [, whole, fraction = '', unit] of value.matchAll(/(\d+)(?:\.(\d+))?(h|ms|m|s|us|ns)/g)) {
    const size = UNITS[unit!]!;
    nanos += BigInt(whole!) * size + (BigInt(fraction.padEnd(9, '0')) * size) / NANOS;
  }
  return duration(value.startsWith('-') ? -nanos : nanos);
}

function conversion(params: readonly Kind[], result: Type, convert: (value: Value) => Value): CelFunction {
  const run: Run = ([value]) => convert(value);
  return { params: [params], result, form: 'function', cost: 20, compile: () => run };
}

export const conversions: Readonly<Record<string, CelFunction>> = {
  int: conversion(['int', 'double', 'string', 'timestamp'], { kind: 'int' }, toInt),
  double: conversion(['int', 'double', 'string'], { kind: 'double' }, toDouble),
  string: conversion(['int', 'double', 'string', 'bool'], { kind: 'string' }, toText),
  bool: conversion(['string', 'bool'], { kind: 'bool' }, toBool),
  timestamp: conversion(['timestamp', 'string', 'int'], { kind: 'timestamp' }, toTimestamp),
  duration: conversion(['duration', 'string'], { kind: 'duration' }, toDuration),
  dyn: conversion(
    ['int', 'double', 'string', 'bool', 'null', 'timestamp', 'duration', 'list', 'map'],
    { kind: 'dyn' },
    (value) => value,
  ),
};
