import { accountStream, type EventArchive } from '@countersign/contracts';
import type { DescribedAgent } from './reported-agent.js';

/** A sequence of events that a report lists: an agent's, or the trail of the account. */
export interface ListedAgent {
  readonly id: string;
  readonly facts: DescribedAgent;
}

const BEGINNING = '1970-01-01T00:00:00.000Z';

const TRAIL: DescribedAgent = {
  ...{ name: 'People of the account', type: null, version: null, status: 'active' },
  purpose: 'What the people of the account did; no agent',
  ...{ blockchain_ssn: null, wallet_address: null, chain_tx_signature: null },
};

/** The trail of an account, as a report lists it among its agents (FORMAT.md, "Events of an account"). */
export function trailOf(accountId: string): ListedAgent {
  return { id: accountStream(accountId), facts: TRAIL };
}

/**
 * The agents of a report, and last the trail of the account where it has an event before `to`: a report over all agents
 * then lists every leaf of the account in each of its windows.
 * @param to ISO 8601 UTC; exclusive
 */
export async function withTrail(
  archive: Pick<EventArchive, 'span'>,
  accountId: string,
  agents: readonly ListedAgent[],
  to: string,
): Promise<readonly ListedAgent[]> {
  const trail = trailOf(accountId);
  return (await archive.span(trail.id, BEGINNING, to)) === null ? agents : [...agents, trail];
}
