import type { Seen, Judgement } from '@countersign/counters';
import { canonicalize, quote } from '@countersign/evidence';
import { ENGINE_VERSION, isOwnFact } from '@countersign/policy-engine';
import type { MemberText } from '@countersign/evidence';
import type { Origin } from './origin.js';

/**
 * The part of a check's context that depends on the attempt. The counters keep it with the judgement, as text, so that
 * an attempt that repeats the judgement commits the same context.
 */
export interface Circumstances {
  /** Of the context's commitment: 16 bytes in base64url. */
  readonly salt: string;
  /** The gateway's clock as the rules saw it, whole seconds since 1970. */
  readonly seconds: number;
  /** Minutes east of UTC by time zone, as far as a rule asked: an object in canonical form. */
  readonly offsets: string;
  /** W3C `traceparent`, or `null`. */
  readonly trace: string | null;
  /** The signature of the request, as an object in canonical form, or `null`. */
  readonly signature: string | null;
}

const NO_TRACE = '-';
/** Between trace and signature: neither has it. */
const SIGNED = ',';

export function circumstancesText({ salt, seconds, offsets, trace, signature }: Circumstances): string {
  if (signature === null) return `${salt} ${seconds} ${trace ?? NO_TRACE} ${offsets}`;
  // Without blanks, as they separate the members.
  const signed = Buffer.from(signature, 'utf8').toString('base64url');
  return `${salt} ${seconds} ${trace ?? NO_TRACE}${SIGNED}${signed} ${offsets}`;
}

/** Reads the text of {@link circumstancesText}. */
export function readCircumstances(text: string): Circumstances {
  const salted = text.indexOf(' ');
  const timed = text.indexOf(' ', salted + 1);
  const traced = text.indexOf(' ', timed + 1);
  const comma = text.indexOf(SIGNED, timed + 1);
  const isSigned = comma >= 0 && comma < traced;
  const trace = text.slice(timed + 1, isSigned ? comma : traced);
  return {
    salt: text.slice(0, salted),
    seconds: Number(text.slice(salted + 1, timed)),
    offsets: text.slice(traced + 1),
    trace: trace === NO_TRACE ? null : trace,
    signature: isSigned ? Buffer.from(text.slice(comma + 1, traced), 'base64url').toString('utf8') : null,
  };
}

const ENGINE = canonicalize(ENGINE_VERSION);

/** Member `effect` of a check's context: FORMAT.md, "Context". */
export type CheckEffect = 'allow' | 'observe' | 'deny' | 'modify' | 'defer' | 'approve';

/** The plan by which the check was judged. */
export interface ContextPlan {
  /** Maximum of actions; `null`: none. */
  readonly cap: number | null;
  /** End of a sandbox, ISO 8601 UTC with milliseconds; `null`: none. */
  readonly expires: string | null;
}

/**
 * Members of the context of a check, in the order of their names (`libs/evidence/FORMAT.md`, "Context").
 * @param approval in canonical form; `null`: none
 */
export function contextMembers(
  outcome: Judgement['outcome'],
  effect: CheckEffect,
  seen: Seen,
  plan: ContextPlan,
  { principal, session, issuer, actorsText }: Origin,
  { seconds, offsets, trace, signature }: Circumstances,
  approval: string | null,
): readonly MemberText[] {
  const members: MemberText[] = [
    ...(actorsText === undefined ? [] : [{ name: '"actors"', value: actorsText }]),
    ...(approval === null ? [] : [{ name: '"approval"', value: approval }]),
    { name: '"effect"', value: `"${effect}"` },
    { name: '"engine"', value: ENGINE },
  ];
  const facts = seen.facts.filter(isOwnFact);
  if (facts.length > 0) members.push({ name: '"facts"', value: canonicalize(facts.sort()) });
  if (issuer !== undefined) members.push({ name: '"issuer"', value: quote(issuer) });
  if (principal !== null) members.push({ name: '"principal"', value: quote(principal) });
  members.push(
    { name: '"request_time"', value: `{"offsets":${offsets},"seconds":${seconds}}` },
    { name: '"seen"', value: seenText(seen, plan, outcome === 'frozen') },
  );
  if (session !== null) members.push({ name: '"session"', value: quote(session) });
  if (signature !== null) members.push({ name: '"signature"', value: signature });
  if (trace !== null) members.push({ name: '"trace"', value: `"${trace}"` });
  return members;
}

function seenText({ order, spent, rate, plan: { used }, limits }: Seen, plan: ContextPlan, frozen: boolean): string {
  const { cap, expires } = plan;
  return (
    `{"frozen":${frozen},"limits":${canonicalize(limits)},"order":${order}` +
    `,"plan":{"cap":${cap},"expires":${expires === null ? 'null' : `"${expires}"`},"used":${used}}` +
    `,"rate":${rate},"spent":{"day":${spent.day},"month":${spent.month}}}`
  );
}
