import { isAccountStream } from '@countersign/contracts';
import type { AbsenceResult, AgentCompleteness, WindowTime } from '@countersign/evidence';

/** Facts of a package for the reader, one line each, as far as they are present. None of them is verified. */
export function describePackage(value: unknown): string[] {
  const { reportId, range, summary, timestamp } = membersOf(value);
  const lines: string[] = [];
  if (typeof reportId === 'string') lines.push(`report ${reportId}`);
  if (range !== undefined) {
    const { from, to } = membersOf(range);
    lines.push(`events from ${textOf(from)} to ${textOf(to)}`);
  }
  if (summary !== undefined) {
    const { allowed, denied, gap } = membersOf(summary);
    lines.push(`${eventsText(value)}: ${textOf(allowed)} allowed, ${textOf(denied)} denied, ${textOf(gap)} to review`);
  }
  if (timestamp !== undefined) {
    const { issued_at: issuedAt, anchor } = membersOf(timestamp);
    lines.push(`issued at ${textOf(issuedAt)}, anchor ${textOf(anchor)}`);
  }
  return lines;
}

/** The number of events, those of the people of the account apart: `26 events`, `26 events of agents and 2 of people`. */
export function eventsText(value: unknown): string {
  const { summary, agents } = membersOf(value);
  const { events } = membersOf(summary);
  const trail = (Array.isArray(agents) ? agents.map(membersOf) : []).find(
    ({ id }) => typeof id === 'string' && isAccountStream(id),
  );
  const count = trail?.['count'];
  if (typeof events !== 'number' || typeof count !== 'number') return `${textOf(events)} events`;
  return `${events - count} events of agents and ${count} of people`;
}

/** The claim of a proof of absence, one line each. */
export function describeAbsence({ agentId, windowStart, windowEnd, merkleRoot }: AbsenceResult): string[] {
  return [
    `no event of agent ${textOf(agentId)}`,
    `in the window from ${textOf(windowStart)} to ${textOf(windowEnd)}`,
    `root ${textOf(merkleRoot)}`,
  ];
}

const SHOWN_AGENTS = 20;

/** Contents of a package by agent sequence, one line each. */
export function describeCompleteness(agents: readonly AgentCompleteness[]): string[] {
  const lines = agents.slice(0, SHOWN_AGENTS).map(({ agentId, firstSequence, lastSequence, missing, windows }) => {
    if (firstSequence === null || lastSequence === null) return `${nameOf(agentId)}: no event`;
    const gone = missing.map(({ first, last }) => (first === last ? `${first}` : `${first} to ${last}`));
    const whole = windows.filter(({ notInPackage }) => notInPackage.length === 0).length;
    return (
      `${nameOf(agentId)}: ${firstSequence} to ${lastSequence}, missing: ${gone.length === 0 ? 'none' : gone.join(', ')}` +
      `; ${whole} of ${windows.length} closed windows wholly here`
    );
  });
  return agents.length > SHOWN_AGENTS ? [...lines, `and ${agents.length - SHOWN_AGENTS} more agents`] : lines;
}

function nameOf(agentId: string): string {
  return `${isAccountStream(agentId) ? 'people of account' : 'agent'} ${agentId}`;
}

const SHOWN_WINDOWS = 10;

/** Anchoring times of the windows of a package, one line each, longest delay first. */
export function describeTimes(times: readonly WindowTime[]): string[] {
  const slowest = [...times].sort((a, b) => (b.secondsAfterEnd ?? Infinity) - (a.secondsAfterEnd ?? Infinity));
  const lines = slowest.slice(0, SHOWN_WINDOWS).map(({ windowStart, windowEnd, anchoredAt, secondsAfterEnd }) => {
    const when = anchoredAt === null ? 'no time is known' : `${anchoredAt}, ${secondsAfterEnd!} s after its end`;
    return `${windowStart} to ${windowEnd}: anchored ${when}`;
  });
  return times.length > SHOWN_WINDOWS ? [...lines, `and ${times.length - SHOWN_WINDOWS} more, sooner`] : lines;
}

const LONGEST_LINE = 400;

/** Reduces untrusted text to one line without control characters. */
export function oneLine(text: string): string {
  const plain = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{fffd}');
  return plain.length > LONGEST_LINE ? `${plain.slice(0, LONGEST_LINE)}…` : plain;
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : '?';
}
