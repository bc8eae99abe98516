import type { ServiceContext } from '@countersign/service-kit';
import type { User } from '../domain/members.js';
import type { SecondFactor } from '../domain/second-factor.js';
import type { IdentityStore } from '../store/port.js';
import type { Codes } from './codes.js';
import { withFactor } from './with-factor.js';

/**
 * Seals every second factor under the present instance secret that is sealed under the previous one; afterwards none needs
 * that. One that opens by neither is left as it is, and its user named in the log. Instances may do this at the same time.
 * @param previous key of the previous instance secret; `null`: it is not being replaced
 */
export async function resealFactors(
  store: Pick<IdentityStore, 'allUsers' | 'user' | 'write'>,
  codes: Pick<Codes, 'resealed'>,
  previous: Uint8Array | null,
  log: Pick<ServiceContext['log'], 'info' | 'warn'>,
): Promise<void> {
  if (previous === null) return;
  let count = 0;
  for await (const found of store.allUsers()) {
    for (let user: User | null = found; user !== null; user = await store.user(user.id)) {
      const factor = sealedAgain(user, codes, previous, log);
      if (factor === null) break;
      if ((await store.write({ users: [withFactor(user, factor)] })) === 'conflict') continue;
      count += 1;
      break;
    }
  }
  log.info({ sealed: count }, 'no second factor needs the previous instance secret any more');
}

function sealedAgain(
  { id, secondFactor }: User,
  codes: Pick<Codes, 'resealed'>,
  previous: Uint8Array,
  log: Pick<ServiceContext['log'], 'warn'>,
): SecondFactor | null {
  if (secondFactor === undefined) return null;
  try {
    return codes.resealed(id, secondFactor, previous);
  } catch {
    log.warn({ user: id }, 'neither the present nor the previous instance secret opens the second factor of this user');
    return null;
  }
}
