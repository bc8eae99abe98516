import type { JsonValue } from '@countersign/contracts';
import { canonicalize, hasMembers, joinMembers, memberTexts } from '@countersign/evidence';
import type { MemberText } from '@countersign/evidence';

/** A value that an event commits, with its RFC 8785 form. */
export interface Committed {
  readonly value: JsonValue;
  readonly canonical: string;
  /** The members, where the value is committed member by member; otherwise `null`. */
  readonly members: readonly MemberText[] | null;
}

/** @throws NotCanonical */
export function committed(value: JsonValue): Committed {
  if (!isObject(value) || !hasMembers(value)) return { value, canonical: canonicalize(value), members: null };
  const members = memberTexts(value);
  return { value, canonical: joinMembers(members), members };
}

function isObject(value: JsonValue): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null;
}
