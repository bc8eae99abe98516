import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked } from '../instance/instance.js';
import type { Attempt } from '../torture/load.js';
import { differences, listEvents, type ListedEvent, type Session } from '../torture/recorded.js';
import type { TimedAttempt } from './steady-load.js';

export const EVER = '2000-01-01T00:00:00.000Z';

/** The parts of an event that are looked at here and not in `ListedEvent`. */
export interface AgentEvent extends ListedEvent {
  readonly agentId: string;
  readonly outcome: string | null;
}

/**
 * What is wrong with the list after a fault, empty when all is well: every answered check is there once, none that was
 * certainly refused, each 503 of open fate is told of as unanswered exactly once, ids are unique, and the sequence of no
 * agent has a gap.
 */
export function problems(attempts: readonly Attempt[], listed: readonly AgentEvent[]): string[] {
  return [...differences(attempts, listed), ...unanswered(attempts, listed), ...repeated(listed), ...gaps(listed)];
}

function unanswered(attempts: readonly Attempt[], listed: readonly AgentEvent[]): string[] {
  const told = new Map<string, number>();
  for (const { type, refersTo } of listed) {
    if (type === 'action.unanswered' && refersTo !== null) told.set(refersTo, (told.get(refersTo) ?? 0) + 1);
  }
  return attempts.flatMap(({ marker, status, eventId }) => {
    if (status === null) return [`${marker} had no answer`];
    const times = eventId === null ? 0 : (told.get(eventId) ?? 0);
    const expected = status === 503 && eventId !== null ? 1 : 0;
    return times === expected ? [] : [`${marker}, answered ${status}, is told of as unanswered ${times} times`];
  });
}

function repeated(listed: readonly AgentEvent[]): string[] {
  return listed.length === new Set(listed.map(({ eventId }) => eventId)).size ? [] : ['an event is listed twice'];
}

function gaps(listed: readonly AgentEvent[]): string[] {
  const byAgent = new Map<string, number[]>();
  for (const { agentId, sequence } of listed) {
    const sequences = byAgent.get(agentId) ?? [];
    sequences.push(sequence);
    byAgent.set(agentId, sequences);
  }
  return [...byAgent].flatMap(([agentId, sequences]) => {
    sequences.sort((a, b) => a - b);
    const [first] = sequences;
    const wrong = sequences.findIndex((sequence, n) => sequence !== (first ?? 0) + n);
    if (first !== FIRST) return [`the events of agent ${agentId} begin with ${String(first)}`];
    return wrong === -1
      ? []
      : [`agent ${agentId}: ${String(sequences[wrong])} follows ${String(sequences[wrong - 1])}`];
  });
}

const FIRST = 1;

/** The list of all events once it has followed the log; with the problems that are left after `seconds`. */
export async function settled(
  instance: Asked,
  session: Session,
  attempts: readonly Attempt[],
  seconds = 40,
): Promise<{ readonly listed: readonly AgentEvent[]; readonly problems: readonly string[] }> {
  const until = Date.now() + seconds * 1000;
  for (;;) {
    let found: { listed: readonly AgentEvent[]; problems: readonly string[] };
    try {
      const listed = (await listEvents(instance, session, EVER)) as AgentEvent[];
      found = { listed, problems: problems(attempts, listed) };
    } catch (error) {
      found = { listed: [], problems: [(error as Error).message] };
    }
    if (found.problems.length === 0 || Date.now() > until) return { ...found, problems: found.problems.slice(0, 20) };
    await sleep(500);
  }
}

/** Refusals that are not as a 503 of a check must be. */
export function wrongRefusals(attempts: readonly TimedAttempt[]): readonly string[] {
  return attempts.flatMap(({ marker, status, text, retryAfter }) => {
    if (status !== 503) return [];
    const { allowed, code, severity } = JSON.parse(text) as Record<string, unknown>;
    const isRight =
      allowed === false &&
      severity === 'P1' &&
      (code === 'unavailable' || code === 'deadline_exceeded') &&
      /^\d+$/.test(retryAfter ?? '');
    return isRight ? [] : [`${marker}: ${text}, Retry-After ${String(retryAfter)}`];
  });
}

/** What a busy test machine may add to a deadline, on both sides of the wire; a stall of it meets all that are under way. */
const SLACK_MS = 1000;
const STALL_MS = 5000;

/** While a broker starts beside it, a machine of two cores may be that busy. */
const LATE_SHARE = 0.1;

/** How many were late, where more than one in ten was, or one by more than a stall of the machine. */
export function late(attempts: readonly TimedAttempt[], deadlineMs: number): readonly string[] {
  const over = (ms: number): number => attempts.filter(({ tookMs }) => tookMs > deadlineMs + ms).length;
  return [
    ...(over(SLACK_MS) > attempts.length * LATE_SHARE ? [`${over(SLACK_MS)} of ${attempts.length} were late`] : []),
    ...(over(STALL_MS) > 0 ? [`${over(STALL_MS)} were later than ${STALL_MS} ms`] : []),
  ];
}

/** Agents of the first account, made now. */
export async function newAgents(instance: Asked, session: Session, count: number): Promise<readonly string[]> {
  const made = await Promise.all(
    Array.from({ length: count }, (_, n) =>
      instance.request('POST', '/v1/agents', { headers: session, body: { name: `agent ${n}` } }),
    ),
  );
  return made.map(({ status, json, text }) => {
    if (status !== 201) throw new Error(`POST /v1/agents: ${status} ${text}`);
    return (json as { id: string }).id;
  });
}
