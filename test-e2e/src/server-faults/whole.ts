import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked } from '../instance/instance.js';
import type { Attempt } from '../torture/load.js';
import { differences, listEvents, type ListedEvent, type Session } from '../torture/recorded.js';
import type { TimedAttempt } from './steady-load.js';

export const EVER = '2000-01-01T00:00:00.000Z';

/** Members of an event that are compared here and not in `ListedEvent`. */
export interface AgentEvent extends ListedEvent {
  readonly agentId: string;
  readonly outcome: string | null;
}

/**
 * Problems of the list after a fault, empty if there are none: every answered check is listed once, none that was
 * certainly refused, each 503 in doubt is reported as unanswered exactly once, ids are unique, and no agent's
 * sequence has a gap.
 */
export function problems(attempts: readonly Attempt[], listed: readonly AgentEvent[]): string[] {
  return [...differences(attempts, listed), ...unanswered(attempts, listed), ...repeated(listed), ...gaps(listed)];
}

function unanswered(attempts: readonly Attempt[], listed: readonly AgentEvent[]): string[] {
  const unanswered = new Map<string, number>();
  for (const { type, refersTo } of listed) {
    if (type === 'action.unanswered' && refersTo !== null)
      unanswered.set(refersTo, (unanswered.get(refersTo) ?? 0) + 1);
  }
  return attempts.flatMap(({ marker, status, eventId }) => {
    if (status === null) return [`${marker} had no answer`];
    const times = eventId === null ? 0 : (unanswered.get(eventId) ?? 0);
    const expected = status === 503 && eventId !== null ? 1 : 0;
    return times === expected ? [] : [`${marker}, answered ${status}, is reported as unanswered ${times} times`];
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

/** Pages of a list that grows meanwhile overlap, and thousands of events take as long to list as to store. */
const LARGE_LIST = 1000;

async function totalEvents(instance: Asked, session: Session): Promise<number> {
  const path = `/v1/events?limit=1&from=${encodeURIComponent(EVER)}`;
  const { status, json, text } = await instance.request('GET', path, { headers: session });
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${text}`);
  return (json as { total: number }).total;
}

/** Waits while a large list of events grows, at most until the time `until` (ms since the epoch). */
async function quiet(instance: Asked, session: Session, until: number): Promise<void> {
  for (let total = await totalEvents(instance, session); total > LARGE_LIST && Date.now() < until;) {
    await sleep(2000);
    const now = await totalEvents(instance, session);
    if (now === total) return;
    total = now;
  }
}

/** The list of all events once it has caught up with the log; with the problems left after `seconds`. */
export async function settled(
  instance: Asked,
  session: Session,
  attempts: readonly Attempt[],
  seconds = 80,
): Promise<{ readonly listed: readonly AgentEvent[]; readonly problems: readonly string[] }> {
  const until = Date.now() + seconds * 1000;
  for (;;) {
    let found: { listed: readonly AgentEvent[]; problems: readonly string[] };
    try {
      await quiet(instance, session, until);
      const listed = (await listEvents(instance, session, EVER)) as AgentEvent[];
      found = { listed, problems: problems(attempts, listed) };
    } catch (error) {
      found = { listed: [], problems: [(error as Error).message] };
    }
    if (found.problems.length === 0 || Date.now() > until) return { ...found, problems: found.problems.slice(0, 20) };
    await sleep(500);
  }
}

/** Refusals that differ from the required 503 of a check. */
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

/** Additional time of a busy test machine; a stall affects all requests in flight. */
const SLACK_MS = 1000;
const STALL_MS = 5000;

/** Share of late answers allowed while a broker starts on a machine of two cores. */
const LATE_SHARE = 0.1;

/** Reports late answers if more than one in ten was late, or one by more than a stall of the machine. */
export function late(attempts: readonly TimedAttempt[], deadlineMs: number): readonly string[] {
  const over = (ms: number): number => attempts.filter(({ tookMs }) => tookMs > deadlineMs + ms).length;
  return [
    ...(over(SLACK_MS) > attempts.length * LATE_SHARE ? [`${over(SLACK_MS)} of ${attempts.length} were late`] : []),
    ...(over(STALL_MS) > 0 ? [`${over(STALL_MS)} were later than ${STALL_MS} ms`] : []),
  ];
}

/** Creates agents of the first account. */
export async function newAgents(
  instance: Pick<Asked, 'request'>,
  session: Session,
  count: number,
): Promise<readonly string[]> {
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
