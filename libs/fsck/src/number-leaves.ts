import { checkAnswer, type EventEnvelope } from '@countersign/contracts';
import { canonicalLeaf, leafHash, readMessage, utf8 } from '@countersign/evidence';
import type { LogRecord } from '@countersign/event-log';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { scratch } from './scratch.js';

/** A leaf with its place in its agent's order. */
export interface NumberedLeaf {
  readonly kind: 'leaf';
  /** Place in `agent-events`; -1 for one that only the archive still has. */
  readonly offset: number;
  readonly envelope: EventEnvelope;
  /** Canonical. */
  readonly text: string;
  readonly hash: Uint8Array;
  readonly sequence: number;
  /** As {@link LoggedId}. */
  readonly counts: boolean;
}

export type LogItem =
  | NumberedLeaf
  /** An event id once more: it counts nowhere. `same`: with the same leaf. */
  | { readonly kind: 'repetition'; readonly offset: number; readonly eventId: string; readonly same: boolean }
  | { readonly kind: 'rejected'; readonly offset: number; readonly problem: string };

/** An event id of the log, where it stands first. */
export interface LoggedId {
  readonly id: Buffer;
  readonly place: number;
  /** `true` when it adds to totals, gives back of them, freezes an agent or claims an idempotency key, which policy follows. */
  readonly counts: boolean;
}

export function hashOf(text: string): Uint8Array {
  return leafHash(utf8(text), nodeCrypto.sha256);
}

/**
 * Numbers the leaves of each agent in the order of the log, from 1 or from where the archive says that the kept part of
 * the log begins. The ids seen lie in a temporary file, so that memory grows with the agents alone.
 */
export class LeafNumbers {
  readonly #ids = scratch();
  readonly #add;
  readonly #find;
  readonly #next = new Map<string, number>();
  readonly #firstNumber: (eventId: string, offset: number) => Promise<number | null>;

  /** @param firstNumber sequence of the first leaf of an agent in the log; `null` where it is 1 or not known */
  constructor(firstNumber: (eventId: string, offset: number) => Promise<number | null>) {
    this.#firstNumber = firstNumber;
    this.#ids.exec(
      `CREATE TABLE seen (id BLOB PRIMARY KEY, hash BLOB NOT NULL, place INTEGER NOT NULL, counts INTEGER NOT NULL)
       WITHOUT ROWID; BEGIN`,
    );
    this.#add = this.#ids.prepare<[Buffer, Uint8Array, number, number]>(
      'INSERT OR IGNORE INTO seen VALUES (?, ?, ?, ?)',
    );
    this.#find = this.#ids.prepare<[Buffer], Buffer>('SELECT hash FROM seen WHERE id = ?').pluck();
  }

  async read(record: LogRecord): Promise<LogItem> {
    const { offset } = record;
    const reading = readMessage(record.value);
    if (!reading.ok) return { kind: 'rejected', offset, problem: reading.problem };
    const envelope = reading.value;
    const text = canonicalLeaf(envelope.leaf);
    const hash = hashOf(text);
    const { eventId, agentId } = envelope.leaf;
    const id = Buffer.from(eventId.replaceAll('-', ''), 'hex');
    const counts = isCounted(envelope);
    if (this.#add.run(id, hash, offset, Number(counts)).changes === 0) {
      return { kind: 'repetition', offset, eventId, same: this.#find.get(id)!.equals(hash) };
    }
    const sequence = this.#next.get(agentId) ?? (await this.#firstNumber(eventId, offset)) ?? 1;
    this.#next.set(agentId, sequence + 1);
    return { kind: 'leaf', offset, envelope, text, hash, sequence, counts };
  }

  has(id: Buffer): boolean {
    return this.#find.get(id) !== undefined;
  }

  /** All ids in the order of their bytes. */
  *ids(): Generator<LoggedId> {
    const rows = this.#ids.prepare<[], { id: Buffer; place: number; counts: number }>(
      'SELECT id, place, counts FROM seen ORDER BY id',
    );
    for (const { id, place, counts } of rows.iterate()) yield { id, place, counts: counts === 1 };
  }

  close(): void {
    this.#ids.close();
  }
}

/** `true` when an event adds to totals, has an order, gives back of them, freezes an agent or claims an idempotency key. */
export function isCounted(envelope: EventEnvelope): boolean {
  const { leaf, countsAction, countsRate, costMicros, freezesAgent, idempotency } = envelope;
  if (leaf.type === 'action.outcome') return envelope.givesBack !== undefined || envelope.givesBackHeld !== undefined;
  if (leaf.type !== 'action.checked') return false;
  if (countsAction || countsRate || freezesAgent || costMicros !== 0 || envelope.order !== undefined) return true;
  return idempotency !== null && checkAnswer(envelope)?.status === 200;
}
