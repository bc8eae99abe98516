import type { LegalHold, Reach } from '../legal-holds/legal-hold.js';
import { ACCOUNT, agentId, START } from './envelopes.js';

const ANA = { id: 'user-ana', email: 'ana@example.com' };

/** A hold that is not released, with an id that belongs to the number: of everything of {@link ACCOUNT}. */
export function legalHold(n: number, parts: Partial<LegalHold> = {}): LegalHold {
  return {
    id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    accountId: ACCOUNT,
    name: `Case ${n}`,
    reason: 'counsel asked for it',
    ...{ agentIds: null, fromMs: null, toMs: null },
    placedAt: new Date(START + n).toISOString(),
    placedBy: ANA,
    released: null,
    ...parts,
  };
}

export const RELEASE = { at: new Date(START + 999).toISOString(), by: ANA, reason: 'the case is closed' };

/** Content of an agent's events at these times. */
export function reach(agent: number, ...times: readonly number[]): Reach {
  return { accountId: ACCOUNT, agentId: agentId(agent), times };
}
