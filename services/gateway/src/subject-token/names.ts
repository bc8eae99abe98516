import { isWellFormed } from '@countersign/evidence';
import { MOST_WHO_CHARACTERS } from '@countersign/policy-engine';

/** Reports whether a value can name a principal, a session or an actor. */
export function isName(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > 2 * MOST_WHO_CHARACTERS) return false;
  if (value.length > MOST_WHO_CHARACTERS && [...value].length > MOST_WHO_CHARACTERS) return false;
  // Text with half a surrogate pair has no UTF-8, so that it could not be committed.
  return isWellFormed(value);
}
