import { TimeSlice } from '@countersign/async';
import type { ArchivedEvent, ComplianceScope, EventArchive, Framework } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import { assessEvent, type Assessment } from '../issue-report/assess-event.js';
import { collectReferred, collectReferring, pagesOf } from '../issue-report/collect-events.js';
import { fittingRange } from '../issue-report/fitting-range.js';
import type { ControlMapping } from '../mapping/control-mapping.js';

/** As many as a package holds: what is counted here can be exported. */
export const MOST_EVENTS = 50_000;
/** Small, because payloads may be long. */
const PAGE = 200;

/** The part of the archive that is read. */
export type CoverageArchive = Pick<EventArchive, 'span' | 'range' | 'referring' | 'leaves'>;

/** The events that are read, and what they are assessed by. */
export interface CoverageRange {
  readonly agentIds: readonly string[];
  /** ISO 8601 UTC with milliseconds; inclusive. */
  readonly from: string;
  /** Exclusive. */
  readonly to: string;
  readonly frameworks: readonly Framework[];
  readonly scope: ComplianceScope;
}

export interface AssessedEvent {
  readonly event: ArchivedEvent;
  readonly assessment: Assessment;
}

/**
 * The events whose time lies in `[from, to)`, agent by agent in sequence order, each with what a package of the range states
 * of it. Yields the thread between events.
 * @throws HttpRefusal 400 if there are more than `most`, with a range that fits
 */
export async function* assessedEvents(
  archive: CoverageArchive,
  mapping: Pick<ControlMapping, 'controls'>,
  range: CoverageRange,
  most = MOST_EVENTS,
): AsyncGenerator<AssessedEvent, void, undefined> {
  const spans = await spansOf(archive, range, most);
  const slice = new TimeSlice();
  for (const { agentId, ...span } of spans) {
    for await (const events of pagesOf(archive, agentId, span, PAGE)) {
      const run = [{ agentId, events }];
      const surroundings = {
        referring: await collectReferring(archive, run),
        referred: await collectReferred(archive, run),
      };
      for (const event of events) {
        if (slice.over) await slice.next();
        const { occurredAt } = event.envelope.leaf;
        // Clocks of gateways differ: between the first and the last event there may be others.
        if (occurredAt < range.from || occurredAt >= range.to) continue;
        yield { event, assessment: assessEvent(event, surroundings, range, mapping) };
      }
    }
  }
}

interface AgentSpan {
  readonly agentId: string;
  readonly first: number;
  readonly last: number;
}

async function spansOf(
  archive: CoverageArchive,
  { agentIds, from, to }: CoverageRange,
  most: number,
): Promise<readonly AgentSpan[]> {
  const spans: AgentSpan[] = [];
  for (const agentId of agentIds) {
    const span = await archive.span(agentId, from, to);
    if (span !== null) spans.push({ agentId, ...span });
  }
  if (spans.reduce((sum, { first, last }) => sum + last - first + 1, 0) <= most) return spans;
  const fits = await fittingRange(archive, agentIds, from, to, most);
  const advice = fits === null ? 'name one agent, or a later from' : `from ${from} to ${fits} fits`;
  throw new HttpRefusal(400, `the range holds more than ${most} events: ${advice}`);
}
