import { createHash } from 'node:crypto';
import { openDatabase, StoreDamaged } from '@countersign/document-store';
import { sqliteAnnouncements, sqliteOutbox } from '@countersign/topics';
import type { SqliteDatabase } from '@countersign/document-store';
import type { SqliteAnnouncements, SqliteOutbox } from '@countersign/topics';
import type { AgentFacts } from '@countersign/contracts';
import type { Agent } from '../domain/agent.js';
import { AgentsFull, TransactionTaken } from './port.js';
import type { AgentWrite, FollowedBatch, FollowedEvent, FollowEffects, FollowState, Page } from './port.js';
import type { PolicyStore, UsageRow } from './port.js';
import { MIGRATIONS } from './schema.js';
import { SqliteUsage } from './sqlite-usage.js';

interface AgentRow {
  readonly id: string;
  readonly revision: number;
  readonly frozen_at_ms: number;
  readonly facts: string;
  readonly checksum: Uint8Array;
}

const COLUMNS = 'id, revision, frozen_at_ms, facts, checksum';
const PAGE = 500;

/** One file; every write is one transaction with `synchronous=FULL`. */
export class SqlitePolicyStore implements PolicyStore {
  readonly outbox: SqliteOutbox;
  readonly announcements: SqliteAnnouncements;
  readonly #database: SqliteDatabase;
  readonly #file: string;
  readonly #usage: SqliteUsage;
  readonly #byId;
  readonly #insert;
  readonly #update;

  /** @throws StoreDamaged naming the file */
  constructor(file: string) {
    this.#file = file;
    this.#database = openDatabase(file, MIGRATIONS);
    this.outbox = sqliteOutbox(this.#database);
    this.announcements = sqliteAnnouncements(this.#database);
    this.#usage = new SqliteUsage(this.#database);
    this.#byId = this.#database.prepare<[string], AgentRow>(`SELECT ${COLUMNS} FROM agents WHERE id = ?`);
    this.#insert = this.#database.prepare(
      `INSERT INTO agents (id, account_id, revision, frozen_at_ms, facts, checksum) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO NOTHING`,
    );
    this.#update = this.#database.prepare(
      `UPDATE agents SET revision = ?, frozen_at_ms = ?, facts = ?, checksum = ?, transaction_signature = ?
       WHERE id = ? AND revision = ?`,
    );
  }

  async create(write: AgentWrite, most = Number.POSITIVE_INFINITY): Promise<boolean> {
    const { id, revision, frozenAtMs, facts } = write.agent;
    const text = JSON.stringify(facts);
    const insert = (): boolean => {
      if (this.#byId.get(id) === undefined && this.#count(facts.accountId) >= most) throw new AgentsFull();
      const sum = checksum(id, revision, frozenAtMs, text);
      if (this.#insert.run(id, facts.accountId, revision, frozenAtMs, text, sum).changes === 0) return false;
      this.#tell(write);
      return true;
    };
    return this.#database.transaction(insert).immediate();
  }

  async replace(write: AgentWrite): Promise<boolean> {
    return takingOnce(() => this.#database.transaction(() => this.#replace(write)).immediate());
  }

  async adopt({ id, revision, frozenAtMs, facts }: Agent): Promise<void> {
    const text = JSON.stringify(facts);
    const adopted = this.#database.prepare(
      `INSERT INTO agents (id, account_id, revision, frozen_at_ms, facts, checksum, transaction_signature)
         VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, frozen_at_ms = excluded.frozen_at_ms,
           facts = excluded.facts, checksum = excluded.checksum, transaction_signature = excluded.transaction_signature
         WHERE excluded.revision > agents.revision`,
    );
    const values = [id, facts.accountId, revision, frozenAtMs, text, checksum(id, revision, frozenAtMs, text)];
    takingOnce(() => adopted.run(...values, facts.chain_tx_signature));
  }

  async registeredBy(transactionSignature: string): Promise<string | null> {
    const found = this.#database
      .prepare<[string], { readonly id: string }>('SELECT id FROM agents WHERE transaction_signature = ?')
      .get(transactionSignature);
    return found?.id ?? null;
  }

  async find(id: string): Promise<Agent | null> {
    return this.#find(id);
  }

  async findOf(accountId: string, id: string): Promise<Agent | null> {
    const row = this.#database
      .prepare<[string, string], AgentRow>(`SELECT ${COLUMNS} FROM agents WHERE id = ? AND account_id = ?`)
      .get(id, accountId);
    return row === undefined ? null : this.#read(row);
  }

  async list(accountId: string, limit: number, offset: number): Promise<Page<Agent>> {
    const page = this.#database.prepare<[string, number, number], AgentRow>(
      `SELECT ${COLUMNS} FROM agents WHERE account_id = ? ORDER BY number DESC LIMIT ? OFFSET ?`,
    );
    return {
      items: page.all(accountId, limit, offset).map((row) => this.#read(row)),
      total: this.#count(accountId),
    };
  }

  #count(accountId: string): number {
    const count = this.#database.prepare<[string], { readonly total: number }>(
      'SELECT count(*) AS total FROM agents WHERE account_id = ?',
    );
    return count.get(accountId)!.total;
  }

  async *all(): AsyncIterable<Agent> {
    const page = this.#database.prepare<[number, number], AgentRow & { readonly number: number }>(
      `SELECT number, ${COLUMNS} FROM agents WHERE number > ? ORDER BY number LIMIT ?`,
    );
    let last = 0;
    for (;;) {
      const rows = page.all(last, PAGE);
      for (const row of rows) yield this.#read(row);
      if (rows.length < PAGE) return;
      last = rows.at(-1)!.number;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async position(partition: number): Promise<number | null> {
    return this.#usage.position(partition);
  }

  async follow<E extends FollowedEvent>(
    batch: FollowedBatch<E>,
    decide: (fresh: readonly E[], state: FollowState) => FollowEffects,
  ): Promise<void> {
    const state: FollowState = {
      agent: (id) => this.#find(id),
      agentTotals: (id) => this.#usage.agentTotals(id),
      accountTotals: (id) => this.#usage.accountTotals(id),
    };
    const apply = (): void => {
      const fresh = this.#usage.take(batch);
      if (fresh === null) return;
      const effects = decide(fresh, state);
      this.#usage.write(effects);
      for (const write of effects.agents) {
        if (!this.#replace(write)) throw new Error(`agent ${write.agent.id} is not at the revision before`);
      }
    };
    this.#database.transaction(apply).immediate();
  }

  async positions(): Promise<Readonly<Record<number, number>>> {
    return this.#usage.positions();
  }

  async unpublished(after: string, limit: number): Promise<readonly UsageRow[]> {
    return this.#usage.unpublished(after, limit);
  }

  async published(rows: readonly UsageRow[]): Promise<void> {
    this.#database.transaction(() => this.#usage.published(rows)).immediate();
  }

  async endClaims(olderThanMs: number, limit: number): Promise<number> {
    return this.#usage.endClaims(olderThanMs, limit);
  }

  async raiseUsage(versions: ReadonlyMap<string, number>): Promise<void> {
    this.#database.transaction(() => this.#usage.raise(versions)).immediate();
  }

  async close(): Promise<void> {
    this.#database.close();
  }

  #find(id: string): Agent | null {
    const row = this.#byId.get(id);
    return row === undefined ? null : this.#read(row);
  }

  #replace(write: AgentWrite): boolean {
    const { id, revision, frozenAtMs, facts } = write.agent;
    const text = JSON.stringify(facts);
    const sum = checksum(id, revision, frozenAtMs, text);
    const values = [revision, frozenAtMs, text, sum, facts.chain_tx_signature, id, revision - 1];
    if (this.#update.run(...values).changes === 0) return false;
    this.#tell(write);
    return true;
  }

  #tell({ agent, records }: AgentWrite): void {
    this.outbox.put(records);
    this.announcements.put([{ kind: 'agent', id: agent.id, version: agent.revision }]);
  }

  /** A row that is not as it was written would decide checks: it is never served. */
  #read({ id, revision, frozen_at_ms: frozenAtMs, facts, checksum: stored }: AgentRow): Agent {
    if (!checksum(id, revision, frozenAtMs, facts).equals(stored)) {
      throw new StoreDamaged(this.#file, `is damaged: agent ${id} is not as it was written; restore a backup`);
    }
    return { id, revision, frozenAtMs, facts: JSON.parse(facts) as AgentFacts };
  }
}

/** Of what changes in an agent, its transaction alone is unique. @throws TransactionTaken */
function takingOnce<T>(write: () => T): T {
  try {
    return write();
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== 'SQLITE_CONSTRAINT_UNIQUE') throw error;
    throw new TransactionTaken('another agent has this transaction', { cause: error });
  }
}

function checksum(id: string, revision: number, frozenAtMs: number, facts: string): Buffer {
  return createHash('sha256').update(`${id}\n${revision}\n${frozenAtMs}\n${facts}`).digest();
}
