import type { SqliteAnnouncements, SqliteDatabase, SqliteOutbox } from '@countersign/service-kit';
import type { User } from '../domain/members.js';
import type { Adoption, IdentityWrite, WriteResult } from './port.js';
import { toldBy } from './told.js';

/** Thrown inside the transaction, which it ends without a trace. */
export class Rejected extends Error {
  override readonly name = 'Rejected';
  constructor(readonly result: Exclude<WriteResult, 'written'>) {
    super(result);
  }
}

/** The writing half of `SqliteIdentityStore`. Every method runs inside the caller's transaction. */
export class SqliteWrites {
  readonly #database: SqliteDatabase;
  readonly #outbox: SqliteOutbox;
  readonly #announcements: SqliteAnnouncements;

  constructor(database: SqliteDatabase, outbox: SqliteOutbox, announcements: SqliteAnnouncements) {
    this.#database = database;
    this.#outbox = outbox;
    this.#announcements = announcements;
  }

  /** @throws Rejected */
  write(write: IdentityWrite): void {
    for (const { id, version, facts } of write.accounts ?? []) {
      this.#one(
        version === 1
          ? this.#run(
              'INSERT INTO accounts (facts, id, version) VALUES (?, ?, 1) ON CONFLICT DO NOTHING',
              json(facts),
              id,
            )
          : this.#run(`UPDATE accounts SET facts = ? ${TO_NEXT}`, json(facts), version, id, version - 1),
      );
    }
    if (write.members !== undefined) {
      const { accountId, version } = write.members;
      const sql = 'UPDATE accounts SET members_version = members_version + 1 WHERE id = ? AND members_version = ?';
      this.#one(this.#run(sql, accountId, version));
    }
    if (write.expectedUser !== undefined) {
      const { id, version } = write.expectedUser;
      if (this.#database.prepare('SELECT 1 FROM users WHERE id = ? AND version = ?').get(id, version) === undefined) {
        throw new Rejected('conflict');
      }
    }
    for (const user of write.users ?? []) this.#writeUser(user);
    for (const { id, version } of write.removedUsers ?? []) {
      this.#one(this.#run('DELETE FROM users WHERE id = ? AND version = ?', id, version));
    }
    for (const { id, version, facts } of write.apiKeys ?? []) {
      this.#one(
        version === 1
          ? this.#run(
              'INSERT INTO api_keys (id, version, account_id, facts) VALUES (?, 1, ?, ?) ON CONFLICT DO NOTHING',
              id,
              facts.accountId,
              json(facts),
            )
          : this.#run(`UPDATE api_keys SET facts = ? ${TO_NEXT}`, json(facts), version, id, version - 1),
      );
    }
    this.#writeSessions(write);
    const { records, announcements } = toldBy(write);
    this.#outbox.put(records);
    this.#announcements.put(announcements);
  }

  adopt({ accounts, apiKeys, sessions, goneSessions }: Adoption): void {
    const over = 'ON CONFLICT (id) DO UPDATE SET version = excluded.version, facts = excluded.facts';
    for (const { id, version, facts } of accounts) {
      this.#run(`INSERT INTO accounts (id, version, facts) VALUES (?, ?, ?) ${over}`, id, version, json(facts));
    }
    for (const { id, version, facts } of apiKeys) {
      const sql = `INSERT INTO api_keys (id, version, account_id, facts) VALUES (?, ?, ?, ?) ${over}`;
      this.#run(sql, id, version, facts.accountId, json(facts));
    }
    for (const { id, version, facts } of sessions) {
      this.#run(
        `INSERT INTO sessions (id, version, user_id, expires_at, revoked, facts) VALUES (?, ?, ?, ?, ?, ?)
         ${over}, revoked = excluded.revoked`,
        ...[id, version, facts.userId, facts.expiresAt, facts.revokedAt === null ? 0 : 1, json(facts)],
      );
    }
    for (const id of goneSessions) this.#run('DELETE FROM sessions WHERE id = ?', id);
  }

  used(partition: number, next: number, lastUsedAt: ReadonlyMap<string, string>): void {
    const use = this.#database.prepare(
      'UPDATE api_keys SET last_used_at = ? WHERE id = ? AND coalesce(last_used_at, ?) < ?',
    );
    for (const [id, at] of lastUsedAt) use.run(at, id, '', at);
    this.#run(
      'INSERT INTO positions (partition, next) VALUES (?, ?) ON CONFLICT (partition) DO UPDATE SET next = excluded.next',
      partition,
      next,
    );
  }

  #writeUser({ id, version, accountId, email, role, passwordHash, createdAt }: User): void {
    const other = this.#database.prepare('SELECT 1 FROM users WHERE email = ? AND id <> ?').get(email, id);
    if (other !== undefined) throw new Rejected('email-taken');
    this.#one(
      version === 1
        ? this.#run(
            `INSERT INTO users (id, version, account_id, email, role, password_hash, created_at)
             VALUES (?, 1, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
            id,
            accountId,
            email,
            role,
            passwordHash,
            createdAt,
          )
        : this.#run(
            `UPDATE users SET email = ?, role = ?, password_hash = ? ${TO_NEXT}`,
            email,
            role,
            passwordHash,
            version,
            id,
            version - 1,
          ),
    );
  }

  #writeSessions({ sessions = [], removedSessions = [] }: IdentityWrite): void {
    for (const { id, version, facts } of sessions) {
      const revoked = facts.revokedAt === null ? 0 : 1;
      this.#one(
        version === 1
          ? this.#run(
              `INSERT INTO sessions (id, version, user_id, expires_at, revoked, facts)
               VALUES (?, 1, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
              id,
              facts.userId,
              facts.expiresAt,
              revoked,
              json(facts),
            )
          : this.#run(
              `UPDATE sessions SET revoked = ?, facts = ? ${TO_NEXT}`,
              revoked,
              json(facts),
              version,
              id,
              version - 1,
            ),
      );
    }
    for (const { id, version } of removedSessions) {
      this.#one(this.#run('DELETE FROM sessions WHERE id = ? AND version = ?', id, version));
    }
  }

  #run(sql: string, ...values: readonly unknown[]): number {
    return this.#database.prepare(sql).run(...values).changes;
  }

  #one(changes: number): void {
    if (changes !== 1) throw new Rejected('conflict');
  }
}

const TO_NEXT = ', version = ? WHERE id = ? AND version = ?';
const json = (value: object): string => JSON.stringify(value);
