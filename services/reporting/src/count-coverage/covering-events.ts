import type { CoveringEvent, CoveringEventsQuery } from '@countersign/contracts';
import type { ControlMapping } from '../mapping/control-mapping.js';
import { assessedEvents, type CoverageArchive, type CoverageRange } from './assessed-events.js';

/** The control whose events are listed, with the status that they have. */
export type CoveredBy = Pick<CoveringEventsQuery, 'relation' | 'status'> & { readonly controlId: string };

/** The events of a range that are evidence for a control, newest first: those that `countCoverage` counts for it. */
export async function coveringEvents(
  archive: CoverageArchive,
  mapping: Pick<ControlMapping, 'controls'>,
  range: CoverageRange,
  { controlId, relation, status }: CoveredBy,
): Promise<readonly CoveringEvent[]> {
  const found: CoveringEvent[] = [];
  for await (const { event, assessment } of assessedEvents(archive, mapping, range)) {
    if (status !== undefined && assessment.status !== status) continue;
    const isOf = assessment.controls.some(
      (control) => control.controlId === controlId && (relation ?? control.relation) === control.relation,
    );
    if (!isOf) continue;
    const { eventId, agentId, occurredAt, type, outcome } = event.envelope.leaf;
    const { status: own, statusReason } = assessment;
    found.push({ eventId, agentId, sequence: event.sequence, occurredAt, type, outcome, status: own, statusReason });
  }
  return found.sort((a, b) => compare(b.occurredAt, a.occurredAt) || compare(b.eventId, a.eventId));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
