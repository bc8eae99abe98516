import type { Action } from './subject.js';

/** Principal and session of a check; `null`: it names none. */
export interface Who {
  /** On whose behalf the agent acts. */
  readonly principal: string | null;
  /** The conversation or run that the check belongs to. */
  readonly session: string | null;
  /** Issuer of the token that says on whose behalf the agent acts; absent: no token does. */
  readonly issuer?: string;
  /** Ids of the actors by that token, outermost first; absent: none. */
  readonly actors?: readonly string[];
}

/** Characters (code points) that the name of a principal or a session may have. */
export const MOST_WHO_CHARACTERS = 200;

/**
 * Principal and session by `metadata` of an action, as far as they are text of 1 to {@link MOST_WHO_CHARACTERS}
 * characters: metadata is free in form, so others name none.
 */
export function whoIn({ metadata }: Action): Who {
  return { principal: named(metadata, 'principal'), session: named(metadata, 'session') };
}

function named(metadata: unknown, member: 'principal' | 'session'): string | null {
  if (typeof metadata !== 'object' || metadata === null || !Object.hasOwn(metadata, member)) return null;
  const value = (metadata as Readonly<Record<string, unknown>>)[member];
  if (typeof value !== 'string' || value === '') return null;
  // No more of a long text is read than may show that it is too long.
  return [...value.slice(0, 2 * MOST_WHO_CHARACTERS + 1)].length <= MOST_WHO_CHARACTERS ? value : null;
}
