import { messageOf } from '@countersign/async';
import { TOPIC_NAMES } from '@countersign/contracts';
import { nextStep } from './checkpoint-plan.js';
import type { CheckpointRuns } from './checkpoint-plan.js';
import { recordChecksum } from './checksum.js';
import { BUSY_MS, connectReading, sqliteCode } from './connection.js';
import type { Connection, Statement } from './connection.js';
import { leaveLatchMark } from './open-file.js';
import type { AppendAnswer, AppendRequest } from './protocol.js';
import { tableOf } from './schema.js';

/** SQLite's message for `SQLITE_FULL`, as the checkpoint thread passes it on. */
const FULL = 'database or disk is full';

/**
 * The file for its one writer: commits batches, and refuses for ever after the first failure; after reopening the file
 * another object continues.
 */
export class LogFile {
  readonly ends: number[];
  /** Why it accepts nothing any more, or `null`. */
  latched: string | null = null;
  /** True if the failure was a full disk: once there is room, the file may be opened again. */
  full = false;

  readonly #file: string;
  readonly #connection: Connection;
  readonly #inserts: Statement[];
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #rollback: Statement;
  readonly #checkpointer: CheckpointRuns;
  readonly #walPosition: Statement;
  readonly #checkpoint: Statement;
  #lastTime = 0;
  #runsSeen = 0;
  #heldUpAt: number | null = null;
  #begunAt: number | null = null;

  constructor(connection: Connection, file: string, checkpointer: CheckpointRuns) {
    this.#file = file;
    this.#connection = connection;
    this.#checkpointer = checkpointer;
    this.#walPosition = connection.prepare('PRAGMA wal_checkpoint(NOOP)').raw();
    this.#checkpoint = connection.prepare('PRAGMA wal_checkpoint(PASSIVE)').raw();
    this.#begin = connection.prepare('BEGIN IMMEDIATE');
    this.#commit = connection.prepare('COMMIT');
    this.#rollback = connection.prepare('ROLLBACK');
    this.#inserts = TOPIC_NAMES.map((topic) =>
      connection.prepare(
        `INSERT INTO ${tableOf(topic)} (record_offset, appended_at, record_key, checksum, value) VALUES (?, ?, ?, ?, ?)`,
      ),
    );
    this.ends = TOPIC_NAMES.map((topic) => {
      const begin = connection.prepare('SELECT begin_offset FROM topics WHERE name = ?').pluck().get(topic) as number;
      const last = connection
        .prepare(`SELECT record_offset, appended_at FROM ${tableOf(topic)} ORDER BY record_offset DESC LIMIT 1`)
        .get() as { record_offset: number; appended_at: number } | undefined;
      if (last === undefined) return begin;
      this.#lastTime = Math.max(this.#lastTime, last.appended_at);
      return Math.max(begin, last.record_offset + 1);
    });
  }

  get connection(): Connection {
    return this.#connection;
  }

  /** Appends all requests in one commit, synced before it returns; never throws. */
  append(requests: readonly AppendRequest[], nowMs: number): AppendAnswer[] {
    this.#latchWithCheckpointer();
    if (this.latched !== null) return this.#all(requests, 'refused', this.latched);
    const at = Math.max(nowMs, this.#lastTime);
    const ends = [...this.ends];
    let answers: AppendAnswer[];
    try {
      this.#begin.run();
      answers = requests.map((request) => ({
        sequence: request.sequence,
        first: this.#insert(request, ends, at),
      }));
    } catch (error) {
      this.#undo();
      return this.#all(requests, 'refused', this.latch(error));
    }
    try {
      this.#commit.run();
    } catch (error) {
      const reason = this.latch(error);
      this.#undo();
      return this.#all(requests, 'in-doubt', reason);
    }
    for (let topic = 0; topic < ends.length; topic++) this.ends[topic] = ends[topic] ?? 0;
    this.#lastTime = at;
    // A concurrent failure of the checkpoint thread takes precedence over these answers.
    const problem = this.#latchWithCheckpointer();
    return problem === null ? answers : this.#all(requests, 'in-doubt', problem);
  }

  #insert(request: AppendRequest, ends: number[], at: number): number | Record<number, number> {
    const { topics, keys, values } = request;
    const first: Record<number, number> = {};
    for (let index = 0; index < keys.length; index++) {
      const topic = typeof topics === 'number' ? topics : (topics[index] ?? -1);
      const key = keys[index] ?? '';
      const value = values[index] ?? '';
      const offset = ends[topic] ?? -1;
      first[topic] ??= offset;
      this.#inserts[topic]?.run(offset, at, key, recordChecksum(offset, at, key, value), value);
      ends[topic] = offset + 1;
    }
    return typeof topics === 'number' ? (first[topics] ?? 0) : first;
  }

  /** Runs a short change of its own (retention, compaction); a failure latches. `false` when it is latched. */
  change(work: () => void): boolean {
    if (this.#latchWithCheckpointer() !== null) return false;
    try {
      this.#begin.run();
      work();
      this.#commit.run();
      return true;
    } catch (error) {
      this.latch(error);
      this.#undo();
      return false;
    }
  }

  /**
   * Keeps the write-ahead log short: has the checkpoint thread move it into the file, and moves the rest here where no
   * commit intervenes. SQLite's automatic checkpoint hides a failed sync and retries it with the next commit; these
   * latch.
   */
  checkpointIfDue(): void {
    if (this.#latchWithCheckpointer() !== null) return;
    try {
      const { ended, underWay } = this.#checkpointer;
      const [, frames, moved] = this.#walPosition.get() as [number, number, number];
      const wal = { frames, moved };
      const hasEnded = ended !== this.#runsSeen;
      const step = nextStep({ wal, underWay, ended: hasEnded, heldUpAt: this.#heldUpAt, begunAt: this.#begunAt });
      this.#runsSeen = ended;
      if (step === 'begin') {
        this.#begunAt = frames;
        this.#checkpointer.begin();
      } else if (step !== 'none') this.#finishCheckpoint();
    } catch (error) {
      this.latch(error);
    }
  }

  #finishCheckpoint(): void {
    this.#checkpointer.wait();
    if (this.#latchWithCheckpointer() !== null) return;
    const [, frames, moved] = this.#checkpoint.get() as [number, number, number];
    this.#heldUpAt = frames === moved ? null : frames;
  }

  /**
   * Moves all of the write-ahead log into the file and empties it, so that neither contains what retention deleted.
   * `false` when a concurrent reader prevents it; it does not wait.
   */
  emptyWriteAheadLog(): boolean {
    if (this.#latchWithCheckpointer() !== null) return false;
    this.#checkpointer.wait();
    try {
      this.#connection.pragma('busy_timeout = 0');
      const [result] = this.#connection.pragma('wal_checkpoint(TRUNCATE)') as { readonly busy: number }[];
      this.#connection.pragma(`busy_timeout = ${BUSY_MS}`);
      return result?.busy === 0;
    } catch (error) {
      this.latch(error);
      return false;
    }
  }

  #latchWithCheckpointer(): string | null {
    if (this.latched !== null) return this.latched;
    const problem = this.#checkpointer.problem();
    return problem === null ? null : this.latch(new Error(problem));
  }

  latch(error: unknown): string {
    if (this.latched === null) {
      const reason = messageOf(error);
      this.full = sqliteCode(error) === 'SQLITE_FULL' || reason === FULL;
      this.latched = this.full
        ? `writing ${this.#file} failed (${reason}); it goes on once there is room on the disk`
        : `writing ${this.#file} failed (${reason}); restart after checking the disk`;
      leaveLatchMark(this.#file, this.latched);
    }
    return this.latched;
  }

  /**
   * Ends with an empty write-ahead log; after a failure without syncing anything again. Returns the problem, if any.
   */
  close(): string | null {
    this.#checkpointer.stop();
    if (this.#latchWithCheckpointer() !== null) {
      this.#closeWithoutCheckpoint();
      return this.latched;
    }
    try {
      this.#connection.pragma('wal_checkpoint(TRUNCATE)');
    } catch (error) {
      this.latch(error);
      this.#closeWithoutCheckpoint();
      return this.latched;
    }
    this.#connection.close();
    return null;
  }

  /** SQLite checkpoints when the last connection closes, unless that one is read-only. */
  #closeWithoutCheckpoint(): void {
    let last: Connection | undefined;
    try {
      last = connectReading(this.#file);
      last.prepare('SELECT count(*) FROM topics').get();
    } catch {
      // It cannot be read either: leave both open, the thread's end drops them.
      return;
    }
    this.#connection.close();
    last.close();
  }

  #undo(): void {
    if (!this.#connection.inTransaction) return;
    try {
      this.#rollback.run();
    } catch (error) {
      this.latch(error);
    }
  }

  #all(requests: readonly AppendRequest[], outcome: 'refused' | 'in-doubt', reason: string): AppendAnswer[] {
    return requests.map(({ sequence }) => ({ sequence, outcome, reason }));
  }
}
