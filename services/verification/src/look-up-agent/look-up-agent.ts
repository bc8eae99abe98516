import type { PublicAgentRecord } from '@countersign/contracts';
import { readSsn } from '@countersign/evidence';
import { HttpRefusal } from '@countersign/http-edge';
import type { PublicFacts } from '../store/port.js';
import { publicRecord } from './public-record.js';

/**
 * The public record of a registered agent, frozen and deactivated ones included.
 * @param text an SSN, in either case
 * @throws HttpRefusal 400 where its form or its check character is wrong, 404 where no agent has it
 */
export async function lookUpAgent(
  text: string,
  facts: Pick<PublicFacts, 'agentBySsn' | 'agentHead'>,
): Promise<PublicAgentRecord> {
  const ssn = readSsn(text);
  if (ssn === null) {
    throw new HttpRefusal(400, 'path parameter ssn must be CSN-XXXX-XXXX-XXXX-XXXX, its check character included');
  }
  const agent = await facts.agentBySsn(ssn);
  if (agent === null) throw new HttpRefusal(404, 'no agent has this SSN');
  return publicRecord(agent.facts, await facts.agentHead(agent.id));
}
