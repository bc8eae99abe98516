import { addressOf, fold, memberMeant, MEMBERS, unreadMembers } from './members.js';
import type { RuledMember } from './members.js';

/**
 * Reports whether a member of this name holds the address of a call: `url` in any spelling, `host`, `target` and the
 * like.
 */
export function holdsAddress(name: string): boolean {
  return memberMeant(name) === 'url' || addressOf(unreadMembers({ [name]: null })) !== null;
}

/** Reports whether a member of this name, in any spelling, can mean nothing else than what a rule of `member` reads. */
export function surelyMeans(name: string, member: RuledMember): boolean {
  return MEMBERS[member].same.includes(fold(name));
}
