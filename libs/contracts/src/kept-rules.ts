import type { HeldAmount } from './rule-counts.js';

/*
 * Facts and amounts of an agent as the topic `usage` and policy's store keep them. An agent may have 10,000 facts and
 * windows and 100,000 amounts, and its record is published again whenever it has changed: so amounts are text.
 */

/** A fact: id, key, time (ms) from which it is no longer set. */
export type KeptFact = readonly [id: string, key: string, expiresAtMs: number];

/** Amounts of one key and one window length: key, length in seconds, time (ms) of the newest, {@link packAmounts}. */
export type KeptWindow = readonly [key: string, windowSeconds: number, newestMs: number, amounts: string];

/** An approval that a check asked for: id, binding, time (ms) until which it is decided and used, whether it was used up. */
export type KeptApproval = readonly [id: string, bindingSha256: string, expiresAtMs: number, isConsumed: boolean];

/** Facts that are set, amounts that count and approvals of an agent; expired ones may be among them. */
// A type and not an interface, which has no index signature.
export type KeptRules = {
  readonly facts: readonly KeptFact[];
  readonly windows: readonly KeptWindow[];
  /** Absent: none. */
  readonly approvals?: readonly KeptApproval[];
};

/** An amount of a window. */
export type KeptAmount = Omit<HeldAmount, 'key'>;

const ENTRY = /^([0-9a-z]{1,9}),(-?[0-9a-z]{1,11})(?:,([0-9a-z]{1,11}),([0-9a-z]{1,6}))?$/;
const FIRST: KeptAmount = { atMs: 0, order: 0, amount: { units: 1, nanos: 0 } };

/**
 * Amounts as text: entries separated by spaces, each `time,order` or `time,order,units,nanos`, whole numbers to the
 * base 36. Time and order are differences from the entry before, of the first one from 0. Units and nanos are absent
 * where they are those of the entry before, of the first one where they are 1 and 0.
 * @param amounts in the order of their times, none before 1970
 */
export function packAmounts(amounts: readonly KeptAmount[]): string {
  let last = FIRST;
  const entries = amounts.map((one) => {
    const { units, nanos } = one.amount;
    const isSame = units === last.amount.units && nanos === last.amount.nanos;
    const place = `${(one.atMs - last.atMs).toString(36)},${(one.order - last.order).toString(36)}`;
    last = one;
    return isSame ? place : `${place},${units.toString(36)},${nanos.toString(36)}`;
  });
  return entries.join(' ');
}

/** The amounts of {@link packAmounts}; `null`: the text is none of it. */
export function unpackAmounts(text: string): KeptAmount[] | null {
  const amounts: KeptAmount[] = [];
  let last = FIRST;
  for (const entry of text === '' ? [] : text.split(' ')) {
    const found = ENTRY.exec(entry);
    if (found === null) return null;
    const [, time = '', order = '', units, nanos = ''] = found;
    last = {
      atMs: last.atMs + parseInt(time, 36),
      order: last.order + parseInt(order, 36),
      amount: units === undefined ? last.amount : { units: parseInt(units, 36), nanos: parseInt(nanos, 36) },
    };
    amounts.push(last);
  }
  return amounts;
}
