import { createHash, randomBytes } from 'node:crypto';
import { apiKeyPrefix, HttpRefusal, mintApiKey, uuidV4 } from '@countersign/service-kit';
import type { ServiceContext } from '@countersign/service-kit';
import { revoked } from '../domain/members.js';
import type { ApiKey } from '../domain/members.js';
import type { Publication } from '../publication.js';
import type { IdentityStore } from '../store/port.js';

/** Kept of a key: its prefix and its hash. */
export function apiKeyOf(id: string, accountId: string, name: string, key: string, createdAt: string): ApiKey {
  const sha256 = createHash('sha256').update(key).digest('hex');
  const facts = { accountId, name, prefix: apiKeyPrefix(key), sha256, createdAt, revokedAt: null };
  return { id, version: 1, facts, lastUsedAt: null };
}

/** Issues and revokes API keys. Throws HttpRefusal. */
export class ApiKeys {
  constructor(
    private readonly context: Pick<ServiceContext, 'clock'>,
    private readonly store: IdentityStore,
    private readonly publication: Publication,
  ) {}

  /** `key` exists nowhere else in clear. */
  async issue(accountId: string, name: string): Promise<{ readonly apiKey: ApiKey; readonly key: string }> {
    const key = mintApiKey((bytes) => randomBytes(bytes));
    const apiKey = apiKeyOf(uuidV4(), accountId, name, key, new Date(this.context.clock()).toISOString());
    await this.publication.write({ apiKeys: [apiKey] });
    return { apiKey, key };
  }

  /** Also when it is revoked already. */
  async revoke(accountId: string, id: string): Promise<void> {
    await this.publication.change(async () => {
      const apiKey = await this.store.accountApiKey(accountId, id);
      if (apiKey === null) throw new HttpRefusal(404, 'no such API key');
      if (apiKey.facts.revokedAt !== null) return null;
      return { apiKeys: [revoked(apiKey, new Date(this.context.clock()).toISOString())] };
    });
  }
}
