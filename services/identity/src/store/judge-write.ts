import type { IdentityWrite, WriteResult } from './port.js';

/** What is stored of the things that a write names; what is not stored is not in the maps. */
export interface Stored {
  /** Id → version. */
  readonly accounts: ReadonlyMap<string, number>;
  readonly users: ReadonlyMap<string, number>;
  readonly apiKeys: ReadonlyMap<string, number>;
  readonly sessions: ReadonlyMap<string, number>;
  /** Account → `Members.version`. */
  readonly members: ReadonlyMap<string, number>;
  /** Address → user, over all accounts. */
  readonly emails: ReadonlyMap<string, string>;
}

interface Versioned {
  readonly id: string;
  readonly version: number;
}

/** Why a write must not happen, or `null`. */
export function judgeWrite(write: IdentityWrite, stored: Stored): Exclude<WriteResult, 'written'> | null {
  const { members, expectedUser } = write;
  const accounts = new Map(stored.accounts);
  if (!allNext(write.accounts, accounts)) return 'conflict';
  if (members !== undefined) {
    if (!accounts.has(members.accountId)) return 'conflict';
    if ((stored.members.get(members.accountId) ?? 0) !== members.version) return 'conflict';
  }
  if (expectedUser !== undefined && stored.users.get(expectedUser.id) !== expectedUser.version) return 'conflict';
  const users = new Map(stored.users);
  const emails = new Map(stored.emails);
  for (const user of write.users ?? []) {
    if ((emails.get(user.email) ?? user.id) !== user.id) return 'email-taken';
    if (!allNext([user], users)) return 'conflict';
    emails.set(user.email, user.id);
  }
  const sessions = new Map(stored.sessions);
  const holds =
    allThere(write.removedUsers, users) &&
    allNext(write.apiKeys, new Map(stored.apiKeys)) &&
    allNext(write.sessions, sessions) &&
    allThere(write.removedSessions, sessions);
  return holds ? null : 'conflict';
}

function allNext(things: readonly Versioned[] = [], versions: Map<string, number>): boolean {
  return things.every(({ id, version }) => {
    if ((versions.get(id) ?? 0) !== version - 1) return false;
    versions.set(id, version);
    return true;
  });
}

function allThere(things: readonly Versioned[] = [], versions: Map<string, number>): boolean {
  return things.every(({ id, version }) => versions.get(id) === version && versions.delete(id));
}
