import { randomBytes } from 'node:crypto';
import type { Severity, StreamFormat } from '@countersign/contracts';
import {
  attested,
  cefEvent,
  ecsEvent,
  ocsfEvent,
  type ChainLink,
  type FormattedEvent,
} from '@countersign/event-formats';
import { plainLeaf, uuidV7 } from '@countersign/evidence';
import type { Stream } from '../stream.js';

/** An event in the format of a stream. */
export interface SentRecord {
  readonly eventId: string;
  readonly eventType: string;
  readonly agentId: string;
  /** Of the event among those of its agent. */
  readonly sequence: number;
  readonly severity: Severity | null;
  /** ISO 8601. */
  readonly occurredAt: string;
  readonly format: StreamFormat;
  /** A JSON text for OCSF and ECS; a line of CEF. */
  readonly text: string;
}

/**
 * Writes an event in the format of its stream.
 * @param previous the event of the agent that the stream sent before
 * @returns the record, and what the next event of the agent takes as `previous`
 */
export function sentRecord(
  { id, accountId, format }: Pick<Stream, 'id' | 'accountId' | 'format'>,
  event: FormattedEvent,
  previous: ChainLink | null,
): { readonly record: SentRecord; readonly link: ChainLink | null } {
  const { eventId, type: eventType, agentId, severity, occurredAt } = event.leaf;
  const of = { eventId, eventType, agentId, sequence: event.sequence, severity, occurredAt, format };
  if (format === 'cef') return { record: { ...of, text: cefEvent(event, accountId) }, link: null };
  if (format === 'ecs') return { record: { ...of, text: JSON.stringify(ecsEvent(event, accountId)) }, link: null };
  const place = { chainUid: `${id}/${agentId}`, previous };
  const { event: written, link } = attested(ocsfEvent(event, accountId), place);
  return { record: { ...of, text: JSON.stringify(written) }, link };
}

const NO_AGENT = '00000000-0000-4000-8000-000000000000';

/** An event of the type `stream.test`, which is in no archive and in no chain. */
export function testRecord(stream: Pick<Stream, 'id' | 'accountId' | 'format'>, nowMs: number): SentRecord {
  const eventId = uuidV7(nowMs, randomBytes(10));
  const head = { type: 'stream.test', eventId, refersTo: null, agentId: NO_AGENT } as const;
  const leaf = plainLeaf({ ...head, occurredAt: new Date(nowMs).toISOString() });
  return sentRecord(stream, { sequence: 0, leaf, openings: {} }, null).record;
}

/** The record as one JSON text: CEF, which is none, is the message of a document that ECS has fields for. */
export function jsonOf(record: SentRecord): string {
  if (record.format !== 'cef') return record.text;
  const { eventId: id, occurredAt, text } = record;
  return JSON.stringify({ '@timestamp': occurredAt, event: { id }, message: text });
}
