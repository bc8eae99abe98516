import { join } from 'node:path';
import type { AccountFacts, ApiKeyFacts, SessionFacts } from '@countersign/contracts';
import { aheadOfStore } from '@countersign/topics';
import type { RestoreContext, RestoreOptions, Restored } from '@countersign/service-kit';
import type { Ahead, Owned } from '@countersign/topics';
import { openMongoIdentityStore, openSqliteIdentityStore } from './store/open.js';
import type { IdentityStore } from './store/port.js';

type Found<T> = Ahead<T> & { readonly value: T };

/**
 * Restores from the topics `accounts`, `api-keys` and `sessions` what is missing in a store that was restored from an older copy.
 * No topic holds users and their passwords: users known to be missing, or to have had another role, are named.
 * @throws TopicDiffers
 */
export async function restoreFromTopics(context: RestoreContext, { dryRun }: RestoreOptions): Promise<Restored> {
  const store = await context.openStore<IdentityStore>({
    sqlite: () => openSqliteIdentityStore(join(context.directory, 'identity.sqlite')),
    mongo: openMongoIdentityStore,
  });
  try {
    const { eventLog } = context;
    const now = new Date(context.clock()).toISOString();
    const accounts = there(await aheadOfStore<AccountFacts>(eventLog, 'accounts', owned(store.allAccounts())));
    const apiKeys = there(await aheadOfStore<ApiKeyFacts>(eventLog, 'api-keys', owned(store.allApiKeys())));
    const publishedSessions = await aheadOfStore<SessionFacts>(eventLog, 'sessions', owned(store.allSessions()));
    // Expired sessions are removed from the store, and remain in the topic for a while.
    const sessions = there(publishedSessions).filter(({ stored, value }) => stored > 0 || value.expiresAt > now);
    const goneSessions = publishedSessions.filter(({ value }) => value === null).map(({ id }) => id);
    const lost = [...(await usersMissing(store, sessions)), ...usersOfNew(accounts, sessions)];
    if (!dryRun) {
      await store.adopt({
        accounts: accounts.map(thing),
        apiKeys: apiKeys.map(thing),
        sessions: sessions.map(thing),
        goneSessions,
      });
    }
    return {
      adopted: [
        ...accounts.map(
          ({ id, stored, version, value }) => `account ${id} (${value.name}): ${from(stored)} → ${version}`,
        ),
        ...apiKeys.map(
          ({ id, stored, version, value }) =>
            `API key ${id} (${value.name}): ${from(stored)} → ${version}${value.revokedAt === null ? '' : ', revoked'}`,
        ),
        ...(sessions.length + goneSessions.length === 0 ? [] : [`${sessions.length + goneSessions.length} sessions`]),
      ],
      lost,
    };
  } finally {
    await store.close();
  }
}

/** Users with a later login that are missing in the copy or have another role in it. */
async function usersMissing(
  store: IdentityStore,
  sessions: readonly Found<SessionFacts>[],
): Promise<readonly string[]> {
  const newest = new Map(
    sessions
      .toSorted((a, b) => (a.value.expiresAt < b.value.expiresAt ? -1 : 1))
      .map(({ value }) => [value.userId, value] as const),
  );
  const lost: string[] = [];
  for (const { userId, email, role, accountId } of newest.values()) {
    const user = await store.user(userId);
    if (user === null) lost.push(`user ${email} of account ${accountId} is not in the copy`);
    else if (user.role !== role) lost.push(`user ${email} is ${user.role} again, and was ${role} at the last login`);
  }
  return lost;
}

/** Accounts that were registered later and whose users have no login. */
function usersOfNew(
  accounts: readonly Found<AccountFacts>[],
  sessions: readonly Found<SessionFacts>[],
): readonly string[] {
  const named = new Set(sessions.map(({ value }) => value.accountId));
  return accounts
    .filter(({ id, stored }) => stored === 0 && !named.has(id))
    .map(({ id, value }) => `the users of account ${id} (${value.name}) are not in the copy`);
}

function there<T>(ahead: readonly Ahead<T>[]): readonly Found<T>[] {
  return ahead.filter((one): one is Found<T> => one.value !== null);
}

function thing<T>({ id, version, value }: Found<T>): {
  readonly id: string;
  readonly version: number;
  readonly facts: T;
} {
  return { id, version, facts: value };
}

const from = (stored: number): string => (stored === 0 ? 'unknown' : `version ${stored}`);

async function* owned(
  things: AsyncIterable<{ readonly id: string; readonly version: number; readonly facts: object }>,
): AsyncGenerator<Owned> {
  for await (const { id, version, facts } of things) yield { id, version, value: facts };
}
