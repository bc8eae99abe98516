import { addressOf, fold, memberMeant, MEMBERS, unreadMembers } from './members.js';
import type { RuledMember } from './members.js';

/** Whether a member of this name holds the address of a call: `url` in any spelling, `host`, `target` and their like. */
export function holdsAddress(name: string): boolean {
  return memberMeant(name) === 'url' || addressOf(unreadMembers({ [name]: null })) !== null;
}

/** Whether a member of this name can mean nothing else than what a rule of `member` reads, in any spelling. */
export function surelyMeans(name: string, member: RuledMember): boolean {
  return MEMBERS[member].same.includes(fold(name));
}
