import { traceIdOf } from '@countersign/contracts';
import type { EventEnvelope, LeafEvent, Openings } from '@countersign/contracts';
import type { ArchiveInspection, ArchiveRange, InspectedEvent } from '@countersign/audit-log';
import { canonicalLeaf, COMMITMENT_KINDS, opens, opensAnything, readLeaf } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { LAYOUT } from './layout.js';
import { hashOf, isCounted, type NumberedLeaf } from './number-leaves.js';
import { placeIn, Reached } from './places.js';
import type { Check } from './report.js';

/** Members by which the log may lack an archived event. */
export interface ArchivedPlace {
  readonly n: number;
  readonly occurredAt: number;
}

/** Log records among which the archive's first common event is looked for. */
const LOOKED_AT = 50;

export interface LogBounds {
  /** `true` when the log may have dropped an archived event. */
  mayBeOlder(event: ArchivedPlace): boolean;
  /** Resolves with `true` when the record of an archived event was appended after the log's end was read. */
  isNewer(event: ArchivedPlace): Promise<boolean>;
}

/**
 * Merges the archive, in the order of its places, with the log: it must hold every leaf of the log in the same order, and
 * nothing else except events that are older than the log.
 */
export class ArchiveComparison {
  readonly #archive: ArchiveInspection;
  readonly #check: Check;
  readonly #position: Reached;
  readonly #bounds: LogBounds;
  readonly #events: AsyncIterator<InspectedEvent>;
  #row: InspectedEvent | null = null;
  #begun = false;
  /** Examined before the log was read. */
  readonly #examined: ArchiveRange[] = [];

  private constructor(archive: ArchiveInspection, position: Reached, bounds: LogBounds, check: Check) {
    this.#archive = archive;
    this.#position = position;
    this.#bounds = bounds;
    this.#check = check;
    this.#events = archive.events()[Symbol.asyncIterator]();
  }

  static async of(archive: ArchiveInspection, bounds: LogBounds, check: Check): Promise<ArchiveComparison> {
    return new ArchiveComparison(archive, new Reached(await archive.positions('agent-events')), bounds, check);
  }

  async sequenceOf(eventId: string): Promise<number | null> {
    return (await this.#find(eventId))?.sequence ?? null;
  }

  /** The archived leaves before the log's first events, whose ids are given. */
  async *older(firstIds: readonly string[]): AsyncGenerator<NumberedLeaf> {
    const wanted = firstIds.slice(0, LOOKED_AT);
    const events = await this.#archive.find(wanted);
    const found = wanted.flatMap((id) => (events.has(id) ? placeOf(events.get(id)!) : []));
    const last = found.at(-1);
    // A repetition of an older event lies further back than the other records around it.
    const before =
      last === undefined ? Number.MAX_SAFE_INTEGER : Math.min(...found.filter((n) => n > last - LOOKED_AT));
    const range = { partition: 0, from: Number.MIN_SAFE_INTEGER, to: before };
    for await (const { leaf } of this.#olderIn(range)) yield leaf;
  }

  /** The archived leaves of a range that the log has dropped, where places are those of the log. */
  async *inRange(range: ArchiveRange): AsyncGenerator<NumberedLeaf> {
    for await (const { leaf, n } of this.#olderIn(range)) yield { ...leaf, offset: n };
  }

  async take(leaf: NumberedLeaf): Promise<void> {
    const { eventId } = leaf.envelope.leaf;
    let row = await this.#peek();
    if (row === null || row.eventId !== eventId) {
      if (row === null && !this.#position.has(leaf.offset)) return this.#lacks(leaf);
      const found = await this.#find(eventId);
      if (found === null) return this.#lacks(leaf);
      const n = placeOf(found);
      if (row === null || n < placeOf(row)) return this.#wrong(found, 'the event does not stand where the log has it');
      while (row !== null && placeOf(row) < n) {
        await this.#surplus(row);
        row = await this.#advance();
      }
      if (row === null) return;
    }
    this.#check.examined += 1;
    this.#compare(row, leaf);
    await this.#advance();
  }

  /** @param complete the log was read to its end */
  async finish(complete: boolean): Promise<void> {
    if (complete) {
      for (let row = await this.#peek(); row !== null; row = await this.#advance()) await this.#surplus(row);
    }
    await this.#events.return?.();
  }

  async *#olderIn(range: ArchiveRange): AsyncGenerator<{ readonly leaf: NumberedLeaf; readonly n: number }> {
    this.#examined.push(range);
    for await (const event of this.#archive.events(range)) {
      const leaf = this.#judgeAlone(event);
      if (leaf !== null) yield { leaf, n: placeOf(event) };
    }
  }

  async #peek(): Promise<InspectedEvent | null> {
    return this.#begun ? this.#row : this.#advance();
  }

  async #advance(): Promise<InspectedEvent | null> {
    this.#begun = true;
    const next = await this.#events.next();
    this.#row = next.done === true ? null : next.value;
    return this.#row;
  }

  async #find(eventId: string): Promise<InspectedEvent | null> {
    return (await this.#archive.find([eventId])).get(eventId) ?? null;
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

  async #surplus(row: InspectedEvent): Promise<void> {
    const { partition, offset } = row.at;
    if (this.#examined.some((one) => one.partition === partition && offset >= one.from && offset < one.to)) return;
    const place = { n: placeOf(row), occurredAt: row.occurredAtMs };
    if (this.#bounds.mayBeOlder(place)) this.#judgeAlone(row);
    else if (!(await this.#bounds.isNewer(place)))
      this.#wrong(row, `event ${row.eventId} of agent ${row.agentId} is not in the log`);
  }

  #wrong(event: InspectedEvent, problem: string): void {
    this.#check.wrong(`${LAYOUT.archive} events n=${placeOf(event)}`, problem);
  }

  #compare(row: InspectedEvent, { envelope, text, sequence }: NumberedLeaf): void {
    const { leaf, openings, ...facts } = envelope;
    if (row.leaf !== text) this.#wrong(row, `the leaf of event ${leaf.eventId} is not the log's`);
    if (row.sequence !== sequence) this.#wrong(row, `sequence ${row.sequence}, by the log ${sequence}`);
    if (row.facts !== JSON.stringify(facts)) this.#wrong(row, `the facts of event ${leaf.eventId} are not the log's`);
    this.#columns(row, envelope);
    const opened = opensAnything(openings) ? JSON.stringify(openings) : null;
    if (!row.erased && row.openings !== opened) this.#wrong(row, "its openings are not the log's");
    this.#openings(row, leaf);
  }

  /** An event whose record the log has dropped: everything that the archive says of it must follow from its leaf. */
  #judgeAlone(row: InspectedEvent): NumberedLeaf | null {
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
      // Reported below.
    }
    this.#wrong(row, 'it holds no leaf');
    return null;
  }

  #columns(row: InspectedEvent, { leaf, accountId }: EventEnvelope): void {
    const expected: readonly (readonly [string, unknown, unknown])[] = [
      ['event_id', row.eventId, leaf.eventId],
      ['agent', row.agentId, leaf.agentId],
      ['account', row.accountId, accountId],
      ['occurred_at', row.occurredAtMs, Date.parse(leaf.occurredAt)],
      ['blocked', row.blocked, leaf.outcome === 'denied' || leaf.outcome === 'frozen'],
      ['refers_to', row.refersTo, leaf.refersTo],
      ['type', row.class?.type, leaf.type],
      ['outcome', row.class?.outcome, leaf.outcome],
      ['allowed', row.class?.allowed, leaf.allowed],
      ['violation_type', row.class?.violationType, leaf.violation_type],
      ['rule', row.rule, leaf.rule],
    ];
    for (const [name, stored, wanted] of expected) {
      if (stored !== wanted) this.#wrong(row, `${name} is ${String(stored)}, its leaf says ${String(wanted)}`);
    }
  }

  #openings(row: InspectedEvent, leaf: LeafEvent): void {
    const trace = row.openings === null ? null : traceIdOf(readOpenings(row.openings) ?? {});
    if (row.trace !== trace) this.#wrong(row, `trace is ${row.trace}, its openings say ${trace}`);
    if (row.openings === null) return;
    if (row.erased) return this.#wrong(row, 'it is erased and its content is still there');
    const openings = readOpenings(row.openings);
    if (openings === null) return this.#wrong(row, 'its openings are not JSON');
    for (const kind of COMMITMENT_KINDS) {
      const opening = openings[kind];
      if (opening === undefined) continue;
      if (opens(leaf, kind, opening, nodeCrypto.sha256) === 'wrong') {
        this.#wrong(row, `the stored ${kind} of event ${leaf.eventId} is not what its leaf commits`);
      }
    }
  }
}

function placeOf({ at }: InspectedEvent): number {
  return placeIn(at.partition, at.offset);
}

function readOpenings(text: string): Openings | null {
  try {
    return JSON.parse(text) as Openings;
  } catch {
    return null;
  }
}
