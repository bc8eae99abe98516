import { runInSlices } from '@countersign/async';
import type { ArchivedEvent, BehaviorProfile, DryRunAnswer, EventArchive } from '@countersign/contracts';
import { isoTime } from '../domain/agent.js';
import { SimulatedAgent } from '../simulate/simulated-agent.js';
import { archivedEvents } from './archived-events.js';
import { FlipTally } from './flips.js';
import { HeldByDraft } from './held-by-draft.js';
import { changedPayloadRules, judgeRecorded, payloadRules } from './recorded-check.js';
import { countsSince } from './starting-counts.js';

/** Bounds of one dry run. */
export interface DryRunBounds {
  /** Events of the range that are read, and as many before it for the starting counts. */
  readonly events: number;
  /** Characters of payload that are judged. */
  readonly payload: number;
}

const BOUNDS: DryRunBounds = { events: 100_000, payload: 64 * 1024 * 1024 };

export interface DryRun {
  readonly agentId: string;
  readonly profile: BehaviorProfile;
  readonly draft: BehaviorProfile;
  /** ISO 8601 UTC with milliseconds. */
  readonly from: string;
  readonly to: string;
}

/**
 * Evaluates the recorded checks of `[from, to)` under a draft, in the order of the agent's log, as if the draft had replaced
 * the profile at `from`: spending, rate, facts and limits start with what was counted and set until then.
 * @throws what the archive rejects with
 */
export async function dryRun(
  archive: Pick<EventArchive, 'span' | 'range'>,
  { agentId, profile, draft, from, to }: DryRun,
  bounds: DryRunBounds = BOUNDS,
): Promise<DryRunAnswer> {
  const agent = new SimulatedAgent(draft);
  const known = new Map([[profile.version, payloadRules(profile)]]);
  const draftRules = payloadRules(draft);
  const countedBefore = await countBefore(archive, agentId, agent, from, bounds.events);
  const tally = new FlipTally();
  const violating = new Set<string | null>();
  const held = new HeldByDraft(agent);
  let truncatedAt: string | null = null;
  let events = 0;
  let payload = 0;
  for await (const event of archivedEvents(archive, agentId, from, to)) {
    events += 1;
    payload += payloadLength(event);
    if (events > bounds.events || payload > bounds.payload) {
      truncatedAt = event.envelope.leaf.occurredAt;
      break;
    }
    const changed = changedPayloadRules(event);
    if (changed !== null) known.set(...changed);
    // Spending that the draft denies or only observes was not counted.
    if (!violating.has(event.envelope.leaf.refersTo)) giveBack(agent, event);
    held.giveBack(event);
    // The log has the events of several gateways almost, not exactly, in the order of their times.
    if (!isCheck(event) || !liesIn(event, from, to)) continue;
    const verdict = await runInSlices(judgeRecorded(event, agent, draftRules, known));
    if (typeof verdict === 'object' && verdict.violation !== null) violating.add(event.envelope.leaf.eventId);
    if (typeof verdict === 'object') held.add(event, verdict);
    tally.add(event, verdict);
  }
  return {
    agentId,
    range: { from, to },
    profileVersion: profile.version,
    countedBefore,
    ...tally.result(),
    truncatedAt,
  };
}

async function countBefore(
  archive: Pick<EventArchive, 'span' | 'range'>,
  agentId: string,
  agent: SimulatedAgent,
  from: string,
  most: number,
): Promise<DryRunAnswer['countedBefore']> {
  const sinceMs = countsSince(agent.profile, Date.parse(from));
  if (sinceMs === null) return { since: null, checks: 0, complete: true };
  const since = isoTime(sinceMs);
  const span = await archive.span(agentId, since, from);
  if (span === null) return { since, checks: 0, complete: true };
  const first = Math.max(span.first, span.last - most + 1);
  let checks = 0;
  for await (const event of archivedEvents(archive, agentId, since, from, { ...span, first })) {
    giveBack(agent, event);
    agent.giveBackHeld(event.envelope.givesBackHeld ?? []);
    if (!isCheck(event) || !liesIn(event, since, from)) continue;
    agent.count(event.envelope, Date.parse(event.envelope.leaf.occurredAt));
    checks += 1;
  }
  return { since, checks, complete: first === span.first };
}

function giveBack(agent: SimulatedAgent, { envelope: { givesBack } }: ArchivedEvent): void {
  if (givesBack !== undefined) agent.giveBack(givesBack.costMicros, Date.parse(givesBack.occurredAt));
}

function isCheck({ envelope }: ArchivedEvent): boolean {
  return envelope.leaf.type === 'action.checked';
}

function liesIn({ envelope }: ArchivedEvent, from: string, to: string): boolean {
  const { occurredAt } = envelope.leaf;
  return occurredAt >= from && occurredAt < to;
}

/** Characters of a stored payload. */
function payloadLength({ envelope }: ArchivedEvent): number {
  const value = envelope.openings.payload?.value;
  return value === undefined ? 0 : JSON.stringify(value).length;
}
