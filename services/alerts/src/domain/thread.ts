import { violationMessage, type Message } from './message.js';
import { reaches, type Violation } from './violation.js';

/** Later violations of a thread's window, not told yet. */
export interface Sum {
  readonly firstEventId: string;
  readonly count: number;
  /** The newest of them, with the highest severity of all. */
  readonly newest: Violation;
  /** When it is told, ms of the wall clock. */
  readonly dueAtMs: number;
}

/**
 * Violations of one kind (agent, and violation type) as one destination is told of them. The first of them leaves at
 * once and opens a window; what follows inside it is summed and leaves when it ends.
 */
export interface Thread {
  readonly key: string;
  readonly accountId: string;
  readonly destinationId: string;
  /** Up to which (exclusive) offset of the agent's partition it stands. */
  readonly offset: number;
  /** By the log's time, so that a repetition finds the same window. */
  readonly windowEndsMs: number;
  readonly sum: Sum | null;
}

/** A violation that one destination is to be told of. */
export interface Notice {
  readonly key: string;
  readonly destinationId: string;
  readonly violation: Violation;
}

/** A thread as it is from now on, and the messages that leave. */
export interface Folded {
  readonly thread: Thread;
  readonly messages: readonly Message[];
}

export function threadKey(destinationId: string, { agentId, kind }: Pick<Violation, 'agentId' | 'kind'>): string {
  return `${destinationId}/${agentId}/${kind}`;
}

/**
 * The thread after the notices, in the order of their offsets, of which it has had those below its own.
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

/** The thread once its sum, if it has one, is told. */
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
 * A sum waits as long as its first violation was away from the window's end, by the wall clock: what is told late, as
 * after a standstill, is summed all the same.
 */
function summed({ sum, windowEndsMs }: Thread, violation: Violation, nowMs: number): Sum {
  if (sum === null) {
    const dueAtMs = nowMs + windowEndsMs - violation.loggedAtMs;
    return { firstEventId: violation.eventId, count: 1, newest: violation, dueAtMs };
  }
  const severity = reaches(sum.newest.severity, violation.severity) ? sum.newest.severity : violation.severity;
  return { ...sum, count: sum.count + 1, newest: { ...violation, severity } };
}
