import { createHash } from 'node:crypto';
import { MOST_ATTEMPTS } from '@countersign/contracts';
import type { DeliveryAttempt, DeliveryRecord, DeliveryState } from '@countersign/contracts';
import type { Violation } from './violation.js';

/** Delay after each failed attempt, ms: `additions.md`. After the last one the destination is disabled. */
export const RETRY_AFTER_MS: readonly number[] = [
  5_000,
  30_000,
  5 * 60_000,
  30 * 60_000,
  2 * 3_600_000,
  6 * 3_600_000,
  15 * 3_600_000,
];

/** A message for one destination. Its id is the `webhook-id` of every attempt. */
export interface Message {
  readonly id: string;
  readonly accountId: string;
  readonly destinationId: string;
  readonly type: string;
  /** The bytes of every attempt, JSON. */
  readonly body: string;
  /** Number of events that it reports. */
  readonly count: number;
  readonly createdAtMs: number;
  /** Time of the next attempt, ms; `null`: none. */
  readonly dueAtMs: number | null;
  readonly state: DeliveryState;
  readonly attempts: readonly DeliveryAttempt[];
  /** Attempts before it was last asked for by hand: the delays begin again after them. Absent: 0. */
  readonly earlierAttempts?: number;
}

export interface Owner {
  readonly accountId: string;
  readonly destinationId: string;
}

/** Deterministic: a message that is rebuilt after a crash has the same id. */
export function messageId(...parts: readonly string[]): string {
  return `msg_${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 40)}`;
}

export function newMessage(
  owner: Owner,
  id: string,
  content: { readonly type: string; readonly timestamp: string; readonly data: object },
  count: number,
  nowMs: number,
): Message {
  const { accountId, destinationId } = owner;
  return {
    id,
    accountId,
    destinationId,
    type: content.type,
    body: JSON.stringify(content),
    count,
    createdAtMs: nowMs,
    dueAtMs: nowMs,
    state: 'waiting',
    attempts: [],
  };
}

type Reported = Pick<
  Violation,
  'eventId' | 'agentId' | 'severity' | 'violationType' | 'reason' | 'occurredAt' | 'messageType' | 'approval'
>;

/** @param violation the newest of the `count` summed ones; `firstEventId` is the oldest, which names the message */
export function violationMessage(
  owner: Owner,
  violation: Reported,
  firstEventId: string,
  count: number,
  nowMs: number,
): Message {
  const { occurredAt, messageType = 'violation.blocked' } = violation;
  const content = { type: messageType, timestamp: occurredAt, data: dataOf(violation, count) };
  return newMessage(owner, messageId(owner.destinationId, firstEventId), content, count, nowMs);
}

function dataOf(violation: Reported, count: number): object {
  const { eventId, agentId, severity, violationType, reason, approval } = violation;
  if (approval === undefined) return { eventId, agentId, severity, violation_type: violationType, reason, count };
  const { approvalId, rule, expiresAt, checkId, url } = approval;
  return { approvalId, eventId: checkId, agentId, rule, expiresAt, url, reason, count };
}

/** The message after an attempt. `exhausted`: it was the last one, and it failed. */
export function afterAttempt(
  message: Message,
  attempt: DeliveryAttempt,
  nowMs: number,
): { readonly message: Message; readonly exhausted: boolean } {
  const attempts = [...message.attempts, attempt];
  const over = (state: DeliveryState): Message => ({ ...message, attempts, state, dueAtMs: null });
  if (attempt.error === null) return { message: over('delivered'), exhausted: false };
  const wait = RETRY_AFTER_MS[attempts.length - 1 - (message.earlierAttempts ?? 0)];
  const isLast = attempts.length >= MOST_ATTEMPTS;
  if (wait === undefined || isLast || attempt.status === 410) return { message: over('failed'), exhausted: true };
  return { message: { ...message, attempts, dueAtMs: nowMs + wait }, exhausted: false };
}

/** The message as it is sent again, now: with its own id, so that a receiver that has it can tell. */
export function sentAgain(message: Message, nowMs: number): Message {
  return { ...message, state: 'waiting', dueAtMs: nowMs, earlierAttempts: message.attempts.length };
}

/** The message in the delivery log. */
export function deliveryRecord({ id, type, state, createdAtMs, count, dueAtMs, attempts }: Message): DeliveryRecord {
  return {
    id,
    type,
    state,
    createdAt: new Date(createdAtMs).toISOString(),
    count,
    nextAttemptAt: dueAtMs === null ? null : new Date(dueAtMs).toISOString(),
    attempts,
  };
}
