import type { JsonValue, LeafEvent, MembersOpening, Opening, Openings, ShownMember } from '@countersign/contracts';
import type { Sha256 } from '../crypto.js';
import { isSalt } from '../encoding/base64.js';
import { isHash } from '../encoding/hex.js';
import { canonicalize, memberTexts, quote } from '../json/canonicalize.js';
import { isRecord } from '../reading.js';
import {
  commit,
  COMMITMENT_KINDS,
  commitDigests,
  type CommitmentKind,
  commitV2,
  hasMembers,
  memberDigest,
  memberSalts,
  MOST_MEMBERS,
  textHash,
} from './commitment.js';

const MEMBER_SALT = /^[0-9a-f]{32}$/;

/**
 * `opens-in-part`: the members that are shown are those that were committed; others are withheld. `value-not-kept`: the
 * opening has only its salt, so that only a holder of the value can verify it.
 */
export type OpeningVerdict = 'opens' | 'opens-in-part' | 'wrong' | 'value-not-kept';

/**
 * Reports whether `opening` opens the commitment of this kind in a leaf. A malformed opening never does, nor one of
 * members that of a leaf of version 1.
 */
export function opens(
  leaf: Pick<LeafEvent, 'v' | CommitmentKind>,
  kind: CommitmentKind,
  opening: Opening | MembersOpening,
  sha256: Sha256,
): OpeningVerdict {
  const commitment = leaf[kind] ?? null;
  if (commitment === null) return 'wrong';
  if ('members' in opening) {
    if (leaf.v !== 2 || !isMembersOpening(opening)) return 'wrong';
    if (commitmentOf(kind, opening, sha256) !== commitment) return 'wrong';
    return shownValue(opening).withheld === 0 ? 'opens' : 'opens-in-part';
  }
  if (!isSalt(opening.salt)) return 'wrong';
  if (opening.value === undefined) return 'value-not-kept';
  const committed = leaf.v === 2 ? commitV2 : commit;
  return committed(kind, opening.salt, opening.value, sha256) === commitment ? 'opens' : 'wrong';
}

/**
 * The form of an opening by members: 1 to 32 entries, each a digest or a shown member, at least one of them shown, the
 * names of those shown ascending; neither `salt` nor `value` beside them.
 */
export function isMembersOpening(value: unknown): value is MembersOpening {
  if (!isRecord(value) || Object.hasOwn(value, 'salt') || Object.hasOwn(value, 'value')) return false;
  const { members } = value;
  if (!Array.isArray(members) || members.length > MOST_MEMBERS) return false;
  let last: string | null = null;
  for (const entry of members as readonly unknown[]) {
    if (isHash(entry)) continue;
    if (!isShownMember(entry) || (last !== null && last >= entry.name)) return false;
    last = entry.name;
  }
  return last !== null;
}

function isShownMember(value: unknown): value is ShownMember {
  if (!isRecord(value) || !Object.hasOwn(value, 'value')) return false;
  const { name, salt } = value;
  return typeof name === 'string' && typeof salt === 'string' && MEMBER_SALT.test(salt);
}

function commitmentOf(kind: CommitmentKind, { members }: MembersOpening, sha256: Sha256): string {
  const hash = textHash(sha256);
  const digests = members.map((entry) => {
    if (typeof entry === 'string') return entry;
    const { name, salt, value } = entry;
    return memberDigest(kind, { name: quote(name), value: canonicalize(value) }, salt, hash);
  });
  return commitDigests(kind, digests, hash);
}

/**
 * Opens some members of a value that a leaf of version 2 commits, and withholds the others.
 * @param names of the members to show, at least one that `value` has; others are ignored
 * @throws RangeError where `value` is not committed member by member, or has none of these members
 */
export function discloseMembers(
  kind: CommitmentKind,
  salt: string,
  value: JsonValue,
  names: ReadonlySet<string>,
  sha256: Sha256,
): MembersOpening {
  if (!hasMembers(value)) throw new RangeError('only an object with 1 to 32 members is committed member by member');
  const hash = textHash(sha256);
  const keys = Object.keys(value).sort();
  const salts = memberSalts(kind, salt, keys.length, hash);
  const texts = memberTexts(value);
  const members = keys.map((name, i) =>
    names.has(name)
      ? { name, salt: salts[i]!, value: value[name] as JsonValue }
      : memberDigest(kind, texts[i]!, salts[i]!, hash),
  );
  if (members.every((entry) => typeof entry === 'string')) throw new RangeError('at least one member must be shown');
  return { members };
}

/** Reports whether any commitment of an event is opened, be it by its salt alone. */
export function opensAnything(openings: Openings): boolean {
  return COMMITMENT_KINDS.some((kind) => openings[kind] !== undefined);
}

/** The part of a committed value that an opening shows. */
export interface ShownValue {
  /** `undefined` where nothing is shown; the members that are shown where others are withheld. */
  readonly value: JsonValue | undefined;
  /** Number of members that are withheld. */
  readonly withheld: number;
}

/** The value of an opening of either form. */
export function shownValue(opening: Opening | MembersOpening | undefined): ShownValue {
  if (opening === undefined) return { value: undefined, withheld: 0 };
  if (!('members' in opening)) return { value: opening.value, withheld: 0 };
  const shown = opening.members.filter((entry) => typeof entry !== 'string');
  // fromEntries defines members, so that one named __proto__ is a member as well.
  const value = Object.fromEntries(shown.map(({ name, value }) => [name, value]));
  return { value, withheld: opening.members.length - shown.length };
}
