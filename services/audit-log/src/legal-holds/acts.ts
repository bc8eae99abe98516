import type { Act } from '@countersign/topics';
import type { LegalHold } from './legal-hold.js';

/** A hold that a person places. */
export function holdPlaced({ accountId, placedBy, ...hold }: LegalHold): Act {
  const { id, name, reason, agentIds, fromMs, toMs } = hold;
  const bounds = {
    ...(agentIds === null ? {} : { agents: agentIds }),
    ...(fromMs === null ? {} : { from: new Date(fromMs).toISOString() }),
    ...(toMs === null ? {} : { to: new Date(toMs).toISOString() }),
  };
  return {
    ...{ accountId, type: 'account.legal_hold_placed', by: { kind: 'user', id: placedBy.id } },
    content: { hold: { id, ...bounds }, name, reason },
  };
}

/** @param userId who releases it @param reason of the release */
export function holdReleased({ accountId, id, name }: LegalHold, userId: string, reason: string): Act {
  return {
    ...{ accountId, type: 'account.legal_hold_released', by: { kind: 'user', id: userId } },
    content: { hold: { id }, name, reason },
  };
}
