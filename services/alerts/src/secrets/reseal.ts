import { resealed } from '@countersign/process';
import type { SealingKeys } from '@countersign/process';
import type { ServiceContext } from '@countersign/service-kit';
import type { AlertStore } from '../store/port.js';

/** Secrets of webhooks, and credentials of streams. */
export interface Sealed {
  readonly destinations: SealingKeys;
  readonly streams: SealingKeys;
}

/**
 * Seals everything of the store under the present instance secret that is sealed under the previous one; afterwards nothing needs
 * that. What opens by neither is left as it is, and named in the log. Instances may do this at the same time.
 */
export async function resealStore(
  store: Pick<AlertStore, 'allDestinations' | 'destination' | 'replaceDestination'> & {
    readonly streams: Pick<AlertStore['streams'], 'all' | 'find' | 'replace'>;
  },
  keys: Sealed,
  log: Pick<ServiceContext['log'], 'info' | 'warn'>,
): Promise<void> {
  if (keys.destinations.previous === null) return;
  let count = 0;
  for await (const found of store.allDestinations()) {
    count += await replaceSealed(
      found,
      (one) => (one.sealedSecret === null ? null : again(one.sealedSecret, keys.destinations, one.id, log)),
      (one, sealedSecret) => store.replaceDestination({ ...one, sealedSecret, revision: one.revision + 1 }),
      ({ id }) => store.destination(id),
    );
  }
  for await (const found of store.streams.all()) {
    count += await replaceSealed(
      found,
      (one) => again(one.sealedCredentials, keys.streams, one.id, log),
      (one, sealedCredentials) => store.streams.replace({ ...one, sealedCredentials, revision: one.revision + 1 }),
      ({ accountId, id }) => store.streams.find(accountId, id),
    );
  }
  log.info({ sealed: count }, 'nothing of alerts needs the previous instance secret any more');
}

/** @returns how many were written, 0 or 1 */
async function replaceSealed<T>(
  found: T,
  sealedAgain: (one: T) => string | null,
  replace: (one: T, sealed: string) => Promise<boolean>,
  read: (one: T) => Promise<T | null>,
): Promise<0 | 1> {
  for (let one: T | null = found; one !== null; one = await read(one)) {
    const sealed = sealedAgain(one);
    if (sealed === null) return 0;
    if (await replace(one, sealed)) return 1;
  }
  return 0;
}

function again(sealed: string, keys: SealingKeys, id: string, log: Pick<ServiceContext['log'], 'warn'>): string | null {
  try {
    return resealed(sealed, keys, id);
  } catch {
    log.warn({ id }, 'neither the present nor the previous instance secret opens what is sealed for this id');
    return null;
  }
}
