import { MOST_WHO_CHARACTERS } from '@countersign/policy-engine';

/** Reports whether a value can name a principal, a session or an actor. */
export function isName(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > 2 * MOST_WHO_CHARACTERS) return false;
  return value.length <= MOST_WHO_CHARACTERS || [...value].length <= MOST_WHO_CHARACTERS;
}
