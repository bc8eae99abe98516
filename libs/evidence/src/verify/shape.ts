import { isSalt } from '../encoding/base64.js';
import { isHash } from '../encoding/hex.js';
import { isInstant } from '../encoding/time.js';
import { isUuid, isUuidV7 } from '../encoding/uuid.js';
import { isRecord, isWhole } from '../reading.js';

/** A malformed value; `path` is relative to the value that was checked. */
export interface Fault {
  readonly path: string;
  /** Completes "must be …". */
  readonly form: string;
}

/** The first fault of a value, `null` for none. */
export type Shape = (value: unknown) => Fault | null;

export function where(test: (value: unknown) => boolean, form: string): Shape {
  const fault = { path: '', form };
  return (value) => (test(value) ? null : fault);
}

export const anything: Shape = () => null;
export const text = where((value) => typeof value === 'string', 'a string');
export const name = where((value) => typeof value === 'string' && value !== '', 'a string that is not empty');
export const hash = where(isHash, '64 lower-case hex digits');
export const instant = where(isInstant, 'an instant in ISO 8601 UTC with milliseconds');
export const uuid = where(isUuid, 'a UUID in lower case');
export const uuidV7 = where(isUuidV7, 'a UUID v7 in lower case');
export const salt = where(isSalt, '16 bytes in base64url without padding');
export const count = where((value) => isWhole(value, 0), 'a whole number from 0');
export const positive = where((value) => isWhole(value, 1), 'a whole number from 1');
/** A Solana address or transaction signature. */
export const base58 = where(
  (value) => typeof value === 'string' && /^[1-9A-HJ-NP-Za-km-z]{1,128}$/.test(value),
  'base58',
);

export function oneOf(...values: readonly (string | boolean)[]): Shape {
  return where(
    (value) => values.includes(value as string),
    values.length === 1
      ? JSON.stringify(values[0])
      : `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`,
  );
}

export function nullable(shape: Shape): Shape {
  return (value) => {
    if (value === null) return null;
    const fault = shape(value);
    return fault === null
      ? null
      : { path: fault.path, form: fault.path === '' ? `${fault.form}, or null` : fault.form };
  };
}

export function list(shape: Shape): Shape {
  return (value) => {
    if (!Array.isArray(value)) return { path: '', form: 'an array' };
    for (let i = 0; i < value.length; i += 1) {
      const fault = shape(value[i]);
      if (fault !== null) return { path: `[${i}]${fault.path}`, form: fault.form };
    }
    return null;
  };
}

/** Unknown members are allowed: the signature covers them. */
export function object(
  required: Readonly<Record<string, Shape>>,
  optional: Readonly<Record<string, Shape>> = {},
): Shape {
  const needed = Object.entries(required);
  const allowed = Object.entries(optional);
  return (value) => {
    if (!isRecord(value)) return { path: '', form: 'an object' };
    for (const [key, shape] of needed) {
      if (!Object.hasOwn(value, key)) return { path: `.${key}`, form: 'there' };
      const fault = shape(value[key]);
      if (fault !== null) return { path: `.${key}${fault.path}`, form: fault.form };
    }
    for (const [key, shape] of allowed) {
      if (!Object.hasOwn(value, key)) continue;
      const fault = shape(value[key]);
      if (fault !== null) return { path: `.${key}${fault.path}`, form: fault.form };
    }
    return null;
  };
}

/** As {@link object}, without unknown members. */
export function exactly(required: Readonly<Record<string, Shape>>): Shape {
  const known = where(
    (value) => Object.keys(value as object).every((key) => Object.hasOwn(required, key)),
    `an object of ${Object.keys(required).join(', ')} alone`,
  );
  return both(object(required), known);
}

export function recordOf(shape: Shape): Shape {
  return (value) => {
    if (!isRecord(value)) return { path: '', form: 'an object' };
    for (const key of Object.keys(value)) {
      const fault = shape(value[key]);
      if (fault !== null) return { path: `[${JSON.stringify(key)}]${fault.path}`, form: fault.form };
    }
    return null;
  };
}

export function both(first: Shape, second: Shape): Shape {
  return (value) => first(value) ?? second(value);
}
