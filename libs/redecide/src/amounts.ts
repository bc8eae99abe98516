import type { Amount } from '@countersign/contracts';

const UNIT = 1_000_000_000n;

/** In units of 10^-9. */
export function nanosOf({ units, nanos }: Amount): bigint {
  return BigInt(units) * UNIT + BigInt(nanos);
}

/** @param text a decimal of at most nine places */
export function nanosOfText(text: string): bigint {
  const [units = '0', places = ''] = text.split('.');
  return BigInt(units) * UNIT + BigInt(places.padEnd(9, '0'));
}

/** The shortest decimal of an amount in units of 10^-9. */
export function textOfNanos(nanos: bigint): string {
  const places = (nanos % UNIT).toString().padStart(9, '0').replace(/0+$/, '');
  return places === '' ? `${nanos / UNIT}` : `${nanos / UNIT}.${places}`;
}

/** Whole micro-dollars as dollars, without trailing zeros. */
export function dollars(micros: number): string {
  return textOfNanos(BigInt(micros) * 1000n);
}
