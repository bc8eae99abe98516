import type { CheckAction } from '@countersign/contracts';

/** Who and what a check comes from, in addition to the agent: it is committed with the verdict. */
export interface Origin {
  /** On whose behalf the agent acts; `null`: not said. */
  readonly principal: string | null;
  /** The conversation or run that the check belongs to; `null`: not said. */
  readonly session: string | null;
  /** W3C `traceparent` (Trace Context section 3.2); `null`: none. */
  readonly trace: string | null;
}

/** Headers that name the origin, as they were sent; the empty string: sent twice. */
export type OriginHeaders = Origin;

export const NO_ORIGIN: Origin = { principal: null, session: null, trace: null };

const MOST_CHARACTERS = 200;
/** Visible ASCII, blanks inside. What has other characters is sent in `metadata`. */
const HEADER_TEXT = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * The origin by the headers, else by `action.metadata.principal` and `.session`, as far as those are text of 1 to 200
 * characters: metadata is free in form, so others are no origin. Or what to change in a header.
 */
export function readOrigin(headers: OriginHeaders, { metadata }: CheckAction): Origin | string {
  const problem =
    headerProblem('X-Countersign-Principal', headers.principal) ??
    headerProblem('X-Countersign-Session', headers.session);
  if (problem !== null) return problem;
  const principal = headers.principal ?? textOf(metadata, 'principal');
  const session = headers.session ?? textOf(metadata, 'session');
  const { trace } = headers;
  return principal === null && session === null && trace === null ? NO_ORIGIN : { principal, session, trace };
}

function headerProblem(name: string, value: string | null): string | null {
  if (value === null || (value.length <= MOST_CHARACTERS && HEADER_TEXT.test(value))) return null;
  return `send ${name} once, with 1 to ${MOST_CHARACTERS} printable ASCII characters; text in other characters goes into action.metadata`;
}

function textOf(metadata: CheckAction['metadata'], member: 'principal' | 'session'): string | null {
  if (metadata === undefined || !Object.hasOwn(metadata, member)) return null;
  const value: unknown = metadata[member];
  return typeof value === 'string' &&
    value !== '' &&
    [...value.slice(0, 2 * MOST_CHARACTERS + 1)].length <= MOST_CHARACTERS
    ? value
    : null;
}
