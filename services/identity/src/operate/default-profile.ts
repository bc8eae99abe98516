import { isDeepStrictEqual } from 'node:util';
import { MAX_PROFILE_BYTES } from '@countersign/contracts';
import type { AccountFacts } from '@countersign/contracts';
import { canonicalBytes } from '@countersign/evidence';
import { readProfilePatch } from '@countersign/policy-engine';
import { HttpRefusal } from '@countersign/service-kit';
import type { Account } from '../domain/members.js';
import type { Publication } from '../publication.js';
import type { IdentityStore } from '../store/port.js';

type DefaultProfile = NonNullable<AccountFacts['defaultProfile']>;

/** The profile that agents made by an API key begin with: a part of the account, so that its record carries it. */
export class DefaultProfiles {
  constructor(
    private readonly store: Pick<IdentityStore, 'account'>,
    private readonly publication: Publication,
  ) {}

  /** `null`: none is set. @throws HttpRefusal 401 where the account is gone */
  async get(accountId: string): Promise<DefaultProfile | null> {
    return (await this.#account(accountId)).facts.defaultProfile ?? null;
  }

  /**
   * Replaces it whole; `null` takes it away. In force for the next registration once it resolves.
   * @param body as a PATCH of a profile
   * @throws HttpRefusal 400 that names the field; 401; 413; 503
   */
  async put(accountId: string, body: unknown): Promise<DefaultProfile | null> {
    const wanted = body === null ? undefined : rulesOf(body);
    await this.publication.change(async () => {
      const { id, version, facts } = await this.#account(accountId);
      const { defaultProfile, ...others } = facts;
      if (isDeepStrictEqual(defaultProfile, wanted)) return null;
      const next = wanted === undefined ? others : { ...others, defaultProfile: wanted };
      return { accounts: [{ id, version: version + 1, facts: next }] };
    });
    return wanted ?? null;
  }

  async #account(accountId: string): Promise<Account> {
    const account = await this.store.account(accountId);
    if (account === null) throw new HttpRefusal(401, 'the account of this session is gone');
    return account;
  }
}

function rulesOf(body: unknown): DefaultProfile {
  const read = readProfilePatch(body);
  if ('error' in read) throw new HttpRefusal(400, read.error);
  const { agent_id: _agent, version: _version, require, ...others } = read.patch;
  const rules = require === undefined || require === null || require.length === 0 ? others : { ...others, require };
  const bytes = canonicalBytes(rules).length;
  if (bytes > MAX_PROFILE_BYTES) {
    throw new HttpRefusal(413, `the profile has ${bytes} bytes of canonical JSON: ${MAX_PROFILE_BYTES} are the most`);
  }
  return rules;
}
