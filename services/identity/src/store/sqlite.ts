import { openDatabase, sqliteAnnouncements, sqliteOutbox } from '@countersign/service-kit';
import type { SqliteAnnouncements, SqliteDatabase, SqliteOutbox } from '@countersign/service-kit';
import type { AccountFacts, ApiKeyFacts, Role, SessionFacts } from '@countersign/contracts';
import type { Account, ApiKey, Session, User } from '../domain/members.js';
import type { Adoption, FailureLimits, Failures } from './port.js';
import type { IdentityStore, IdentityWrite, Members, Page, WriteResult } from './port.js';
import { Rejected, SqliteWrites } from './sqlite-writes.js';
import { MIGRATIONS } from './schema.js';

interface FactsRow {
  readonly id: string;
  readonly version: number;
  readonly facts: string;
}
interface ApiKeyRow extends FactsRow {
  readonly last_used_at: string | null;
}
interface UserRow {
  readonly id: string;
  readonly version: number;
  readonly account_id: string;
  readonly email: string;
  readonly role: Role;
  readonly password_hash: string;
  readonly created_at: string;
}

const USER = 'id, version, account_id, email, role, password_hash, created_at';
const API_KEY = 'id, version, facts, last_used_at';
const PAGE = 500;

/** One file; every write is one transaction with `synchronous=FULL`. */
export class SqliteIdentityStore implements IdentityStore {
  readonly outbox: SqliteOutbox;
  readonly announcements: SqliteAnnouncements;
  readonly #database: SqliteDatabase;
  readonly #writes: SqliteWrites;

  /** @throws StoreDamaged naming the file */
  constructor(file: string) {
    this.#database = openDatabase(file, MIGRATIONS);
    this.outbox = sqliteOutbox(this.#database);
    this.announcements = sqliteAnnouncements(this.#database);
    this.#writes = new SqliteWrites(this.#database, this.outbox, this.announcements);
  }

  async write(write: IdentityWrite): Promise<WriteResult> {
    try {
      this.#database.transaction(() => this.#writes.write(write)).immediate();
      return 'written';
    } catch (error) {
      if (error instanceof Rejected) return error.result;
      throw error;
    }
  }

  async adopt(adoption: Adoption): Promise<void> {
    this.#database.transaction(() => this.#writes.adopt(adoption)).immediate();
  }

  async hasAccount(): Promise<boolean> {
    return this.#get('SELECT 1 FROM accounts LIMIT 1') !== undefined;
  }

  async account(id: string): Promise<Account | null> {
    const row = this.#get<FactsRow>('SELECT id, version, facts FROM accounts WHERE id = ?', id);
    return row === undefined ? null : accountOf(row);
  }

  async members(accountId: string): Promise<Members | null> {
    const row = this.#get<{ readonly version: number; readonly admins: number }>(
      `SELECT members_version AS version,
         (SELECT count(*) FROM users WHERE account_id = accounts.id AND role = 'admin') AS admins
       FROM accounts WHERE id = ?`,
      accountId,
    );
    return row ?? null;
  }

  async userByEmail(email: string): Promise<User | null> {
    const row = this.#get<UserRow>(`SELECT ${USER} FROM users WHERE email = ?`, email);
    return row === undefined ? null : userOf(row);
  }

  async user(id: string): Promise<User | null> {
    const row = this.#get<UserRow>(`SELECT ${USER} FROM users WHERE id = ?`, id);
    return row === undefined ? null : userOf(row);
  }

  async accountUser(accountId: string, id: string): Promise<User | null> {
    const row = this.#get<UserRow>(`SELECT ${USER} FROM users WHERE id = ? AND account_id = ?`, id, accountId);
    return row === undefined ? null : userOf(row);
  }

  async users(accountId: string, limit: number, offset: number): Promise<Page<User>> {
    return this.#page<UserRow, User>('users', USER, accountId, limit, offset, userOf);
  }

  async apiKey(id: string): Promise<ApiKey | null> {
    const row = this.#get<ApiKeyRow>(`SELECT ${API_KEY} FROM api_keys WHERE id = ?`, id);
    return row === undefined ? null : apiKeyOf(row);
  }

  async accountApiKey(accountId: string, id: string): Promise<ApiKey | null> {
    const row = this.#get<ApiKeyRow>(`SELECT ${API_KEY} FROM api_keys WHERE id = ? AND account_id = ?`, id, accountId);
    return row === undefined ? null : apiKeyOf(row);
  }

  async apiKeys(accountId: string, limit: number, offset: number): Promise<Page<ApiKey>> {
    return this.#page<ApiKeyRow, ApiKey>('api_keys', API_KEY, accountId, limit, offset, apiKeyOf);
  }

  async session(id: string): Promise<Session | null> {
    const row = this.#get<FactsRow>('SELECT id, version, facts FROM sessions WHERE id = ?', id);
    return row === undefined ? null : sessionOf(row);
  }

  async openSessions(userId: string): Promise<readonly Session[]> {
    const sql = 'SELECT id, version, facts FROM sessions WHERE user_id = ? AND revoked = 0';
    return this.#all<FactsRow>(sql, userId).map(sessionOf);
  }

  async expiredSessions(before: string, limit: number): Promise<readonly Session[]> {
    const sql = 'SELECT id, version, facts FROM sessions WHERE expires_at < ? ORDER BY expires_at LIMIT ?';
    return this.#all<FactsRow>(sql, before, limit).map(sessionOf);
  }

  allAccounts(): AsyncIterable<Account> {
    return this.#every<FactsRow, Account>('accounts', 'id, version, facts', accountOf);
  }

  allApiKeys(): AsyncIterable<ApiKey> {
    return this.#every<ApiKeyRow, ApiKey>('api_keys', API_KEY, apiKeyOf);
  }

  allSessions(): AsyncIterable<Session> {
    return this.#every<FactsRow, Session>('sessions', 'id, version, facts', sessionOf);
  }

  async failures(email: string, ip: string, sinceMs: number, limits: FailureLimits): Promise<Failures> {
    const times = (condition: string, values: readonly string[], limit: number): number[] =>
      this.#all<{ readonly at_ms: number }>(
        `SELECT at_ms FROM login_failures WHERE ${condition} AND at_ms > ? ORDER BY at_ms DESC LIMIT ?`,
        ...values,
        sinceMs,
        limit,
      ).map((row) => row.at_ms);
    return {
      ofPair: times('email = ? AND ip = ?', [email, ip], limits.ofPair),
      ofAddress: times('email = ?', [email], limits.ofAddress),
      ofIp: times('ip = ?', [ip], limits.ofIp),
    };
  }

  async failed(email: string, ip: string, atMs: number, sinceMs: number): Promise<string> {
    const keep = this.#database.prepare('INSERT INTO login_failures (at_ms, email, ip) VALUES (?, ?, ?)');
    const forget = this.#database.prepare('DELETE FROM login_failures WHERE at_ms <= ?');
    const number = this.#database
      .transaction(() => {
        forget.run(sinceMs);
        return keep.run(atMs, email, ip).lastInsertRowid;
      })
      .immediate();
    return String(number);
  }

  async forgive(failure: string): Promise<void> {
    this.#database.prepare('DELETE FROM login_failures WHERE rowid = ?').run(Number(failure));
  }

  async signedInFrom(email: string, ip: string, atMs: number, sinceMs: number): Promise<void> {
    const forget = this.#database.prepare('DELETE FROM sign_in_places WHERE at_ms <= ?');
    const keep = this.#database.prepare(
      `INSERT INTO sign_in_places (email, ip, at_ms) VALUES (?, ?, ?)
       ON CONFLICT (email, ip) DO UPDATE SET at_ms = max(at_ms, excluded.at_ms)`,
    );
    this.#database
      .transaction(() => {
        forget.run(sinceMs);
        keep.run(email, ip, atMs);
      })
      .immediate();
  }

  async hasSignedInFrom(email: string, ip: string, sinceMs: number): Promise<boolean> {
    const sql = 'SELECT 1 FROM sign_in_places WHERE email = ? AND ip = ? AND at_ms > ?';
    return this.#get(sql, email, ip, sinceMs) !== undefined;
  }

  async position(partition: number): Promise<number | null> {
    const row = this.#get<{ readonly next: number }>('SELECT next FROM positions WHERE partition = ?', partition);
    return row?.next ?? null;
  }

  async used(partition: number, next: number, lastUsedAt: ReadonlyMap<string, string>): Promise<void> {
    this.#database.transaction(() => this.#writes.used(partition, next, lastUsedAt)).immediate();
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  #get<Row>(sql: string, ...values: readonly unknown[]): Row | undefined {
    return this.#database.prepare<unknown[], Row>(sql).get(...values);
  }

  #all<Row>(sql: string, ...values: readonly unknown[]): Row[] {
    return this.#database.prepare<unknown[], Row>(sql).all(...values);
  }

  #page<Row, T>(
    table: string,
    columns: string,
    accountId: string,
    limit: number,
    offset: number,
    read: (row: Row) => T,
  ): Page<T> {
    const sql = `SELECT ${columns} FROM ${table} WHERE account_id = ? ORDER BY number DESC LIMIT ? OFFSET ?`;
    const count = this.#get<{ readonly total: number }>(
      `SELECT count(*) AS total FROM ${table} WHERE account_id = ?`,
      accountId,
    );
    return { items: this.#all<Row>(sql, accountId, limit, offset).map(read), total: count?.total ?? 0 };
  }

  async *#every<Row extends { readonly id: string }, T>(
    table: string,
    columns: string,
    read: (row: Row) => T,
  ): AsyncIterable<T> {
    let last = '';
    for (;;) {
      const rows = this.#all<Row>(`SELECT ${columns} FROM ${table} WHERE id > ? ORDER BY id LIMIT ?`, last, PAGE);
      for (const row of rows) yield read(row);
      if (rows.length < PAGE) return;
      last = rows.at(-1)!.id;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

function accountOf({ id, version, facts }: FactsRow): Account {
  return { id, version, facts: JSON.parse(facts) as AccountFacts };
}

function sessionOf({ id, version, facts }: FactsRow): Session {
  return { id, version, facts: JSON.parse(facts) as SessionFacts };
}

function apiKeyOf({ id, version, facts, last_used_at: lastUsedAt }: ApiKeyRow): ApiKey {
  return { id, version, facts: JSON.parse(facts) as ApiKeyFacts, lastUsedAt };
}

function userOf(row: UserRow): User {
  const { id, version, account_id: accountId, email, role, password_hash: passwordHash, created_at: createdAt } = row;
  return { id, version, accountId, email, role, passwordHash, createdAt };
}
