import type { CheckAction } from '@countersign/contracts';
import { MOST_WHO_CHARACTERS, whoIn } from '@countersign/policy-engine';
import { canonicalize } from '@countersign/evidence';
import type { Who } from '@countersign/policy-engine';
import type { Subject } from '../subject-token/subject-tokens.js';

/** Who and what a check comes from, in addition to the agent: it is committed with the verdict. */
export interface Origin extends Who {
  /** W3C `traceparent` (Trace Context section 3.2); `null`: none. */
  readonly trace: string | null;
  /** Actors by a token, in canonical form, outermost first; absent: none. Then {@link Who.actors} has their ids. */
  readonly actorsText?: string;
}

/** Headers that name the origin, as they were sent; the empty string: sent twice. */
export type OriginHeaders = Pick<Origin, 'principal' | 'session' | 'trace'> & {
  /** Id of the subject of an evaluation that the agent makes on behalf of the subject. */
  readonly subject?: string;
};

export const NO_ORIGIN: Origin = { principal: null, session: null, trace: null };

/** The origin of a check whose token is valid: what the token says goes before what the check says. */
export function withSubject(origin: Origin, { issuer, principal, session, actors }: Subject): Origin {
  return {
    principal,
    session: session ?? origin.session,
    trace: origin.trace,
    issuer,
    ...(actors.length === 0 ? {} : { actors: actors.map(({ id }) => id), actorsText: canonicalize(actors) }),
  };
}

/** Of a check with both headers. */
export const TWO_PRINCIPALS = 'send X-Subject-Token without X-Countersign-Principal: the token names the principal';

/** Of an evaluation with a token. */
export const OTHER_THAN_TOKEN =
  'subject.id is not the principal of X-Subject-Token: send the subject that the token is for, or leave the token out';

const LONG_SUBJECT = `subject.id has more than ${MOST_WHO_CHARACTERS} characters`;
const OTHER_SUBJECT = 'X-Countersign-Principal and subject.id differ: send one of them, or the same twice';

/** Visible ASCII, blanks inside. What has other characters is sent in `metadata`. */
const HEADER_TEXT = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * The origin by the headers, else by `action.metadata.principal` and `.session`. Or what to change in a header.
 */
export function readOrigin(headers: OriginHeaders, action: CheckAction): Origin | string {
  const problem =
    headerProblem('X-Countersign-Principal', headers.principal) ??
    headerProblem('X-Countersign-Session', headers.session);
  if (problem !== null) return problem;
  const { subject = null } = headers;
  if (subject !== null && subject.length > MOST_WHO_CHARACTERS) return LONG_SUBJECT;
  if (subject !== null && (headers.principal ?? subject) !== subject) return OTHER_SUBJECT;
  const named = whoIn(action);
  const principal = headers.principal ?? subject ?? named.principal;
  const session = headers.session ?? named.session;
  const { trace } = headers;
  return principal === null && session === null && trace === null ? NO_ORIGIN : { principal, session, trace };
}

function headerProblem(name: string, value: string | null): string | null {
  if (value === null || (value.length <= MOST_WHO_CHARACTERS && HEADER_TEXT.test(value))) return null;
  return `send ${name} once, with 1 to ${MOST_WHO_CHARACTERS} printable ASCII characters; text in other characters goes into action.metadata`;
}
