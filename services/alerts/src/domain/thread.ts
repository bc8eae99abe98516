import { violationMessage, type Message } from './message.js';
import { reaches, type Violation } from './violation.js';

/** Later violations of a thread's window that have not been sent. */
export interface Sum {
  readonly firstEventId: string;
  readonly count: number;
  /** The newest one, with the highest severity of all. */
  readonly newest: Violation;
  /** When it is sent, ms of the wall clock. */
  readonly dueAtMs: number;
}

/**
 * Violations of one kind (agent, and violation type) for one destination. The first one is sent at
 * once and opens a window; further ones inside it are summed and sent when it ends.
 */
export interface Thread {
  readonly key: string;
  readonly accountId: string;
  readonly destinationId: string;
  /** Next offset of the agent's partition: lower ones have been folded. */
  readonly offset: number;
  /** By the log's time, so that a redelivered batch finds the same window. */
  readonly windowEndsMs: number;
  readonly sum: Sum | null;
}

/** A violation for one destination. */
export interface Notice {
  readonly key: string;
  readonly destinationId: string;
  readonly violation: Violation;
}

/** An updated thread, and the messages to send. */
export interface Folded {
  readonly thread: Thread;
  readonly messages: readonly Message[];
}

export function threadKey(destinationId: string, { agentId, kind }: Pick<Violation, 'agentId' | 'kind'>): string {
  return `${destinationId}/${agentId}/${kind}`;
}

/**
 * Folds the notices into the thread, in the order of their offsets; those below the thread's own have been folded before.
 * @param thread `null`: these are its first
 */
export function foldNotices(
  thread: Thread | null,
  notices: readonly [Notice, ...Notice[]],
  windowMs: number,
  nowMs: number,
): Folded {
  let current = thread ?? emptyThread(notices[0]);
  const messages: Message[] = [];
  for (const { violation } of notices) {
    if (violation.offset < current.offset) continue;
    const offset = violation.offset + 1;
    if (violation.loggedAtMs < current.windowEndsMs) {
      current = { ...current, offset, sum: summed(current, violation, nowMs) };
      continue;
    }
    const closed = closeSum(current, nowMs);
    messages.push(...closed.messages, violationMessage(current, violation, violation.eventId, 1, nowMs));
    current = { ...closed.thread, offset, windowEndsMs: violation.loggedAtMs + windowMs };
  }
  return { thread: current, messages };
}

/** The thread after its sum, if it has one, is sent. */
export function closeSum(thread: Thread, nowMs: number): Folded {
  const { sum } = thread;
  if (sum === null) return { thread, messages: [] };
  return {
    thread: { ...thread, sum: null },
    messages: [violationMessage(thread, sum.newest, sum.firstEventId, sum.count, nowMs)],
  };
}

function emptyThread({ key, destinationId, violation }: Notice): Thread {
  return { key, accountId: violation.accountId, destinationId, offset: 0, windowEndsMs: 0, sum: null };
}

/**
 * The due time of a sum is as far ahead as the window's end was for its first violation, by the wall clock: late
 * violations, as after an outage, are summed as well.
 */
function summed({ sum, windowEndsMs }: Thread, violation: Violation, nowMs: number): Sum {
  if (sum === null) {
    const dueAtMs = nowMs + windowEndsMs - violation.loggedAtMs;
    return { firstEventId: violation.eventId, count: 1, newest: violation, dueAtMs };
  }
  const severity = reaches(sum.newest.severity, violation.severity) ? sum.newest.severity : violation.severity;
  return { ...sum, count: sum.count + 1, newest: { ...violation, severity } };
}
