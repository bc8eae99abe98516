import { API_KEY_RIGHTS } from '@countersign/contracts';
import type { NewRecord } from '@countersign/event-log';
import type { Account, ApiKey, Session, User } from '../domain/members.js';
import { revoked } from '../domain/members.js';
import { onPlan } from '../domain/plans.js';
import { markFirstKeys } from '../issue-api-keys/first-keys.js';
import type { IdentityStore } from './port.js';

const T = Date.UTC(2026, 2, 1);
const MINUTE = 60_000;
const iso = (ms: number): string => new Date(ms).toISOString();

const account: Account = { id: 'account-1', version: 1, facts: onPlan('Airline', 'core', {}, T) };
const other: Account = { id: 'account-2', version: 1, facts: onPlan('Hotel', 'sandbox', {}, T) };
const user = (n: number, over: Partial<User> = {}): User => ({
  id: `user-${n}`,
  version: 1,
  accountId: account.id,
  email: `user${n}@example.com`,
  role: 'admin',
  passwordHash: 'hash',
  createdAt: iso(T + n),
  ...over,
});
const key = (n: number): ApiKey => ({
  id: `key-${n}`,
  version: 1,
  facts: {
    accountId: account.id,
    name: `key ${n}`,
    prefix: 'csn_live_1234567',
    sha256: String(n).repeat(64),
    createdAt: iso(T),
    revokedAt: null,
  },
  lastUsedAt: null,
});
const session = (n: number, expiresAtMs = T): Session => ({
  id: `session-${n}`,
  version: 1,
  facts: {
    accountId: account.id,
    userId: 'user-1',
    email: 'user1@example.com',
    role: 'admin',
    expiresAt: iso(expiresAtMs),
    revokedAt: null,
  },
});

export interface OpenedStore {
  readonly store: IdentityStore;
  /** Closes and reopens the store. */
  reopen(): Promise<IdentityStore>;
  cleanup(): Promise<void>;
}

/** Contract of every store of identity. */
const MANY = { ofPair: 10, ofAddress: 10, ofIp: 10 };

export function identityStoreContract(backend: string, open: () => Promise<OpenedStore>): void {
  describe(`the identity store on ${backend}`, () => {
    let opened: OpenedStore;
    let store: IdentityStore;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
      await store.write({ accounts: [account, other], users: [user(1)] });
    });
    afterEach(() => opened.cleanup());

    const published = async (): Promise<string[]> =>
      (await store.outbox.pending(100)).map(({ record }) => `${record.topic}:${record.key}`);
    const newestOf = async (key: string): Promise<NewRecord> =>
      (await store.outbox.pending(100)).filter(({ record }) => record.key === key).at(-1)!.record;
    const announced = async (): Promise<string[]> =>
      (await store.announcements.unannounced(100)).map(({ kind, id, version }) => `${kind}:${id}:${version}`);

    it('adopts published state over its own, and publishes nothing', async () => {
      await store.write({ apiKeys: [key(1)], sessions: [session(1), session(2)] });
      const before = await published();
      const renamed = { ...account, version: 4, facts: { ...account.facts, name: 'Railway' } };
      const adoption = {
        accounts: [renamed, { ...other, id: 'account-3' }],
        apiKeys: [{ ...revoked(key(1), iso(T)), version: 3 }, key(2)],
        sessions: [revoked(session(1), iso(T)), session(3)],
        goneSessions: ['session-2'],
      };
      await store.adopt(adoption);
      await store.adopt(adoption);
      store = await opened.reopen();
      expect(await store.account(account.id)).toEqual(renamed);
      expect(await store.members('account-3')).toEqual({ version: 0, admins: 0 });
      expect((await store.apiKeys(account.id, 10, 0)).items).toEqual([
        key(2),
        { ...revoked(key(1), iso(T)), version: 3 },
      ]);
      expect(await store.session('session-1')).toEqual(revoked(session(1), iso(T)));
      expect([await store.session('session-2'), await store.session('session-3')]).toEqual([null, session(3)]);
      expect(await published()).toEqual(before);
      const next = { ...renamed, version: 5 };
      expect(await store.write({ accounts: [next], members: { accountId: account.id, version: 0 } })).toBe('written');
    });

    it('keeps a change, its records and its announcements together, over a restart', async () => {
      expect(await store.write({ apiKeys: [key(1)], sessions: [session(1)] })).toBe('written');
      store = await opened.reopen();
      expect(await store.apiKey('key-1')).toEqual(key(1));
      expect(await store.accountApiKey(account.id, 'key-1')).toEqual(key(1));
      expect(await store.accountApiKey(other.id, 'key-1')).toBeNull();
      expect(await store.session('session-1')).toEqual(session(1));
      expect(await store.account(account.id)).toEqual(account);
      expect(await store.user('user-1')).toEqual(user(1));
      expect(await store.accountUser(account.id, 'user-1')).toEqual(user(1));
      expect(await store.accountUser(other.id, 'user-1')).toBeNull();
      expect(await published()).toEqual([
        'accounts:account-1',
        'accounts:account-2',
        'api-keys:key-1',
        'sessions:session-1',
      ]);
      expect(await announced()).toEqual([
        'account:account-1:1',
        'account:account-2:1',
        `api-key:${key(1).facts.sha256}:1`,
        'api-key:key-1:1',
        'session:session-1:1',
      ]);
    });

    it('knows whether there is any account', async () => {
      expect(await store.hasAccount()).toBe(true);
    });

    it('writes nothing of a change if a part is at another version', async () => {
      const before = await published();
      const stale: Account = { ...account, version: 3 };
      expect(await store.write({ apiKeys: [key(1)], accounts: [stale] })).toBe('conflict');
      expect(await store.write({ apiKeys: [key(1), key(1)] })).toBe('conflict');
      expect(await store.write({ apiKeys: [key(1)], sessions: [revoked(session(1), iso(T))] })).toBe('conflict');
      expect(await store.write({ apiKeys: [key(1)], removedSessions: [session(1)] })).toBe('conflict');
      expect(await store.write({ apiKeys: [key(1)], removedUsers: [user(7)] })).toBe('conflict');
      expect(await store.write({ apiKeys: [key(1)], users: [user(1, { version: 3 })] })).toBe('conflict');
      expect(await store.apiKey('key-1')).toBeNull();
      expect(await published()).toEqual(before);
    });

    it('finds a user by the subject at a provider, which two users never share', async () => {
      const subject = { issuer: 'https://login.example.com', sub: 'a b' };
      expect(await store.userBySubject(subject)).toBeNull();
      const bound = user(1, { version: 2, subject });
      expect(await store.write({ users: [bound, user(2)] })).toBe('written');
      store = await opened.reopen();
      expect(await store.userBySubject(subject)).toEqual(bound);
      expect(await store.userBySubject({ ...subject, issuer: 'https://other.example.com' })).toBeNull();
      const second = user(2, { version: 2, subject, accountId: other.id });
      expect(await store.write({ users: [second] })).toBe('email-taken');
      expect(await store.write({ removedUsers: [bound] })).toBe('written');
      expect(await store.userBySubject(subject)).toBeNull();
      expect(await store.write({ users: [second] })).toBe('written');
    });

    it('takes an address once, over all accounts, and frees it when its user is removed', async () => {
      const twin = user(2, { email: 'user1@example.com', accountId: other.id });
      expect(await store.write({ users: [twin] })).toBe('email-taken');
      expect(await store.user('user-2')).toBeNull();
      expect(await store.write({ removedUsers: [user(1)] })).toBe('written');
      expect(await store.write({ users: [twin] })).toBe('written');
      expect(await store.userByEmail('user1@example.com')).toEqual(twin);
      const again = user(1, { email: 'again@example.com' });
      expect(await store.write({ users: [again] })).toBe('written');
      expect(await store.user('user-1')).toEqual(again);
      expect(await store.userByEmail('unknown@example.com')).toBeNull();
    });

    it('lets one of two changes of the users through that counted the same admins', async () => {
      const { version, admins } = (await store.members(account.id))!;
      expect(admins).toBe(1);
      const members = { accountId: account.id, version };
      expect(await store.write({ users: [user(2)], members })).toBe('written');
      expect(await store.write({ users: [user(3)], members })).toBe('conflict');
      expect(await store.members(account.id)).toEqual({ version: version + 1, admins: 2 });
      expect(await store.members('unknown')).toBeNull();
    });

    it('marks the oldest key of an account that is older than rights as its first, once, and no other', async () => {
      const old = (n: number): ApiKey => ({ ...key(n), facts: { ...key(n).facts, createdAt: iso(T + n) } });
      const limited: ApiKey = {
        ...key(9),
        facts: {
          ...key(9).facts,
          accountId: other.id,
          rights: ['check'],
          agentIds: ['agent-1'],
          expiresAt: iso(T + 9),
        },
      };
      await store.write({ apiKeys: [old(3), old(1), old(2), limited] });
      await markFirstKeys(store);
      await markFirstKeys(store);
      store = await opened.reopen();
      expect(await store.apiKey('key-1')).toEqual({
        ...old(1),
        version: 2,
        facts: { ...old(1).facts, first: true, rights: API_KEY_RIGHTS },
      });
      expect([await store.apiKey('key-2'), await store.apiKey('key-3')]).toEqual([old(2), old(3)]);
      expect(await store.apiKey('key-9')).toEqual(limited);
      expect((await announced()).filter((row) => row.endsWith(':2'))).toContain('api-key:key-1:2');
      expect((await newestOf('key-1')).value).toContain('"first":true');
    });

    it('opens no session for a user who changed in between', async () => {
      const expectedUser = { id: 'user-1', version: 1 };
      expect(await store.write({ sessions: [session(1)], expectedUser })).toBe('written');
      await store.write({ users: [user(1, { version: 2, role: 'auditor' })] });
      expect(await store.write({ sessions: [session(2)], expectedUser })).toBe('conflict');
    });

    it('lists users and keys of an account, newest first, in pages', async () => {
      await store.write({ users: [user(2), user(3), user(4, { accountId: other.id })] });
      await store.write({ apiKeys: [key(1), key(2), key(3)] });
      const users = await store.users(account.id, 2, 1);
      expect([users.items.map(({ id }) => id), users.total]).toEqual([['user-2', 'user-1'], 3]);
      const keys = await store.apiKeys(account.id, 2, 0);
      expect([keys.items.map(({ id }) => id), keys.total]).toEqual([['key-3', 'key-2'], 3]);
      expect((await store.apiKeys(other.id, 10, 0)).items).toEqual([]);
    });

    it('returns the open sessions of a user and expired ones', async () => {
      await store.write({ sessions: [session(1, T), session(2, T + 2), session(3, T + 9)] });
      await store.write({ sessions: [revoked(session(3, T + 9), iso(T))] });
      expect((await store.openSessions('user-1')).map(({ id }) => id).sort()).toEqual(['session-1', 'session-2']);
      const over = await store.expiredSessions(iso(T + 3), 10);
      expect(over.map(({ id }) => id)).toEqual(['session-1', 'session-2']);
      expect(await store.expiredSessions(iso(T + 3), 1)).toHaveLength(1);
      expect(await store.write({ removedSessions: over })).toBe('written');
      expect(await store.session('session-1')).toBeNull();
      expect(JSON.parse((await newestOf('session-2')).value)).toEqual({
        v: 1,
        id: 'session-2',
        version: 2,
        value: null,
      });
    });

    it('iterates over everything that has a topic', async () => {
      await store.write({
        apiKeys: Array.from({ length: 502 }, (_, n) => key(n)),
        sessions: [session(1), session(2)],
      });
      const count = async (all: AsyncIterable<unknown>): Promise<number> => {
        let n = 0;
        for await (const thing of all) n += thing === undefined ? 0 : 1;
        return n;
      };
      expect(await count(store.allAccounts())).toBe(2);
      expect(await count(store.allApiKeys())).toBe(502);
      expect(await count(store.allSessions())).toBe(2);
    });

    it('stores failures of an address and of an IP, newest first, and removes old ones', async () => {
      for (const n of [1, 2, 3]) await store.failed('a@x.example', '10.0.0.1', T + n * MINUTE, T);
      await store.failed('b@x.example', '10.0.0.1', T + 4 * MINUTE, T);
      await store.failed('a@x.example', '10.0.0.2', T + 4 * MINUTE, T);
      expect(await store.failures('a@x.example', '10.0.0.1', T, { ofPair: 2, ofAddress: 2, ofIp: 3 })).toEqual({
        ofPair: [T + 3 * MINUTE, T + 2 * MINUTE],
        ofAddress: [T + 4 * MINUTE, T + 3 * MINUTE],
        ofIp: [T + 4 * MINUTE, T + 3 * MINUTE, T + 2 * MINUTE],
      });
      const since = T + 3 * MINUTE;
      expect(await store.failures('a@x.example', 'other', since, MANY)).toEqual({
        ofPair: [],
        ofAddress: [T + 4 * MINUTE],
        ofIp: [],
      });
      await store.failed('a@x.example', '10.0.0.1', T + 5 * MINUTE, T + 4 * MINUTE);
      expect((await store.failures('a@x.example', '10.0.0.1', 0, MANY)).ofIp).toEqual([T + 5 * MINUTE]);
    });

    it('stores the IPs from which an address was signed in to, and removes old sign-ins', async () => {
      await store.signedInFrom('a@x.example', '10.0.0.1', T + 2, T);
      await store.signedInFrom('a@x.example', '10.0.0.1', T + 1, T);
      await store.signedInFrom('a@x.example', '10.0.0.2', T + 3, T);
      const from = async (ip: string, since: number) => store.hasSignedInFrom('a@x.example', ip, since);
      store = await opened.reopen();
      expect([await from('10.0.0.1', T + 1), await from('10.0.0.1', T + 2), await from('10.0.0.3', T)]).toEqual([
        true,
        false,
        false,
      ]);
      expect(await store.hasSignedInFrom('b@x.example', '10.0.0.1', T)).toBe(false);
      await store.signedInFrom('b@x.example', '10.0.0.1', T + 4, T + 2);
      expect([await from('10.0.0.1', 0), await from('10.0.0.2', 0)]).toEqual([false, true]);
    });

    it('forgives a failure, and no other', async () => {
      const [first, second] = [await store.failed('a', 'i', T + 1, T), await store.failed('a', 'i', T + 1, T)];
      expect(first).not.toBe(second);
      await store.forgive(first);
      await store.forgive(first);
      expect(await store.failures('a', 'i', T, MANY)).toEqual({ ofPair: [T + 1], ofAddress: [T + 1], ofIp: [T + 1] });
    });

    it('advances its position with the last uses of keys, which never fall', async () => {
      await store.write({ apiKeys: [key(1)] });
      expect(await store.position(0)).toBeNull();
      await store.used(
        0,
        5,
        new Map([
          ['key-1', iso(T + 5)],
          ['unknown', iso(T)],
        ]),
      );
      await store.used(0, 9, new Map([['key-1', iso(T + 1)]]));
      store = await opened.reopen();
      expect(await store.position(0)).toBe(9);
      expect((await store.apiKey('key-1'))?.lastUsedAt).toBe(iso(T + 5));
    });
  });
}
