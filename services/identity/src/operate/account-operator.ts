import type { AccountFacts } from '@countersign/contracts';
import type { AccountOperator, ServiceContext } from '@countersign/service-kit';
import { normalEmail } from '../domain/lock-out.js';
import { onPlan } from '../domain/plans.js';
import { apiKeyOf, FIRST_KEY } from '../issue-api-keys/api-keys.js';
import type { Publication } from '../publication.js';
import { accountChanged, keyCreated, OPERATOR, userCreated } from '../trail/acts.js';
import type { ApiKey, User } from '../domain/members.js';
import type { PasswordLinks } from '../sign-in/password-links.js';
import type { OneTimeLinks } from '../sign-in/one-time-links.js';
import { hashPassword } from '../sign-in/passwords.js';
import type { IdentityStore } from '../store/port.js';

/** Operations on accounts for the operator of the instance; not reachable over the API. */
export function accountOperator(
  context: Pick<ServiceContext, 'clock'>,
  store: IdentityStore,
  publication: Publication,
  links: OneTimeLinks,
  passwordLinks: Pick<PasswordLinks, 'forOperator'>,
): AccountOperator {
  return {
    hasAccount: () => store.hasAccount(),

    async createFirst(first) {
      const passwordHash = await hashPassword(first.password);
      const result = await publication.change(async () => {
        const now = context.clock();
        const createdAt = new Date(now).toISOString();
        const { accountId, userId, apiKeyId } = first;
        const [account, user, apiKey] = await Promise.all([
          store.account(accountId),
          store.user(userId),
          store.apiKey(apiKeyId),
        ]);
        const facts = onPlan(first.accountName, first.plan, {}, now);
        const email = normalEmail(first.email);
        const owner = { accountId, name: first.apiKeyName, createdBy: userId };
        const users: User[] =
          user === null ? [{ id: userId, version: 1, accountId, email, role: 'admin', passwordHash, createdAt }] : [];
        const apiKeys: ApiKey[] =
          apiKey === null ? [apiKeyOf(apiKeyId, owner, first.apiKey, createdAt, FIRST_KEY)] : [];
        return {
          accounts: account === null ? [{ id: accountId, version: 1, facts }] : [],
          ...{ users, apiKeys },
          acts: [
            ...users.map((created) => userCreated(created, OPERATOR)),
            ...apiKeys.map((created) => keyCreated(created, OPERATOR)),
          ],
        };
      });
      if (result === 'email-taken') throw new Error('the e-mail address of the first user is taken');
    },

    async setPlan({ accountId, plan, ...agreed }) {
      let known = true;
      await publication.change(async () => {
        const account = await store.account(accountId.toLowerCase());
        known = account !== null;
        const facts = onPlan(account?.facts.name ?? '', plan, agreed, context.clock());
        if (account === null) return null;
        const { defaultProfile, trustedIssuers, secondFactorRequired } = account.facts;
        const kept = {
          ...facts,
          ...(defaultProfile === undefined ? {} : { defaultProfile }),
          ...(trustedIssuers === undefined ? {} : { trustedIssuers }),
          ...(secondFactorRequired === undefined ? {} : { secondFactorRequired }),
        };
        return {
          accounts: [{ id: account.id, version: account.version + 1, facts: kept }],
          acts: [
            accountChanged(account.id, 'account.plan_changed', OPERATOR, {
              before: termsOf(account.facts),
              after: termsOf(kept),
            }),
          ],
        };
      });
      return known ? 'set' : 'unknown-account';
    },

    passwordLink: ({ email, resetsSecondFactor = false }) => passwordLinks.forOperator(email, resetsSecondFactor),

    async signInOnce(email) {
      const user = await store.userByEmail(normalEmail(email));
      return user === null ? null : links.issue(user.id);
    },
  };
}

/** Terms of an account, as its trail shows them. */
function termsOf({ plan, actionCap, sandboxExpiresAt, cadenceSeconds }: AccountFacts) {
  return { plan, actionCap, sandboxExpiresAt, cadenceSeconds };
}
