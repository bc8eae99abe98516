import { asFirst } from '../domain/members.js';
import type { IssuedKey } from '../domain/members.js';
import type { IdentityStore } from '../store/port.js';

/**
 * Marks the oldest key of each account as its first one if it is older than rights, revoked or not. Other
 * keys of that time have the default rights. Idempotent. The changes are stored to be announced later.
 */
export async function markFirstKeys(store: Pick<IdentityStore, 'allApiKeys' | 'apiKey' | 'write'>): Promise<void> {
  const oldest = new Map<string, IssuedKey>();
  for await (const key of store.allApiKeys()) {
    const other = oldest.get(key.facts.accountId);
    if (other === undefined || isOlder(key, other)) oldest.set(key.facts.accountId, key);
  }
  for (const found of oldest.values()) {
    let key: IssuedKey | null = found;
    while (key !== null && !hasRights(key.facts)) {
      if ((await store.write({ apiKeys: [asFirst(key)] })) === 'written') break;
      key = await store.apiKey(key.id);
    }
  }
}

const hasRights = ({ first, rights }: IssuedKey['facts']): boolean => first === true || rights !== undefined;

function isOlder(one: IssuedKey, other: IssuedKey): boolean {
  const [a, b] = [one.facts.createdAt, other.facts.createdAt];
  return a < b || (a === b && one.id < other.id);
}
