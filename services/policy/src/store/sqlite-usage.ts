import type { SqliteDatabase } from '@countersign/document-store';
import { accountRecord, agentRecordOfUsage, claimKey, claimRecord, claimVersion } from '../domain/usage-records.js';
import type { UsageRecord } from '../domain/usage-records.js';
import type { AccountTotals, AgentTotals, Claim } from '../domain/usage.js';
import type { FollowedBatch, FollowedEvent, FollowEffects, UsageRow } from './port.js';

interface TotalsRow {
  readonly totals: string;
  readonly revision: number;
}
interface ClaimRow {
  readonly key: string;
  readonly claim: string | null;
  readonly version: number;
}

const REMEMBERED_MS = 72 * 3600 * 1000;
/** Ids forgotten with each batch: more than a batch brings, so the table does not grow behind the clock. */
const FORGOTTEN_AT_ONCE = 2000;

/** The tables of `SqlitePolicyStore` that follow the log. Every method runs inside the caller's transaction. */
export class SqliteUsage {
  readonly #database: SqliteDatabase;
  readonly #position;
  readonly #setPosition;
  readonly #remember;
  readonly #oldest;
  readonly #forget;
  readonly #account;
  readonly #setAccount;
  readonly #agent;
  readonly #setAgent;
  readonly #setClaim;

  constructor(database: SqliteDatabase) {
    this.#database = database;
    this.#position = database.prepare<[number], { readonly next: number }>(
      'SELECT next FROM positions WHERE partition = ?',
    );
    this.#setPosition = database.prepare(
      `INSERT INTO positions (partition, next, log_time_ms) VALUES (?, ?, ?)
       ON CONFLICT (partition) DO UPDATE SET next = excluded.next, log_time_ms = excluded.log_time_ms`,
    );
    this.#remember = database.prepare('INSERT INTO seen_events (partition, id) VALUES (?, ?) ON CONFLICT DO NOTHING');
    this.#oldest = database.prepare<[number, Uint8Array, number], { readonly id: Uint8Array }>(
      'SELECT id FROM seen_events WHERE partition = ? AND id < ? ORDER BY id LIMIT 1 OFFSET ?',
    );
    this.#forget = database.prepare('DELETE FROM seen_events WHERE partition = ? AND id < ?');
    this.#account = database.prepare<[string], TotalsRow>(
      'SELECT totals, revision FROM account_totals WHERE account_id = ?',
    );
    this.#agent = database.prepare<[string], TotalsRow>('SELECT totals, revision FROM agent_totals WHERE agent_id = ?');
    this.#setAccount = database.prepare(setTotals('account_totals', 'account_id'));
    this.#setAgent = database.prepare(setTotals('agent_totals', 'agent_id'));
    this.#setClaim = database.prepare(
      `INSERT INTO claims (key, occurred_at_ms, claim, version, published) VALUES (?, ?, ?, ?, 0)
       ON CONFLICT (key) DO UPDATE SET occurred_at_ms = excluded.occurred_at_ms, claim = excluded.claim,
         version = excluded.version WHERE excluded.version > version`,
    );
  }

  position(partition: number): number | null {
    return this.#position.get(partition)?.next ?? null;
  }

  positions(): Record<number, number> {
    const rows = this.#database
      .prepare<[], { readonly partition: number; readonly next: number }>('SELECT partition, next FROM positions')
      .all();
    return Object.fromEntries(rows.map(({ partition, next }) => [partition, next]));
  }

  agentTotals(id: string): AgentTotals | null {
    const row = this.#agent.get(id);
    return row === undefined ? null : (JSON.parse(row.totals) as AgentTotals);
  }

  accountTotals(id: string): AccountTotals | null {
    const row = this.#account.get(id);
    return row === undefined ? null : (JSON.parse(row.totals) as AccountTotals);
  }

  /** Moves the position and gives the events that count; `null` when the whole batch was handled before. */
  take<E extends FollowedEvent>(batch: FollowedBatch<E>): readonly E[] | null {
    const { partition, next, logTimeMs } = batch;
    const from = this.position(partition) ?? 0;
    if (next <= from) return null;
    const fresh = batch.events.filter(
      ({ offset, eventId }) => offset >= from && this.#remember.run(partition, idBytes(eventId)).changes === 1,
    );
    this.#setPosition.run(partition, next, logTimeMs);
    this.#forgetBefore(partition, logTimeMs - REMEMBERED_MS);
    return fresh;
  }

  write({ accountTotals, agentTotals, claims }: FollowEffects): void {
    for (const totals of accountTotals) this.#setAccount.run(totals.accountId, JSON.stringify(totals));
    for (const totals of agentTotals) this.#setAgent.run(totals.agentId, JSON.stringify(totals));
    for (const claim of claims) {
      const version = claimVersion(claim.occurredAtMs, false);
      this.#setClaim.run(claimKey(claim), claim.occurredAtMs, JSON.stringify(claim), version);
    }
  }

  unpublished(after: string, limit: number): UsageRow[] {
    const rows: UsageRow[] = [];
    const add = (record: UsageRecord, version: number): void => {
      rows.push({ ...record, version });
    };
    const totals = (table: string, id: string, prefix: string): readonly TotalsRow[] =>
      this.#database
        .prepare<[string, number], TotalsRow>(
          `SELECT totals, revision FROM ${table} WHERE revision > published AND ${id} > ? ORDER BY ${id} LIMIT ?`,
        )
        .all(idAfter(after, prefix), limit - rows.length);
    if (after < 'account;') {
      for (const row of totals('account_totals', 'account_id', 'account:')) {
        add(accountRecord(JSON.parse(row.totals) as AccountTotals), row.revision);
      }
    }
    if (after < 'agent;') {
      for (const row of totals('agent_totals', 'agent_id', 'agent:')) {
        add(agentRecordOfUsage(JSON.parse(row.totals) as AgentTotals), row.revision);
      }
    }
    const claims = this.#database
      .prepare<[string, number], ClaimRow>(
        'SELECT key, claim, version FROM claims WHERE version > published AND key > ? ORDER BY key LIMIT ?',
      )
      .all(after, limit - rows.length);
    for (const { key, claim, version } of claims) {
      add(claim === null ? { key, value: null } : claimRecord(JSON.parse(claim) as Claim), version);
    }
    return rows;
  }

  published(rows: readonly UsageRow[]): void {
    const account = this.#database.prepare('UPDATE account_totals SET published = ? WHERE account_id = ?');
    const agent = this.#database.prepare('UPDATE agent_totals SET published = ? WHERE agent_id = ?');
    const claim = this.#database.prepare('UPDATE claims SET published = ? WHERE key = ?');
    const over = this.#database.prepare('DELETE FROM claims WHERE key = ? AND version = ? AND claim IS NULL');
    for (const { key, version, value } of rows) {
      const id = key.slice(key.indexOf(':') + 1);
      if (key.startsWith('account:')) account.run(version, id);
      else if (key.startsWith('agent:')) agent.run(version, id);
      else if (value === null) over.run(key, version);
      else claim.run(version, key);
    }
  }

  raise(versions: ReadonlyMap<string, number>): void {
    const of = (table: string, id: string) =>
      this.#database.prepare(`UPDATE ${table} SET revision = ? WHERE ${id} = ? AND revision <= ?`);
    const tables = { account: of('account_totals', 'account_id'), agent: of('agent_totals', 'agent_id') };
    for (const [key, version] of versions) {
      const [kind = '', id = ''] = key.split(':');
      if (kind === 'account' || kind === 'agent') tables[kind].run(version + 1, id, version);
    }
  }

  endClaims(olderThanMs: number, limit: number): number {
    return this.#database
      .prepare(
        `UPDATE claims SET claim = NULL, version = occurred_at_ms * 2 + 1 WHERE key IN (
           SELECT key FROM claims WHERE claim IS NOT NULL AND occurred_at_ms < ? ORDER BY occurred_at_ms LIMIT ?)`,
      )
      .run(olderThanMs, limit).changes;
  }

  #forgetBefore(partition: number, timeMs: number): void {
    if (timeMs <= 0) return;
    const bound = idFloor(timeMs);
    const chunk = this.#oldest.get(partition, bound, FORGOTTEN_AT_ONCE);
    this.#forget.run(partition, chunk?.id ?? bound);
  }
}

function setTotals(table: string, id: string): string {
  return `INSERT INTO ${table} (${id}, totals, revision, published) VALUES (?, ?, 1, 0)
    ON CONFLICT (${id}) DO UPDATE SET totals = excluded.totals, revision = revision + 1`;
}

/** The id below which the rows of one kind were given: `;` follows `:`, so `account;` is above every `account:…`. */
function idAfter(after: string, prefix: string): string {
  return after.startsWith(prefix) ? after.slice(prefix.length) : '';
}

function idBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

/** The lowest UUID v7 of a time (RFC 9562 section 5.7): its first 48 bits are the milliseconds. */
function idFloor(ms: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(ms, 0, 6);
  return bytes;
}
