import { MOST_UNITS, NANOS_OF_UNIT as UNIT } from '@countersign/contracts';
import type { Amount } from '@countersign/contracts';

export { amountOfNanos, MOST_UNITS, NANOS_OF_UNIT as UNIT } from '@countersign/contracts';
export type { Amount };

export const NOTHING: Amount = { units: 0, nanos: 0 };

const DECIMAL = /^(\d+)(?:\.(\d{1,9}))?$/;

/**
 * Reads a decimal such as `500`, `0.25` or `12.000000001`. `null`: it is negative, is written in another way, has more
 * than nine places, or exceeds {@link MOST_UNITS}. Policies with such a maximum are refused when they are saved, and
 * such an amount of an action cannot be counted.
 */
export function parseAmount(text: string): Amount | null {
  const found = DECIMAL.exec(text);
  if (found === null) return null;
  const units = Number(found[1]);
  return units > MOST_UNITS ? null : { units, nanos: Number((found[2] ?? '').padEnd(9, '0')) };
}

/** The shortest decimal of an amount: `12.5`. */
export function amountText({ units, nanos }: Amount): string {
  return nanos === 0 ? `${units}` : `${units}.${`${nanos}`.padStart(9, '0').replace(/0+$/, '')}`;
}

export function isNothing({ units, nanos }: Amount): boolean {
  return units === 0 && nanos === 0;
}

/** An amount less another; nothing where the other is as much or more. */
export function minus(one: Amount, other: Amount): Amount {
  if (!exceeds(one, NOTHING, other)) return NOTHING;
  const borrowed = one.nanos < other.nanos ? 1 : 0;
  return { units: one.units - other.units - borrowed, nanos: one.nanos - other.nanos + borrowed * UNIT };
}

/** Reports whether two amounts together are more than a third. */
export function exceeds(one: Amount, other: Amount, most: Amount): boolean {
  const nanos = one.nanos + other.nanos;
  const carried = nanos >= UNIT ? 1 : 0;
  const units = one.units + other.units + carried;
  return units > most.units || (units === most.units && nanos - carried * UNIT > most.nanos);
}
