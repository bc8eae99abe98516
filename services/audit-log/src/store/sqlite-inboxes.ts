import type { SqliteDatabase } from '@countersign/document-store';
import type { StoredEvent } from '../domain/event-record.js';
import { openAlert } from '../domain/open-alert.js';
import type { Inbox, InboxPlace, OpenAlert, Page } from './port.js';
import type { SqliteList } from './sqlite-list.js';
import type { SqliteNumbers } from './sqlite-numbers.js';

interface InboxRow {
  readonly n: number;
  readonly openCount: number;
  readonly acknowledgedAt: string | null;
  readonly acknowledgedN: number;
}

/**
 * The violation inboxes. Alerts are open whose row is above the acknowledged one; a place is the number of a row. `open_count`
 * counts all blocked leaves: denials by people, which are few, are subtracted when it is read.
 */
export class SqliteInboxes {
  readonly #database: SqliteDatabase;
  readonly #numbers: SqliteNumbers;
  readonly #list: SqliteList;

  constructor(database: SqliteDatabase, numbers: SqliteNumbers, list: SqliteList) {
    this.#database = database;
    this.#numbers = numbers;
    this.#list = list;
  }

  inbox(accountId: string): Inbox {
    const row = this.#row(accountId);
    if (row === undefined) return { openCount: 0, acknowledgedAt: null };
    return { openCount: this.#shown(row.n, row.openCount, row.acknowledgedN), acknowledgedAt: row.acknowledgedAt };
  }

  open(accountId: string, page: Page): readonly StoredEvent[] {
    const row = this.#row(accountId);
    return row === undefined ? [] : this.#list.blocked(row.n, row.acknowledgedN, page);
  }

  openLeaves(
    accountId: string,
    limit: number,
  ): Inbox & { readonly alerts: readonly OpenAlert[]; readonly place: InboxPlace } {
    const row = this.#row(accountId);
    const leaves = row === undefined ? [] : this.#list.blockedLeaves(row.n, row.acknowledgedN, limit);
    return { ...this.inbox(accountId), alerts: leaves.map(openAlert), place: [this.#lastRow()] };
  }

  closable(accountId: string, place: InboxPlace | undefined): { readonly count: number; readonly place: InboxPlace } {
    const last = this.#lastRow();
    const through = throughOf(place, last);
    const row = this.#row(accountId);
    if (row === undefined) return { count: 0, place: [through] };
    const { n, openCount, acknowledgedN } = row;
    const after = Math.max(through, acknowledgedN);
    const later = after >= last ? 0 : this.#shown(n, this.#list.countBlocked(n, after), after);
    return { count: this.#shown(n, openCount, acknowledgedN) - later, place: [through] };
  }

  /** Inside the caller's transaction. */
  acknowledge(accountId: string, at: string, place: InboxPlace | undefined): Inbox {
    const last = this.#lastRow();
    const through = throughOf(place, last);
    this.#database
      .prepare<[string, number, number]>(
        'UPDATE accounts SET acknowledged_at = ?, acknowledged_n = max(acknowledged_n, ?) WHERE n = ?',
      )
      .run(at, through, this.#numbers.account(accountId));
    const { n, acknowledgedN } = this.#row(accountId)!;
    const openCount = acknowledgedN >= last ? 0 : this.#list.countBlocked(n, acknowledgedN);
    this.#database.prepare<[number, number]>('UPDATE accounts SET open_count = ? WHERE n = ?').run(openCount, n);
    return { openCount: this.#shown(n, openCount, acknowledgedN), acknowledgedAt: at };
  }

  #shown(accountN: number, openCount: number, acknowledgedN: number): number {
    return openCount === 0 ? 0 : openCount - this.#list.countDeniedByPeople(accountN, acknowledgedN);
  }

  #lastRow(): number {
    return this.#database.prepare<[], number>('SELECT coalesce(max(n), 0) FROM events').pluck().get()!;
  }

  #row(accountId: string): InboxRow | undefined {
    return this.#database
      .prepare<[string], InboxRow>(
        `SELECT n, open_count AS openCount, acknowledged_at AS acknowledgedAt, acknowledged_n AS acknowledgedN
         FROM accounts WHERE id = ?`,
      )
      .get(accountId);
  }
}

/** Number of the last row that is closed; a place without a row closes none. */
function throughOf(place: InboxPlace | undefined, last: number): number {
  return place === undefined ? last : Math.min(place[0] ?? 0, last);
}
