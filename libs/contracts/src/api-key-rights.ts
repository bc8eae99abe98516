import { API_KEY_RIGHTS } from './records.js';
import type { AgentFacts, ApiKeyFacts, ApiKeyRight } from './records.js';

/** Rights of a key that was issued without naming any, and of a record from before keys had rights. */
export const DEFAULT_RIGHTS: readonly ApiKeyRight[] = ['check', 'outcome', 'scan'];

/** The rights and limits of a key, as a request is judged by them. */
export interface ApiKeyPowers {
  /** Bits of {@link rightsMask}. */
  readonly rights: number;
  /** Ids in lower case; `null`: every agent of the account. */
  readonly agents: ReadonlySet<string> | null;
  /** ms; `Infinity`: never. */
  readonly expiresAtMs: number;
  /** The key that the service issued with the account. */
  readonly first: boolean;
}

/** One bit a right, so that a request is judged by one operation. */
export function rightsMask(rights: readonly ApiKeyRight[]): number {
  return rights.reduce((mask, right) => mask | (1 << API_KEY_RIGHTS.indexOf(right)), 0);
}

/** Rights of a record, in the order of {@link API_KEY_RIGHTS}. */
export function rightsOf({ first, rights }: Pick<ApiKeyFacts, 'first' | 'rights'>): readonly ApiKeyRight[] {
  if (first === true) return API_KEY_RIGHTS;
  const given = rights ?? DEFAULT_RIGHTS;
  return API_KEY_RIGHTS.filter((right) => given.includes(right));
}

/** What a record of `api-keys` lets its key do. An end that is not a time has passed. */
export function powersOf(facts: Pick<ApiKeyFacts, 'first' | 'rights' | 'agentIds' | 'expiresAt'>): ApiKeyPowers {
  const { agentIds, expiresAt } = facts;
  const ends = expiresAt === undefined ? Infinity : Date.parse(expiresAt);
  return {
    rights: rightsMask(rightsOf(facts)),
    agents: agentIds === undefined ? null : new Set(agentIds),
    expiresAtMs: Number.isNaN(ends) ? 0 : ends,
    first: facts.first === true,
  };
}

/** Why a key that lacks all of these rights is refused, and how it gets one. */
export function missingRight(rights: readonly ApiKeyRight[]): string {
  const wanted = rights.map((right) => `"${right}"`).join(' or ');
  return `this API key does not have the right ${wanted}: an admin issues a key that has it by POST /v1/api-keys with {"name": …, "rights": [${rights.map((right) => `"${right}"`).join(', ')}]}`;
}

/**
 * Whether a key may not act as an agent because a key registered that agent: then it has to name the agent in `agentIds`, or
 * be the account's first. A key that names agents is judged by those alone, before this.
 */
export function needsOwnKey(
  { registeredByKey }: { readonly registeredByKey?: AgentFacts['registeredByKey'] | undefined },
  { agents, first }: Pick<ApiKeyPowers, 'agents' | 'first'>,
): boolean {
  return registeredByKey !== undefined && agents === null && !first;
}

/** Why a key that {@link needsOwnKey} is refused, and what to do. Clients know it by the first two words. */
export function ownKeyNeeded(agentId: string): string {
  return `no such agent for this API key: a key registered that agent, so only a key that names it may act as it. An admin issues one by POST /v1/api-keys with {"name": …, "agentIds": ["${agentId}"]}`;
}

/**
 * Why a key that is bound to agents is refused for another one; the same words whether or not that one exists. Clients know
 * an agent that is refused by the first two words.
 */
export const NOT_FOR_AGENT =
  'no such agent for this API key, or it is not for that agent: use an agent that the key was issued for, or a key that is for this one';
