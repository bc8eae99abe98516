import { ACCOUNT_EVENTS, isAccountStream } from '@countersign/contracts';
import type {
  LeafEvent,
  StreamFilter,
  StreamFormat,
  StreamKind,
  StreamRecord,
  StreamSettings,
} from '@countersign/contracts';

/** Every event of an account is read and sent for each of its streams. */
export const MOST_STREAMS = 16;

/** A receiver that an account's events are sent to. */
export interface Stream extends Omit<StreamRecord, 'trail' | 'settings'> {
  readonly kind: StreamKind;
  readonly format: StreamFormat;
  readonly accountId: string;
  /** Events of the account itself are sent. Absent: if the filter names them. */
  readonly trail?: boolean;
  /** Absent: its kind has none, or each has its default. */
  readonly settings?: StreamSettings;
  /** ISO 8601: an agent's events are sent from its first one of this time or later. */
  readonly from: string;
  /** Sealed JSON of its credentials. */
  readonly sealedCredentials: string;
  /** Rises with every change. */
  readonly revision: number;
}

/** The stream in API answers. */
export function streamRecord(stream: Stream): StreamRecord {
  const { id, kind, url, format, settings = {}, filter, enabled, createdAt } = stream;
  return { id, kind, url, format, settings, filter, trail: sendsTrail(stream), enabled, createdAt };
}

type Selection = Pick<Stream, 'filter' | 'trail'>;

/** True if the events of the account itself are sent: data of its people leave only where that is asked for. */
function sendsTrail({ filter, trail }: Selection): boolean {
  const { type = '', agentId = '' } = filter;
  return trail ?? (type.startsWith(ACCOUNT_EVENTS) || isAccountStream(agentId));
}

/** True if the event has each member that the filter names, and is of an agent or the stream sends the trail. */
export function isSent(leaf: LeafEvent, stream: Selection): boolean {
  const { filter }: { readonly filter: StreamFilter } = stream;
  return (
    (!isAccountStream(leaf.agentId) || sendsTrail(stream)) &&
    (filter.agentId === undefined || filter.agentId.toLowerCase() === leaf.agentId) &&
    (filter.type === undefined || filter.type === leaf.type) &&
    (filter.outcome === undefined || filter.outcome === leaf.outcome) &&
    (filter.allowed === undefined || filter.allowed === leaf.allowed) &&
    (filter.violation_type === undefined || filter.violation_type === leaf.violation_type) &&
    (filter.rule === undefined || filter.rule === leaf.rule)
  );
}

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 300_000;

/**
 * Pause after this many failed attempts in a row, ms: doubled each time, five minutes at most.
 * @param askedMs by the receiver, which is not sent to before
 */
export function pauseAfter(failures: number, askedMs = 0): number {
  return Math.min(LONGEST_PAUSE_MS, Math.max(askedMs, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 20)));
}
