import { Fault, MAX_ELEMENTS, MAX_TEXT } from './fault.js';
import type { ArithmeticOp } from './syntax.js';
import { Duration, Timestamp } from './values.js';
import type { Value } from './values.js';

const MAX_INT = 2n ** 63n - 1n;
const MIN_INT = -(2n ** 63n);
/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59.999999999Z, the bounds of `google.protobuf.Timestamp`. */
const FIRST_NANOS = -62_135_596_800n * 1_000_000_000n;
const LAST_NANOS = 253_402_300_800n * 1_000_000_000n - 1n;

/** An integer of 64 bits, or a fault. */
export function int(value: bigint): bigint | Fault {
  return value > MAX_INT || value < MIN_INT ? Fault.overflow : value;
}

/** A time, or a fault. */
export function timestamp(nanos: bigint): Timestamp | Fault {
  return nanos < FIRST_NANOS || nanos > LAST_NANOS ? Fault.overflow : new Timestamp(nanos);
}

/** A span of time, in nanoseconds of 64 bits (292 years), or a fault. */
export function duration(nanos: bigint): Duration | Fault {
  return int(nanos) instanceof Fault ? Fault.overflow : new Duration(nanos);
}

/** Operators on two values of one kind, on times, and concatenation of strings and lists (CEL, "List of Standard Definitions"). */
export function arithmetic(sign: ArithmeticOp, a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') return ofDoubles(sign, a, b);
  if (typeof a === 'bigint' && typeof b === 'bigint') return ofInts(sign, a, b);
  if (a instanceof Fault) return a;
  if (b instanceof Fault) return b;
  if (sign === '+') return sum(a, b);
  return sign === '-' ? difference(a, b) : Fault.wrongType;
}

function ofDoubles(sign: ArithmeticOp, a: number, b: number): number | Fault {
  switch (sign) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '%':
      return Fault.wrongType;
  }
}

function ofInts(sign: ArithmeticOp, a: bigint, b: bigint): bigint | Fault {
  switch (sign) {
    case '+':
      return int(a + b);
    case '-':
      return int(a - b);
    case '*':
      return int(a * b);
    case '/':
      return b === 0n ? Fault.divisionByZero : int(a / b);
    case '%':
      return b === 0n ? Fault.divisionByZero : int(a % b);
  }
}

function sum(a: Value, b: Value): Value {
  if (typeof a === 'string' && typeof b === 'string') {
    return a.length + b.length > MAX_TEXT ? Fault.textTooLong : a + b;
  }
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length + b.length > MAX_ELEMENTS ? Fault.tooManyElements : [...(a as Value[]), ...(b as Value[])];
  }
  if (b instanceof Duration) {
    if (a instanceof Timestamp) return timestamp(a.nanos + b.nanos);
    if (a instanceof Duration) return duration(a.nanos + b.nanos);
  }
  if (a instanceof Duration && b instanceof Timestamp) return timestamp(a.nanos + b.nanos);
  return Fault.wrongType;
}

function difference(a: Value, b: Value): Value {
  if (a instanceof Timestamp && b instanceof Timestamp) return duration(a.nanos - b.nanos);
  if (!(b instanceof Duration)) return Fault.wrongType;
  if (a instanceof Timestamp) return timestamp(a.nanos - b.nanos);
  return a instanceof Duration ? duration(a.nanos - b.nanos) : Fault.wrongType;
}
