import type { AnswerExtras, Severity, ViolationType } from '@countersign/contracts';
import { parseTime } from '@countersign/evidence';
import { conditionalProblem, readProfilePatch, withoutUnset } from '@countersign/policy-engine';
import type { Action, ProfilePatch } from '@countersign/policy-engine';
import { schemaCheck } from '@countersign/http-edge';
import { caseSchema, fileSchema, FROZEN, profileSchema } from './file-schema.js';

/** Expected members of the answer; in observe mode there may be a violation with `allowed: true`. */
export interface ExpectedAnswer {
  readonly allowed?: boolean;
  readonly violation_type?: ViolationType | null;
  readonly rule?: string | null;
  readonly severity?: Severity | null;
  readonly reason?: string | null;
  readonly detail?: string | null;
  /** `agent_frozen`: a step before was denied, and `freeze_on_violation` is on. */
  readonly code?: typeof FROZEN | null;
  readonly category?: AnswerExtras['category'] | null;
  readonly pii_kind?: AnswerExtras['pii_kind'] | null;
  readonly matched_topic?: AnswerExtras['matched_topic'] | null;
  /** How the action can be allowed: by an approval, in another form, or later. */
  readonly decision?: AnswerExtras['decision'] | null;
}

export interface PolicyStep {
  readonly action: Action;
  /** ms since the epoch. */
  readonly atMs: number;
  /** Number of checks in a row; the result of the last one is compared. */
  readonly times: number;
  /** `null`: any result. */
  readonly expect: ExpectedAnswer | null;
  /** From 0, if it is one of the checks before those of the case. */
  readonly given: number | null;
}

/** Checks of one agent that begins with nothing counted. */
export interface PolicyCase {
  readonly title: string;
  readonly steps: readonly PolicyStep[];
}

/** A policy as a repository has it: the fields of a profile, or the rules of a safety package, and test cases. */
export interface PolicyFile {
  readonly kind: 'profile' | 'rules';
  readonly patch: ProfilePatch;
  /** The draft as it was written. */
  readonly written: unknown;
  readonly cases: readonly PolicyCase[];
}

/** A problem of a policy file; the message names the place and never the value. */
export class PolicyFileProblem extends Error {
  override readonly name = 'PolicyFileProblem';
}

const fileProblem = schemaCheck(fileSchema);
const profileProblem = schemaCheck(profileSchema);
const caseProblem = schemaCheck(caseSchema);
/** Start of a case that names no time: the start of a day and of a month. */
const BEGIN = Date.UTC(2026, 0, 1);
const LATEST = Date.UTC(9999, 0, 1);

/** @throws PolicyFileProblem */
export function readPolicyFile(value: unknown): PolicyFile {
  const draft = readPolicyDraft(value);
  refuse(conditionalProblem(withoutUnset(draft.patch)), draft.kind);
  const { cases = [] } = value as { readonly cases?: readonly unknown[] };
  return { ...draft, cases: cases.map((one, n) => readCase(one, `cases[${n}]`)) };
}

/**
 * The policy of a file without its cases; its expressions may be such as a profile refuses.
 * @throws PolicyFileProblem
 */
export function readPolicyDraft(value: unknown): PolicyFile {
  refuse(fileProblem(value)?.replace(/^the body /, 'the file '));
  const { profile, rules } = value as Readonly<Record<'profile' | 'rules', unknown>>;
  if ((profile === undefined) === (rules === undefined)) refuse('give either profile or rules');
  const kind = profile === undefined ? 'rules' : 'profile';
  const written = profile ?? rules;
  refuse(profileProblem(written), kind);
  const read = readProfilePatch(written);
  if ('error' in read) throw new PolicyFileProblem(`${kind}: ${read.error}`);
  return { kind, patch: read.patch, written, cases: [] };
}

interface WrittenStep {
  readonly action: Action;
  readonly at?: string | number;
  readonly times?: number;
  readonly expect?: 'allowed' | 'denied' | typeof FROZEN | ViolationType | ExpectedAnswer;
}

/** @throws PolicyFileProblem that begins with `place` */
export function readCase(value: unknown, place: string): PolicyCase {
  refuse(caseProblem(value)?.replace(/^the body /, ''), place);
  const {
    title,
    steps,
    given = [],
    ...single
  } = value as Readonly<{ title: string; steps?: readonly WrittenStep[]; given?: readonly WrittenStep[] }>;
  const own = steps ?? [single as WrittenStep];
  const written = [...given, ...own];
  const named = written.find(({ at }) => typeof at === 'string');
  let atMs = named === undefined ? BEGIN : instant(String(named.at), place);
  const beginMs = atMs;
  const placed = written.map((step, n): PolicyStep => {
    const isGiven = n < given.length;
    const ofOwn = steps === undefined ? place : `${place}.steps[${n - given.length}]`;
    const where = isGiven ? `${place}.given[${n}]` : ofOwn;
    const at = timeOf(step.at, atMs, beginMs, where);
    if (at < atMs) refuse('at lies before the step before', where);
    atMs = at;
    // A denied check sets no fact and counts towards no limit: a case that needs it would test something else.
    const { expect = isGiven ? 'allowed' : undefined } = step;
    return {
      action: step.action,
      atMs,
      times: step.times ?? 1,
      expect: expect === undefined ? null : wanted(expect),
      given: isGiven ? n : null,
    };
  });
  if (placed.every(({ expect, given: earlier }) => expect === null || earlier !== null))
    refuse('no step expects anything', place);
  return { title, steps: placed };
}

/** @param at a time, or seconds since the case began; absent: as the step before */
function timeOf(at: WrittenStep['at'], beforeMs: number, beginMs: number, where: string): number {
  if (at === undefined) return beforeMs;
  const ms = typeof at === 'string' ? instant(at, where) : Math.round(beginMs + at * 1000);
  if (!(ms < LATEST)) refuse('at lies too far in the future', where);
  return ms;
}

function instant(text: string, where: string): number {
  const ms = parseTime(text);
  if (ms === null) refuse('at must be a time such as 2026-03-01T12:00:00Z, or seconds since the case began', where);
  return ms ?? NaN;
}

function wanted(expect: NonNullable<WrittenStep['expect']>): ExpectedAnswer {
  if (typeof expect === 'object') return expect;
  if (expect === 'denied') return { allowed: false };
  if (expect === FROZEN) return { allowed: false, code: FROZEN };
  return expect === 'allowed' ? { allowed: true } : { allowed: false, violation_type: expect };
}

function refuse(problem: string | null | undefined, place?: string): void {
  if (problem === null || problem === undefined) return;
  throw new PolicyFileProblem(place === undefined ? problem : `${place}: ${problem}`);
}
