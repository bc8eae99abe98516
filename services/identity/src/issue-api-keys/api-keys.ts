import { createHash, randomBytes } from 'node:crypto';
import { API_KEY_RIGHTS, rightsOf } from '@countersign/contracts';
import type { ApiKeyFacts, NewApiKey } from '@countersign/contracts';
import { parseTime } from '@countersign/evidence';
import { apiKeyPrefix, mintApiKey } from '@countersign/process';
import { randomUUID as uuidV4 } from 'node:crypto';
import { HttpRefusal } from '@countersign/http-edge';
import type { ServiceContext } from '@countersign/service-kit';
import { revoked } from '../domain/members.js';
import type { ApiKey } from '../domain/members.js';
import type { Publication } from '../publication.js';
import { byUser, keyCreated, keyRevoked } from '../trail/acts.js';
import type { IdentityStore } from '../store/port.js';

type Powers = Pick<ApiKeyFacts, 'first' | 'rights' | 'agentIds' | 'expiresAt'>;

/** Powers of the key that is issued with an account. */
export const FIRST_KEY: Powers = { first: true, rights: API_KEY_RIGHTS };

/** The stored form of a key: its prefix and its hash. `createdBy`: the user who issues it. */
export function apiKeyOf(
  id: string,
  { accountId, name, createdBy }: { readonly accountId: string; readonly name: string; readonly createdBy: string },
  key: string,
  createdAt: string,
  powers: Powers,
): ApiKey {
  const sha256 = createHash('sha256').update(key).digest('hex');
  const prefix = apiKeyPrefix(key);
  const facts = { accountId, name, prefix, sha256, createdAt, revokedAt: null, ...powers, createdBy };
  return { id, version: 1, facts, lastUsedAt: null };
}

/**
 * Powers of a new key. Agent ids are stored as given: identity has no agents, and a gateway checks both that the key
 * names the agent and that the agent belongs to the key's account.
 * @throws HttpRefusal 400 if the expiry is in the past or no valid date
 */
function powersOfNew({ rights, agentIds = null, expiresAt = null }: NewApiKey, nowMs: number): Powers {
  const endsMs = expiresAt === null ? Infinity : parseTime(expiresAt);
  if (endsMs === null || endsMs <= nowMs) {
    throw new HttpRefusal(400, 'expiresAt must be a time to come that the calendar has, such as 2100-01-01T00:00:00Z');
  }
  return {
    rights: rightsOf(rights === undefined ? {} : { rights }),
    ...(agentIds === null ? {} : { agentIds: [...new Set(agentIds.map((id) => id.toLowerCase()))] }),
    ...(endsMs === Infinity ? {} : { expiresAt: new Date(endsMs).toISOString() }),
  };
}

/** Issues and revokes API keys. Throws HttpRefusal. */
export class ApiKeys {
  constructor(
    private readonly context: Pick<ServiceContext, 'clock'>,
    private readonly store: IdentityStore,
    private readonly publication: Publication,
  ) {}

  /** Issues a key for the account of the user. `key` is not stored in plain text. */
  async issue(
    { accountId, userId: createdBy }: { readonly accountId: string; readonly userId: string },
    wanted: NewApiKey,
  ): Promise<{ readonly apiKey: ApiKey; readonly key: string }> {
    const nowMs = this.context.clock();
    const powers = powersOfNew(wanted, nowMs);
    const key = mintApiKey((bytes) => randomBytes(bytes));
    const owner = { accountId, name: wanted.name, createdBy };
    const apiKey = apiKeyOf(uuidV4(), owner, key, new Date(nowMs).toISOString(), powers);
    await this.publication.write({ apiKeys: [apiKey], acts: [keyCreated(apiKey, byUser(createdBy))] });
    return { apiKey, key };
  }

  /** Succeeds also if the key is already revoked. */
  async revoke(
    { accountId, userId }: { readonly accountId: string; readonly userId: string },
    id: string,
  ): Promise<void> {
    await this.publication.change(async () => {
      const apiKey = await this.store.accountApiKey(accountId, id);
      if (apiKey === null) throw new HttpRefusal(404, 'no such API key');
      if (apiKey.facts.revokedAt !== null) return null;
      return {
        apiKeys: [revoked(apiKey, new Date(this.context.clock()).toISOString())],
        acts: [keyRevoked(apiKey, byUser(userId))],
      };
    });
  }
}
