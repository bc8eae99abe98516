import { isDeepStrictEqual } from 'node:util';
import type { AccountFacts, BehaviorProfile, JsonValue } from '@countersign/contracts';
import {
  applyProfilePatch,
  conditionalProblem,
  emptyProfile,
  profileSizeProblem,
  profileWarnings,
  readProfilePatch,
  withoutUnset,
} from '@countersign/policy-engine';
import { HttpRefusal } from '@countersign/http-edge';
import type { Account } from '../domain/members.js';
import type { Publication } from '../publication.js';
import { accountChanged, byUser } from '../trail/acts.js';
import type { IdentityStore } from '../store/port.js';

/** Same length as the id of an agent. */
const NO_AGENT = '00000000-0000-0000-0000-000000000000';

type DefaultProfile = NonNullable<AccountFacts['defaultProfile']>;

/** Initial profile of agents created by an API key: a part of the account, so that its record carries it. */
export class DefaultProfiles {
  constructor(
    private readonly store: Pick<IdentityStore, 'account'>,
    private readonly publication: Publication,
  ) {}

  /** `null`: none is set. @throws HttpRefusal 401 if the account was removed */
  async get(accountId: string): Promise<DefaultProfile | null> {
    return (await this.#account(accountId)).facts.defaultProfile ?? null;
  }

  /**
   * Replaces the whole profile; `null` removes it. Applies to the next registration once the promise resolves.
   * @param body as a PATCH of a profile
   * @returns the profile, and warnings about entries without effect
   * @throws HttpRefusal 400 naming the field; 401; 413; 503
   */
  async put(
    { accountId, userId }: { readonly accountId: string; readonly userId: string },
    body: unknown,
  ): Promise<{ readonly profile: DefaultProfile | null; readonly warnings: readonly string[] }> {
    const wanted = body === null ? undefined : rulesOf(body);
    await this.publication.change(async () => {
      const { id, version, facts } = await this.#account(accountId);
      const { defaultProfile, ...others } = facts;
      if (isDeepStrictEqual(defaultProfile, wanted)) return null;
      const next = wanted === undefined ? others : { ...others, defaultProfile: wanted };
      const profile = wanted === undefined ? null : (wanted as JsonValue);
      return {
        accounts: [{ id, version: version + 1, facts: next }],
        acts: [accountChanged(id, 'account.default_profile_changed', byUser(userId), { profile })],
      };
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
  const { agent_id: _agent, version: _version, ...wanted } = read.patch;
  const rules = withoutUnset(wanted);
  const problem = conditionalProblem(rules);
  if (problem !== null) throw new HttpRefusal(400, problem);
  const tooLarge = profileSizeProblem(profileOf(rules));
  if (tooLarge !== null) throw new HttpRefusal(413, tooLarge);
  return rules;
}

/** The profile of a new agent. */
function profileOf(rules: DefaultProfile): BehaviorProfile {
  return applyProfilePatch(emptyProfile(NO_AGENT), rules);
}
