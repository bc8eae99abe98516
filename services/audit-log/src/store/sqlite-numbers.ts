import type { LeafEvent } from '@countersign/contracts';
import type { SqliteDatabase } from '@countersign/document-store';
import { asksForClass, matchesClass, type EventClass } from '../domain/event-class.js';
import type { EventFilter } from '../domain/event-filter.js';

interface ClassRow {
  readonly n: number;
  readonly type: string;
  readonly outcome: string | null;
  readonly allowed: number | null;
  readonly violation_type: string | null;
}

function eventClass({ type, outcome, allowed, violation_type: violationType }: ClassRow): EventClass {
  return { type, outcome, allowed: allowed === null ? null : allowed === 1, violationType };
}

/** The 16 bytes of a UUID. */
export function idBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

/** Lower case, with its hyphens. */
export function idText(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Numbers of accounts and classes. Adding happens inside the caller's transaction; `forget` follows a rollback. */
export class SqliteNumbers {
  readonly #accounts = new Map<string, number>();
  #classes: Map<string, ClassRow>;
  readonly #findAccount;
  readonly #addAccount;
  readonly #addClass;
  readonly #allClasses;

  constructor(database: SqliteDatabase) {
    this.#findAccount = database.prepare<[string], number>('SELECT n FROM accounts WHERE id = ?').pluck();
    this.#addAccount = database.prepare<[string]>('INSERT INTO accounts (id) VALUES (?)');
    this.#addClass = database.prepare<[string, string | null, number | null, string | null]>(
      'INSERT INTO classes (type, outcome, allowed, violation_type) VALUES (?, ?, ?, ?)',
    );
    this.#allClasses = database.prepare<[], ClassRow>('SELECT n, type, outcome, allowed, violation_type FROM classes');
    this.#classes = this.#readClasses();
  }

  /** The account's number, new if need be. */
  account(id: string): number {
    return this.knownAccount(id) ?? this.#remember(id, Number(this.#addAccount.run(id).lastInsertRowid));
  }

  knownAccount(id: string): number | null {
    const kept = this.#accounts.get(id);
    if (kept !== undefined) return kept;
    const found = this.#findAccount.get(id);
    return found === undefined ? null : this.#remember(id, found);
  }

  classOf(leaf: LeafEvent): number {
    const { type, outcome, violation_type } = leaf;
    const allowed = leaf.allowed === null ? null : Number(leaf.allowed);
    const key = `${type} ${outcome} ${allowed} ${violation_type}`;
    const known = this.#classes.get(key);
    if (known !== undefined) return known.n;
    const n = Number(this.#addClass.run(type, outcome, allowed, violation_type).lastInsertRowid);
    this.#classes.set(key, { n, type, outcome, allowed, violation_type });
    return n;
  }

  /** Numbers of the classes that a filter lets through; `null` when it lets all through. */
  matching(filter: EventFilter): readonly number[] | null {
    if (!asksForClass(filter)) return null;
    return [...this.#classes.values()].filter((row) => matchesClass(filter, eventClass(row))).map((row) => row.n);
  }

  /** Every class by its number. */
  classes(): ReadonlyMap<number, EventClass> {
    return new Map([...this.#classes.values()].map((row) => [row.n, eventClass(row)]));
  }

  forget(): void {
    this.#accounts.clear();
    this.#classes = this.#readClasses();
  }

  #remember(id: string, n: number): number {
    if (this.#accounts.size >= 10_000) this.#accounts.clear();
    this.#accounts.set(id, n);
    return n;
  }

  #readClasses(): Map<string, ClassRow> {
    return new Map(
      this.#allClasses.all().map((row) => [`${row.type} ${row.outcome} ${row.allowed} ${row.violation_type}`, row]),
    );
  }
}
