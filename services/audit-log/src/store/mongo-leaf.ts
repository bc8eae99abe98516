import type { mongo } from 'mongoose';
import { traceIdOf } from '@countersign/contracts';
import type { ArchivedEvent, EventEnvelope, LeafEvent, Openings } from '@countersign/contracts';
import { canonicalLeaf, opensAnything } from '@countersign/evidence';
import { classOf, isBlocked, type EventClass } from '../domain/event-class.js';
import type { StoredEvent } from '../domain/event-record.js';
import { uuid, type EventDocument } from './mongo-collections.js';
import type { LoggedEvent } from './port.js';

/** An event of an offset range, ready to be numbered. */
export interface ReadLeaf {
  readonly id: mongo.UUID;
  readonly eventId: string;
  readonly agentId: string;
  readonly accountId: string;
  readonly offset: number;
  readonly at: number;
  readonly class: EventClass;
  readonly className: string;
  readonly isCheck: boolean;
  readonly blocked: boolean;
  /** The event whose content it erases. */
  readonly erases: string | null;
  /** The event up to which it takes the content of checks. */
  readonly retains: string | null;
  /** The document, but for its sequence. */
  document(agentId: mongo.UUID, sequence: number): EventDocument;
}

/** @throws NotCanonical before anything is written, for a leaf that has no canonical form */
export function readLeaves(events: readonly LoggedEvent[], partition: number): readonly ReadLeaf[] {
  return events.map((event) => readLeaf(event, partition));
}

function readLeaf({ offset, envelope }: LoggedEvent, partition: number): ReadLeaf {
  const { leaf, openings, ...facts } = envelope;
  const id = uuid(leaf.eventId);
  const at = Date.parse(leaf.occurredAt);
  const text = canonicalLeaf(leaf);
  const blocked = isBlocked(leaf);
  const kind = classOf(leaf);
  const className = nameOf(kind);
  const { accountId } = envelope;
  const trace = traceIdOf(openings);
  return {
    id,
    eventId: leaf.eventId,
    agentId: leaf.agentId,
    accountId,
    offset,
    at,
    class: kind,
    className,
    isCheck: leaf.type === 'action.checked',
    blocked,
    erases: leaf.type === 'content.erased' ? leaf.refersTo : null,
    retains: leaf.type === 'retention.applied' ? leaf.refersTo : null,
    document: (agentId, sequence) => ({
      _id: id,
      agentId,
      sequence,
      accountId,
      at,
      partition,
      offset,
      class: className,
      leaf: text,
      facts: JSON.stringify(facts),
      ...(blocked ? { blocked } : {}),
      ...(leaf.refersTo === null ? {} : { refersTo: uuid(leaf.refersTo) }),
      ...(trace === null ? {} : { trace }),
      ...(leaf.rule === null ? {} : { rule: leaf.rule }),
      ...(opensAnything(openings) ? { openings: JSON.stringify(openings) } : {}),
    }),
  };
}

/** Stands in paths of documents: no dots. */
function nameOf({ type, outcome, allowed, violationType }: EventClass): string {
  return `${type.replaceAll('.', ':')}/${outcome ?? ''}/${allowed ?? ''}/${violationType ?? ''}`;
}

/** An event as lists show it; the caller finds out `anchored`. */
export function shownEvent({ sequence, leaf, openings }: EventDocument, anchored: boolean): StoredEvent {
  return { sequence, leaf: JSON.parse(leaf) as LeafEvent, openings: readOpenings(openings), anchored };
}

export function archivedEvent({ sequence, erased, leaf, facts, openings }: EventDocument): ArchivedEvent {
  const rest = JSON.parse(facts) as Omit<EventEnvelope, 'leaf' | 'openings'>;
  return {
    sequence,
    erased: erased === true,
    envelope: { ...rest, leaf: JSON.parse(leaf) as LeafEvent, openings: readOpenings(openings) },
  };
}

/** Openings as stored; none once they were erased. */
export function readOpenings(text: string | undefined): Openings {
  return text === undefined ? {} : (JSON.parse(text) as Openings);
}
