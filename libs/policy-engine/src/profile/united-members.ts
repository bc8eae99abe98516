import type { BehaviorProfile, RuleMember } from '@countersign/contracts';
import { renameFacts } from '@countersign/rules';
import { sameJson } from '../judge/same-json.js';
import type { RulePatch } from './profile-fields.js';

type Conditional = Pick<BehaviorProfile, 'rules' | 'facts' | 'limits'>;

/** The lists that a merge changes. */
type United = { -readonly [K in keyof Conditional]?: NonNullable<Conditional[K]> };

interface Member {
  readonly id: string;
}

/**
 * Rules, facts and limits of two profiles together (decision record 0049): rules and limits only deny, so that all of
 * them deny whatever either denies. One that both have alike is there once; another one of the same id is added as
 * `<id>-2`. A fact of the same id that is set otherwise is added as `<id>_2`, and the rules that came with it read it.
 */
export function unitedMembers(ours: Conditional, theirs: RulePatch): United {
  const united: United = {};
  const renamed = new Map<string, string>();
  if (theirs.facts) united.facts = unite(ours.facts ?? [], theirs.facts, '_', renamed);
  if (theirs.rules) {
    const rules = theirs.rules.map((rule) => readingRenamed(rule, renamed));
    united.rules = unite(ours.rules ?? [], rules, '-', new Map());
  }
  if (theirs.limits) united.limits = unite(ours.limits ?? [], theirs.limits, '-', new Map());
  return united;
}

function unite<T extends Member>(
  ours: readonly T[],
  theirs: readonly T[],
  separator: string,
  renamed: Map<string, string>,
): readonly T[] {
  const united = [...ours];
  for (const one of theirs) {
    const { id, isThere } = placeOf(united, one, separator);
    if (id !== one.id) renamed.set(one.id, id);
    if (!isThere) united.push({ ...one, id });
  }
  return united;
}

/** The id under which a member is, or is to be added. */
function placeOf<T extends Member>(
  united: readonly T[],
  one: T,
  separator: string,
): { readonly id: string; readonly isThere: boolean } {
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? one.id : `${one.id}${separator}${number}`;
    const other = united.find((each) => each.id === id);
    if (other === undefined) return { id, isThere: false };
    if (sameJson(other, { ...one, id })) return { id, isThere: true };
  }
}

const OF_FACTS = 'facts.';

function readingRenamed(rule: RuleMember, renamed: ReadonlyMap<string, string>): RuleMember {
  const { when, missing } = rule;
  if (renamed.size === 0) return rule;
  return {
    ...rule,
    ...(when === undefined ? {} : { when: renameFacts(when, renamed) }),
    ...(missing === undefined ? {} : { missing: missing.map((one) => factRenamed(one, renamed)) }),
  };
}

/** Words about a fact, where they are its name alone: `facts.kyc_done`. */
function factRenamed(words: string, renamed: ReadonlyMap<string, string>): string {
  const id = words.startsWith(OF_FACTS) ? renamed.get(words.slice(OF_FACTS.length)) : undefined;
  return id === undefined ? words : OF_FACTS + id;
}
