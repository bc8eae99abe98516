import type { ServiceContext } from '@countersign/service-kit';
import { revoked } from '../domain/members.js';
import type { Publication } from '../publication.js';
import type { IdentityStore } from '../store/port.js';

/**
 * Ends sessions that were opened with the old password while the new one was written: no session opens with the old one
 * from then on.
 * @param but id of a session that stays open
 */
export async function endLateSessions(
  publication: Publication,
  store: IdentityStore,
  userId: string,
  clock: ServiceContext['clock'],
  but: string | null = null,
): Promise<void> {
  await publication.change(async () => {
    const at = new Date(clock()).toISOString();
    const late = (await store.openSessions(userId)).filter(({ id }) => id !== but);
    return late.length === 0 ? null : { sessions: late.map((session) => revoked(session, at)) };
  });
}
