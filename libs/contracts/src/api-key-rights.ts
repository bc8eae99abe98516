import { API_KEY_RIGHTS } from './records.js';
import type { AgentFacts, ApiKeyFacts, ApiKeyRight } from './records.js';

/** Rights of a key that was issued without naming any, and of a record from before keys had rights. */
export const DEFAULT_RIGHTS: readonly ApiKeyRight[] = ['check', 'outcome', 'scan'];

/** Rights and limits of a key, in the form that requests are authorized by. */
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

/** One bit for each right, so that authorization is one operation. */
export function rightsMask(rights: readonly ApiKeyRight[]): number {
  return rights.reduce((mask, right) => mask | (1 << API_KEY_RIGHTS.indexOf(right)), 0);
}

/** Rights of a record, in the order of {@link API_KEY_RIGHTS}. */
export function rightsOf({ first, rights }: Pick<ApiKeyFacts, 'first' | 'rights'>): readonly ApiKeyRight[] {
  if (first === true) return API_KEY_RIGHTS;
  const given = rights ?? DEFAULT_RIGHTS;
  return API_KEY_RIGHTS.filter((right) => given.includes(right));
}

/** Rights and limits of a record of `api-keys`. An expiry that is not a valid time counts as passed. */
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

/** Refusal of a key that has none of these rights, with how to get one. */
export function missingRight(rights: readonly ApiKeyRight[]): string {
  const wanted = rights.map((right) => `"${right}"`).join(' or ');
  return `this API key does not have the right ${wanted}: an admin issues a key that has it by POST /v1/api-keys with {"name": …, "rights": [${rights.map((right) => `"${right}"`).join(', ')}]}`;
}

/**
 * True if a key may not act as an agent because an API key registered that agent: such a key has to name the agent in
 * `agentIds`, or be the account's first. A key that names agents is limited to those, and is checked before this.
 */
export function needsOwnKey(
  { registeredByKey }: { readonly registeredByKey?: AgentFacts['registeredByKey'] | undefined },
  { agents, first }: Pick<ApiKeyPowers, 'agents' | 'first'>,
): boolean {
  return registeredByKey !== undefined && agents === null && !first;
}

/** Refusal of a key for which {@link needsOwnKey} is true, with what to do. Clients recognize its first two words. */
export function ownKeyNeeded(agentId: string): string {
  return `no such agent for this API key: a key registered that agent, so only a key that names it may act as it. An admin issues one by POST /v1/api-keys with {"name": …, "agentIds": ["${agentId}"]}`;
}

/**
 * Refusal of a key that is bound to other agents; the same text whether or not the agent exists. Clients recognize its first
 * two words.
 */
export const NOT_FOR_AGENT =
  'no such agent for this API key, or it is not for that agent: use an agent that the key was issued for, or a key that is for this one';
