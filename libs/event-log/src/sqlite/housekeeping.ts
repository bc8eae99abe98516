import { TOPIC_NAMES } from '@countersign/contracts';
import type { Statement } from './connection.js';
import type { LogFile } from './log-file.js';
import { isCompacted, keptDays, tableOf } from './schema.js';

/** Rows that one transaction of housekeeping may delete: a few milliseconds. */
const ROWS = 100;
/** Rows that one step of the first scan reads. */
const SCANNED = 1000;
/** Keys remembered for compaction; beyond it the topic is scanned instead. */
const REMEMBERED = 100_000;
const DAY_MS = 86_400_000;

interface Compacted {
  readonly topic: number;
  readonly superseded: Statement;
  readonly scan: Statement;
  /** Keys with a record since the last step. */
  dirty: Set<string>;
  /** Cursor of the scan for older duplicates; `null` when it is complete. */
  cursor: { key: string; offset: number } | null;
}

/**
 * Deletes what need not be retained, in steps short enough to run between two commits. Compaction keeps the newest
 * record of each key; retention deletes from the front and records the new beginning.
 */
export class Housekeeping {
  readonly #log: LogFile;
  readonly #compacted: Compacted[];

  constructor(log: LogFile) {
    this.#log = log;
    this.#compacted = TOPIC_NAMES.flatMap((name, topic) => {
      if (!isCompacted(name)) return [];
      const table = tableOf(name);
      return {
        topic,
        superseded: log.connection.prepare(
          `DELETE FROM ${table} WHERE record_offset IN (SELECT record_offset FROM ${table} WHERE record_key = ? AND
           record_offset < (SELECT max(record_offset) FROM ${table} WHERE record_key = ?) LIMIT ${ROWS})`,
        ),
        scan: log.connection
          .prepare(
            `SELECT record_key, record_offset FROM ${table} INDEXED BY ${table}_by_key
             WHERE (record_key, record_offset) > (?, ?) ORDER BY record_key, record_offset LIMIT ${SCANNED}`,
          )
          .raw(),
        dirty: new Set<string>(),
        cursor: { key: '', offset: -1 },
      };
    });
  }

  compacts(topic: number): boolean {
    return this.#compacted.some((candidate) => candidate.topic === topic);
  }

  /** Remembers that a key of a topic has a new record. */
  noteAppended(topic: number, key: string): void {
    const compacted = this.#compacted.find((candidate) => candidate.topic === topic);
    if (compacted === undefined) return;
    if (compacted.dirty.size < REMEMBERED) compacted.dirty.add(key);
    else compacted.cursor = { key: '', offset: -1 };
  }

  /** One step of compaction, about `budgetMs` long; `false` when nothing is left to do. */
  compactStep(budgetMs: number): boolean {
    const until = performance.now() + budgetMs;
    for (const compacted of this.#compacted) {
      if (compacted.dirty.size === 0 && compacted.cursor !== null) this.#scanStep(compacted);
      if (compacted.dirty.size > 0) {
        return this.#log.change(() => {
          let deleted = 0;
          for (const key of compacted.dirty) {
            const { changes } = compacted.superseded.run(key, key);
            deleted += changes;
            if (changes < ROWS) compacted.dirty.delete(key);
            if (deleted >= ROWS || performance.now() > until) return;
          }
        });
      }
      if (compacted.cursor !== null) return this.#log.latched === null;
    }
    return false;
  }

  #scanStep(compacted: Compacted): void {
    const { key, offset } = compacted.cursor ?? { key: '', offset: -1 };
    const rows = compacted.scan.all(key, offset) as [string, number][];
    let previous = key;
    for (const [rowKey] of rows) {
      if (rowKey === previous) compacted.dirty.add(rowKey);
      previous = rowKey;
    }
    const last = rows.at(-1);
    compacted.cursor = rows.length === SCANNED && last !== undefined ? { key: last[0], offset: last[1] } : null;
  }

  /** One step of retention; `false` when nothing is old enough any more. */
  retainStep(nowMs: number): boolean {
    for (const name of TOPIC_NAMES) {
      const days = keptDays(name);
      if (days === null) continue;
      const table = tableOf(name);
      const front = this.#log.connection
        .prepare(`SELECT record_offset, appended_at FROM ${table} ORDER BY record_offset LIMIT ${ROWS}`)
        .raw()
        .all() as [number, number][];
      let last = -1;
      for (const [offset, at] of front) {
        if (at >= nowMs - days * DAY_MS) break;
        last = offset;
      }
      if (last < 0) continue;
      return this.#log.change(() => {
        this.#log.connection.prepare(`DELETE FROM ${table} WHERE record_offset <= ?`).run(last);
        this.#log.connection.prepare('UPDATE topics SET begin_offset = ? WHERE name = ?').run(last + 1, name);
      });
    }
    return false;
  }
}
