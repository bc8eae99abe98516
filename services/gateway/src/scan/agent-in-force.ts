import type { Counters } from '@countersign/counters';
import { needsOwnKey, ownKeyNeeded } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import type { ApiKeyCaller } from '@countersign/http-edge';
import type { KnownAgent, ReadModel } from '../follow/read-model.js';

const WAIT_MS = 1000;

export type Known = Pick<ReadModel, 'agents' | 'agent'>;

/** Account and key of the caller. */
export type KeyHolder = Pick<ApiKeyCaller, 'accountId' | 'powers'>;

/**
 * The agent with the profile in force, on whichever instance it was changed. A frozen one as well.
 * @throws HttpRefusal 404 where the account has no such agent, it is inactive, or needs a key of its own; 503 while its
 * rules are not known
 */
export async function agentInForce(
  known: Known,
  counters: Pick<Counters, 'version'>,
  { accountId, powers }: KeyHolder,
  agentId: string,
): Promise<KnownAgent> {
  const id = agentId.toLowerCase();
  const version = await counters.version('agent', id).catch(() => {
    throw unknownYet();
  });
  if (version !== null && !(await known.agents.waitFor(id, version, WAIT_MS))) throw unknownYet();
  const agent = known.agent(id);
  if (agent === undefined || agent.facts.accountId !== accountId || agent.facts.status === 'inactive') {
    throw new HttpRefusal(404, 'no such agent, or it is inactive');
  }
  if (needsOwnKey(agent.facts, powers)) throw new HttpRefusal(404, ownKeyNeeded(id));
  return agent;
}

function unknownYet(): HttpRefusal {
  return new HttpRefusal(503, 'the rules in force are not known here yet: try again', { 'retry-after': '1' });
}
