import { keysOf } from '../port.js';
import type { Collection, Keys, KeyValue, Query, Range, Where } from '../port.js';

const COMPARISONS = { above: '$gt', from: '$gte', below: '$lt', oneOf: '$in', noneOf: '$nin' } as const;

/** @param after ids above this one alone */
export function filterOf(where: Where<Keys> = {}, after?: string): Readonly<Record<string, unknown>> {
  const conditions = Object.entries(where).map(([key, wanted]) => [`keys.${key}`, conditionOf(wanted)] as const);
  return { ...Object.fromEntries(conditions), ...(after === undefined ? {} : { _id: { $gt: after } }) };
}

export function sortOf({ by, descending = false }: Pick<Query<Keys>, 'by' | 'descending'>): Record<string, 1 | -1> {
  const direction = descending ? -1 : 1;
  const keys = keysOf(by).map((key) => [`keys.${key}`, direction] as const);
  return { ...Object.fromEntries(keys), inserted: direction };
}

/** Without those that are `null`: a sparse index holds the others alone. */
export function keysDocument<B extends object, K extends Keys>(
  collection: Collection<B, K>,
  body: B,
  id: string,
): Record<string, KeyValue> {
  return Object.fromEntries(Object.entries(collection.keysOf(body, id)).filter(([, value]) => value !== null));
}

function conditionOf(wanted: KeyValue | Range | undefined): unknown {
  if (wanted === undefined) throw new Error('a key has no value: give null');
  if (wanted === null) return { $exists: false };
  if (typeof wanted !== 'object') return wanted;
  const { contains, ...compared } = wanted;
  const conditions = Object.entries(compared).map(
    ([comparison, limit]) => [COMPARISONS[comparison as keyof typeof compared], limit] as const,
  );
  return {
    ...Object.fromEntries(conditions),
    ...(wanted.noneOf === undefined ? {} : { $exists: true }),
    ...(contains === undefined ? {} : { $regex: patternOf(contains) }),
  };
}

/** A pattern that matches exactly this text. BSON takes no pattern with the character U+0000. */
function patternOf(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&').replaceAll('\0', '\\x00');
}
