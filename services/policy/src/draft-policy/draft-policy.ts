import type { BehaviorProfile, LimitMember, RuleMember } from '@countersign/contracts';
import { MAX_LIMITS, MAX_RULES } from '@countersign/contracts';
import { applyProfilePatch, conditionalProblem, emptyProfile } from '@countersign/policy-engine';
import type { RulePatch } from '@countersign/policy-engine';
import { replayChecks } from '../dry-run/replay-checks.js';
import type { RecordedCheck } from '../dry-run/replay-checks.js';
import type { Tallied } from '../dry-run/flips.js';
import { draftFindings } from '../policy-file/draft-findings.js';
import { groupsOf, hostRules, idOf, rulesOf } from './draft-rules.js';
import { customerLimit, rateOf, sessionLimit, sumLimit } from './limits.js';
import type { SeenLimit } from './limits.js';
import { patchOf, seenLists } from './lists.js';
import { refusalOf } from './refusal.js';
import { seenChecks } from './seen-check.js';
import type { Readable, SeenCheck } from './seen-check.js';
import { deniedBy } from './try-patch.js';

export interface DraftOptions {
  /** Share of the checks, the newest, on which the draft does not rest. */
  readonly holdout: number;
  /** Largest share of the checks on which the draft rests that it may deny. */
  readonly denyAtMost: number;
  /** Factor of the largest count, sum or length that was seen. */
  readonly headroom: number;
  /** Fewest checks on which the draft, and each rule, rests. */
  readonly least: number;
  /** A draft without rules on arguments is wanted where none were kept. */
  readonly withoutArguments: boolean;
}

/** A field, rule or limit that was drafted, and on how many checks it rests. */
export interface Drafted {
  /** `rules:<id>`, `limits:<id>`, or the field: `allowed_actions`. */
  readonly place: string;
  readonly patch: RulePatch;
  readonly checks: number;
  /** Largest balance of a limit or rate; `null` for other rules. */
  readonly peak: number | null;
}

export interface PolicyDraft {
  /** Fields of the profile: those in force, with what was drafted. */
  readonly profile: RulePatch;
  readonly drafted: readonly Drafted[];
  /** Fields, rules and limits that were not drafted, with the reason. */
  readonly leftOut: readonly { readonly what: string; readonly why: string }[];
  readonly readable: Readable;
  /** Allowed checks on which the draft rests. */
  readonly rests: number;
  /** Checks that the draft would decide differently, of those on which it rests, and of those that were held out. */
  readonly replay: { readonly before: Tallied; readonly held: Tallied };
}

/**
 * Drafts a profile from recorded checks of one agent. Equal checks give equal drafts.
 * @param checks in the order of the agent's log
 * @param inForce fields that it sets are kept as they are: a draft never loosens it
 * @returns the draft, or why none is made
 */
export async function draftPolicy(
  checks: readonly RecordedCheck[],
  inForce: BehaviorProfile,
  options: DraftOptions,
): Promise<PolicyDraft | { readonly refusal: string }> {
  const heldFrom = checks.length - Math.floor(options.holdout * checks.length);
  const { seen, readable } = seenChecks(checks.slice(0, heldFrom));
  const refusal = refusalOf(readable, options);
  if (refusal !== null) return { refusal };
  const leftOut: { what: string; why: string }[] = [];
  const base = fieldsOf(inForce);
  let drafted = [...draftLists(seen, base, options, leftOut), ...draftMembers(seen, base, options, leftOut)];
  const remove = (place: string, why: string): void => {
    drafted = drafted.filter((one) => one.place !== place);
    leftOut.push({ what: place, why });
  };
  for (;;) {
    const profile = together(base, drafted);
    const refused = problemIn(profile, drafted);
    if (refused !== null) {
      remove(refused.place, refused.why);
      continue;
    }
    const draft = applyProfilePatch(emptyProfile(inForce.agent_id), { ...profile, mode: 'enforce' });
    const replay = await replayChecks(checks, { inForce, draft, heldFrom });
    const worst = worstOf(replay.before, drafted, Math.floor(options.denyAtMost * seen.length));
    if (worst === null) return { profile, drafted, leftOut, readable, rests: seen.length, replay };
    remove(worst, 'would deny more of the checks that it rests on than it may');
  }
}

/** Fields of a profile that differ from those of an agent without rules. */
function fieldsOf({ agent_id: id, version: _, ...fields }: BehaviorProfile): RulePatch {
  const defaults = emptyProfile(id) as unknown as Readonly<Record<string, unknown>>;
  const named = Object.entries(fields).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaults[name]),
  );
  return Object.fromEntries(named);
}

function draftLists(
  seen: readonly SeenCheck[],
  base: RulePatch,
  { denyAtMost, headroom }: DraftOptions,
  leftOut: { what: string; why: string }[],
): Drafted[] {
  const allowance = Math.floor(denyAtMost * seen.length);
  const lists = seenLists(seen, allowance).flatMap((list): readonly Drafted[] => {
    const { field, checks, unfit } = list;
    const why =
      base[field] !== undefined
        ? 'is in force, and kept'
        : (unfit ?? (deniedBy(patchOf(list), seen) > allowance ? 'would deny checks that it does not name' : null));
    if (why === null) return [{ place: field, patch: patchOf(list), checks, peak: null }];
    leftOut.push({ what: field, why });
    return [];
  });
  const rate = rateOf(seen, headroom);
  if (base.rate_limit !== undefined) leftOut.push({ what: 'rate_limit', why: 'is in force, and kept' });
  else if (rate === null) leftOut.push({ what: 'rate_limit, limits', why: 'the checks cover less than two hours' });
  else lists.push({ place: 'rate_limit', patch: { rate_limit: rate.rate }, checks: seen.length, peak: rate.peak });
  return lists;
}

function draftMembers(
  seen: readonly SeenCheck[],
  base: RulePatch,
  options: DraftOptions,
  leftOut: { what: string; why: string }[],
): Drafted[] {
  const ids = new Set([
    ...(base.rules ?? []).map(({ id }) => `rules:${id}`),
    ...(base.limits ?? []).map(({ id }) => `limits:${id}`),
  ]);
  const room = { rules: MAX_RULES - (base.rules?.length ?? 0), limits: MAX_LIMITS - (base.limits?.length ?? 0) };
  const drafted: Drafted[] = [];
  const add = (
    list: 'rules' | 'limits',
    member: RuleMember | LimitMember,
    checks: number,
    peak: number | null,
  ): void => {
    const place = `${list}:${member.id}`;
    if (ids.has(place)) return void leftOut.push({ what: place, why: 'an element of this id is there already' });
    if (room[list] === 0) return void leftOut.push({ what: place, why: `the profile has no room for more ${list}` });
    ids.add(place);
    room[list] -= 1;
    drafted.push({ place, patch: { [list]: [member] }, checks, peak });
  };
  const addLimit = (id: string, found: SeenLimit | null, checks: number): void => {
    if (found !== null) add('limits', { id, ...found.limit }, checks, found.peak);
  };
  if (leftOut.some(({ what }) => what === 'allowed_apis') && base.allowed_apis === undefined) {
    for (const { rule, checks } of hostRules(seen, options)) add('rules', rule, checks, null);
  }
  const { groups, small } = groupsOf(seen, options.least);
  for (const name of small)
    leftOut.push({ what: `rules of ${name}`, why: `fewer than ${options.least} checks with arguments` });
  addLimit('session-checks', sessionLimit(seen, options.headroom), seen.length);
  for (const group of groups) {
    for (const { rule, checks } of rulesOf(group, options)) add('rules', rule, checks, null);
    const { name, scope, checks, members } = group;
    const ofOne = customerLimit(scope, checks, members, options.headroom);
    if (ofOne !== null) addLimit(idOf(name, 'by', String(ofOne.limit.key).slice('args.'.length)), ofOne, checks.length);
    const sum = sumLimit(scope, checks, members, options.headroom);
    if (sum !== null) addLimit(idOf(name, 'sum', String(sum.limit.sum).slice('args.'.length)), sum, checks.length);
  }
  return drafted;
}

/** The fields in force with what was drafted: elements of `rules` and `limits` after those that are there. */
function together(base: RulePatch, drafted: readonly Drafted[]): RulePatch {
  const rules = [...(base.rules ?? []), ...drafted.flatMap(({ patch }) => patch.rules ?? [])];
  const limits = [...(base.limits ?? []), ...drafted.flatMap(({ patch }) => patch.limits ?? [])];
  const fields = Object.assign(
    {},
    ...drafted.map(({ patch: { rules: _, limits: __, ...others } }) => others),
  ) as RulePatch;
  return {
    ...base,
    ...fields,
    ...(rules.length === 0 ? {} : { rules }),
    ...(limits.length === 0 ? {} : { limits }),
  };
}

/** A drafted element that a profile refuses, or that lint finds something about. */
function problemIn(
  profile: RulePatch,
  drafted: readonly Drafted[],
): { readonly place: string; readonly why: string } | null {
  const conditional = applyProfilePatch(emptyProfile(''), profile);
  const [last] = drafted.filter(({ place }) => place.includes(':')).slice(-1);
  const findings = draftFindings({ kind: 'profile', patch: profile });
  const found = findings.find(({ place }) => drafted.some((one) => one.place === place.replace(/\[\d+\]$/, '')));
  if (found !== undefined) return { place: found.place.replace(/\[\d+\]$/, ''), why: found.message };
  // What is refused as a whole, such as the cost of all rules, is refused for the last one.
  const problem = conditionalProblem(conditional);
  return problem === null || last === undefined ? null : { place: last.place, why: problem };
}

/** The drafted element that denies most, if all together deny more than `most` of the allowed checks. */
function worstOf({ byRule }: Tallied, drafted: readonly Drafted[], most: number): string | null {
  const ours = byRule.flatMap(({ rule, toDenied }) => {
    const place = /^(?:rules|limits):/.test(rule ?? '') ? rule! : (rule ?? '').split(':')[0]!;
    return toDenied > 0 && drafted.some((one) => one.place === place) ? [{ place, toDenied }] : [];
  });
  const total = ours.reduce((sum, { toDenied }) => sum + toDenied, 0);
  if (total <= most) return null;
  return ours.toSorted((a, b) => b.toDenied - a.toDenied || (a.place < b.place ? 1 : -1))[0]!.place;
}
