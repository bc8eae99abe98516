import { isDeepStrictEqual } from 'node:util';
import type { AccountFacts, BehaviorProfile } from '@countersign/contracts';
import {
  applyProfilePatch,
  emptyProfile,
  profileSizeProblem,
  profileWarnings,
  readProfilePatch,
} from '@countersign/policy-engine';
import { HttpRefusal } from '@countersign/http-edge';
import type { Account } from '../domain/members.js';
import type { Publication } from '../publication.js';
import type { IdentityStore } from '../store/port.js';

/** As long as the id of an agent. */
const NO_AGENT = '00000000-0000-0000-0000-000000000000';

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
   * @returns what is set, and what of it says something in vain
   * @throws HttpRefusal 400 that names the field; 401; 413; 503
   */
  async put(
    accountId: string,
    body: unknown,
  ): Promise<{ readonly profile: DefaultProfile | null; readonly warnings: readonly string[] }> {
    const wanted = body === null ? undefined : rulesOf(body);
    await this.publication.change(async () => {
      const { id, version, facts } = await this.#account(accountId);
      const { defaultProfile, ...others } = facts;
      if (isDeepStrictEqual(defaultProfile, wanted)) return null;
      const next = wanted === undefined ? others : { ...others, defaultProfile: wanted };
      return { accounts: [{ id, version: version + 1, facts: next }] };
    });
    return wanted === undefined
      ? { profile: null, warnings: [] }
      : { profile: wanted, warnings: profileWarnings(profileOf(wanted)) };
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
  const tooLarge = profileSizeProblem(profileOf(rules));
  if (tooLarge !== null) throw new HttpRefusal(413, tooLarge);
  return rules;
}

/** As an agent begins with it. */
function profileOf(rules: DefaultProfile): BehaviorProfile {
  return applyProfilePatch(emptyProfile(NO_AGENT), rules);
}
