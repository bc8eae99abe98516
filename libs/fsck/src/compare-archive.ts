import type { EventEnvelope, LeafEvent, Openings } from '@countersign/contracts';
import { canonicalLeaf, opens, readLeaf } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { LAYOUT } from './layout.js';
import { hashOf, isCounted, type NumberedLeaf } from './number-leaves.js';
import type { Store } from './open-stores.js';
import { Reached } from './places.js';
import type { Check } from './report.js';

/** What tells where an archived event belongs. */
export interface ArchivedPlace {
  readonly n: number;
  readonly occurredAt: number;
}

interface ArchiveRow extends ArchivedPlace {
  readonly eventId: Buffer;
  readonly agentId: string | null;
  readonly accountId: string | null;
  readonly sequence: number;
  readonly blocked: number;
  readonly erased: number;
  readonly refersTo: Buffer | null;
  readonly type: string | null;
  readonly outcome: string | null;
  readonly allowed: number | null;
  readonly violationType: string | null;
  readonly leaf: string;
  readonly facts: string;
  readonly openings: string | null;
}

const ROWS = `SELECT e.n, e.event_id AS eventId, a.id AS agentId, c.id AS accountId, e.sequence,
  e.occurred_at AS occurredAt, e.blocked, e.erased, e.refers_to AS refersTo, k.type, k.outcome, k.allowed,
  k.violation_type AS violationType, e.leaf, e.facts, o.value AS openings
  FROM events e LEFT JOIN agents a ON a.n = e.agent_n LEFT JOIN accounts c ON c.n = e.account_n
  LEFT JOIN classes k ON k.n = e.class_n LEFT JOIN openings o ON o.n = e.n`;

/** Log records among which the archive's first common row is looked for. */
const LOOKED_AT = 50;

/**
 * Walks the archive beside the log: it must hold every leaf of the log in the same order, and nothing besides but what
 * is older than the log.
 */
export class ArchiveComparison {
  readonly #check: Check;
  readonly #find;
  readonly #sequenceOf;
  readonly #position: Reached;
  readonly #store: Store;
  #rows: Iterator<ArchiveRow>;
  #row: ArchiveRow | null = null;
  readonly #mayBeOlder: (row: ArchivedPlace) => boolean;
  #first = 0;

  /** @param mayBeOlder whether the log may have dropped an event since, by what the archive says of it */
  constructor(store: Store, check: Check, mayBeOlder: (row: ArchivedPlace) => boolean) {
    this.#store = store;
    this.#check = check;
    this.#mayBeOlder = mayBeOlder;
    this.#position = Reached.in(store, 'agent-events');
    this.#find = store.prepare<[Buffer], number>('SELECT n FROM events WHERE event_id = ?').pluck();
    this.#sequenceOf = store.prepare<[Buffer], number>('SELECT sequence FROM events WHERE event_id = ?').pluck();
    this.#rows = store.prepare<[number], ArchiveRow>(`${ROWS} WHERE e.n >= ? ORDER BY e.n`).iterate(0);
  }

  sequenceOf(eventId: string): number | null {
    return this.#sequenceOf.get(idBytes(eventId)) ?? null;
  }

  /** The archived leaves that are older than the log, whose first event ids are given. */
  *older(firstIds: readonly string[]): Generator<NumberedLeaf> {
    const found = firstIds.slice(0, LOOKED_AT).flatMap((id) => this.#find.get(idBytes(id)) ?? []);
    const last = found.at(-1);
    // A repetition of an older event lies further back than the other records that stand beside it.
    if (last !== undefined) this.#first = Math.min(...found.filter((n) => n > last - LOOKED_AT));
    const before = last === undefined ? Number.MAX_SAFE_INTEGER : this.#first;
    const rows = this.#store.prepare<[number], ArchiveRow>(`${ROWS} WHERE e.n < ? ORDER BY e.n`).iterate(before);
    for (const row of rows) {
      const leaf = this.#judgeAlone(row);
      if (leaf !== null) yield leaf;
    }
    this.#rows.return?.();
    this.#rows = this.#store.prepare<[number], ArchiveRow>(`${ROWS} WHERE e.n >= ? ORDER BY e.n`).iterate(before);
  }

  /** The archived leaves from one place to another, where rows are numbered by their places. */
  *between(from: number, to: number): Generator<NumberedLeaf> {
    const rows = this.#store.prepare<[number, number], ArchiveRow>(`${ROWS} WHERE e.n >= ? AND e.n < ? ORDER BY e.n`);
    for (const row of rows.iterate(from, to)) {
      const leaf = this.#judgeAlone(row);
      if (leaf !== null) yield { ...leaf, offset: row.n };
    }
  }

  take(leaf: NumberedLeaf): void {
    const id = idBytes(leaf.envelope.leaf.eventId);
    let row = this.#peek();
    if (row === null || !row.eventId.equals(id)) {
      const n = this.#find.get(id);
      if (n === undefined) return this.#lacks(leaf);
      if (row === null || n < row.n) return this.#wrong(n, 'the event does not stand where the log has it');
      while (row !== null && row.n < n) {
        this.#surplus(row);
        row = this.#advance();
      }
      if (row === null) return;
    }
    this.#check.examined += 1;
    this.#compare(row, leaf);
    this.#advance();
  }

  /** @param complete the log was read to its end */
  finish(complete: boolean): void {
    if (!complete) return void this.#rows.return?.();
    for (let row = this.#peek(); row !== null; row = this.#advance()) this.#surplus(row);
  }

  #peek(): ArchiveRow | null {
    return this.#row ?? this.#advance();
  }

  #advance(): ArchiveRow | null {
    const next = this.#rows.next();
    this.#row = next.done === true ? null : next.value;
    return this.#row;
  }

  #lacks({ offset, envelope, sequence }: NumberedLeaf): void {
    if (!this.#position.has(offset)) this.#check.behind += 1;
    else {
      const { eventId, agentId } = envelope.leaf;
      this.#check.wrong(
        `agent-events offset ${offset}`,
        `event ${eventId} (agent ${agentId}, sequence ${sequence}) is not archived`,
      );
    }
  }

  #surplus(row: ArchiveRow): void {
    if (this.#mayBeOlder(row)) this.#judgeAlone(row);
    else this.#wrong(row.n, `event ${row.eventId.toString('hex')} of agent ${row.agentId} is not in the log`);
  }

  #wrong(n: number, problem: string): void {
    this.#check.wrong(`${LAYOUT.archive} events n=${n}`, problem);
  }

  #compare(row: ArchiveRow, { envelope, text, sequence }: NumberedLeaf): void {
    const { leaf, openings, ...facts } = envelope;
    if (row.leaf !== text) this.#wrong(row.n, `the leaf of event ${leaf.eventId} is not the log's`);
    if (row.sequence !== sequence) this.#wrong(row.n, `sequence ${row.sequence}, by the log ${sequence}`);
    if (row.facts !== JSON.stringify(facts)) this.#wrong(row.n, `the facts of event ${leaf.eventId} are not the log's`);
    this.#columns(row, envelope);
    const opened = openings.action === undefined && openings.payload === undefined ? null : JSON.stringify(openings);
    if (row.erased === 0 && row.openings !== opened) this.#wrong(row.n, "its openings are not the log's");
    this.#openings(row, leaf);
  }

  /** A row without its record of the log: everything that it says must follow from its leaf. */
  #judgeAlone(row: ArchiveRow): NumberedLeaf | null {
    this.#check.examined += 1;
    try {
      const reading = readLeaf(JSON.parse(row.leaf));
      const facts = JSON.parse(row.facts) as Omit<EventEnvelope, 'leaf' | 'openings'>;
      if (reading.ok && canonicalLeaf(reading.value) === row.leaf) {
        const envelope = { ...facts, leaf: reading.value, openings: {} };
        this.#columns(row, envelope);
        this.#openings(row, reading.value);
        const { leaf: text, sequence } = row;
        return { kind: 'leaf', offset: -1, envelope, text, hash: hashOf(text), sequence, counts: isCounted(envelope) };
      }
    } catch {
      // Said below.
    }
    this.#wrong(row.n, 'it holds no leaf');
    return null;
  }

  #columns(row: ArchiveRow, { leaf, accountId }: EventEnvelope): void {
    const expected: readonly (readonly [string, unknown, unknown])[] = [
      ['event_id', row.eventId.toString('hex'), leaf.eventId.replaceAll('-', '')],
      ['agent', row.agentId, leaf.agentId],
      ['account', row.accountId, accountId],
      ['occurred_at', row.occurredAt, Date.parse(leaf.occurredAt)],
      ['blocked', row.blocked, leaf.outcome === 'denied' || leaf.outcome === 'frozen' ? 1 : 0],
      ['refers_to', row.refersTo?.toString('hex') ?? null, leaf.refersTo?.replaceAll('-', '') ?? null],
      ['type', row.type, leaf.type],
      ['outcome', row.outcome, leaf.outcome],
      ['allowed', row.allowed, leaf.allowed === null ? null : Number(leaf.allowed)],
      ['violation_type', row.violationType, leaf.violation_type],
    ];
    for (const [name, stored, wanted] of expected) {
      if (stored !== wanted) this.#wrong(row.n, `${name} is ${String(stored)}, its leaf says ${String(wanted)}`);
    }
  }

  #openings(row: ArchiveRow, leaf: LeafEvent): void {
    if (row.openings === null) return;
    if (row.erased !== 0) return this.#wrong(row.n, 'it is erased and its content is still there');
    const openings = readOpenings(row.openings);
    if (openings === null) return this.#wrong(row.n, 'its openings are no JSON');
    for (const kind of ['action', 'payload'] as const) {
      const opening = openings[kind];
      if (opening === undefined) continue;
      const commitment = leaf[kind];
      if (commitment === null || opens(commitment, kind, opening, nodeCrypto.sha256) === 'wrong') {
        this.#wrong(row.n, `the stored ${kind} of event ${leaf.eventId} is not what its leaf commits`);
      }
    }
  }
}

function readOpenings(text: string): Openings | null {
  try {
    return JSON.parse(text) as Openings;
  } catch {
    return null;
  }
}

function idBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}
