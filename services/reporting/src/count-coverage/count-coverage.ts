import type { Coverage, CoverageQuery, CoveredControl, EventStatus } from '@countersign/contracts';
import { controlState } from '../mapping/applicability.js';
import { rowKey, type ControlMapping } from '../mapping/control-mapping.js';
import { statementsFor } from '../mapping/statements.js';
import { assessedEvents, type AssessedEvent, type CoverageArchive, type CoverageRange } from './assessed-events.js';

const DAY_MS = 86_400_000;

interface Tally {
  readonly byStatus: Record<EventStatus, number>;
  lastAt: string | null;
  /** By column. */
  readonly cells: Map<string, { events: number; gap: number }>;
}

/** Counts the events of a range by the controls that they are evidence for. */
export async function countCoverage(
  archive: CoverageArchive,
  mapping: ControlMapping,
  range: CoverageRange,
  by: CoverageQuery['by'],
): Promise<Omit<Coverage, 'asOf'>> {
  const controls = mapping.controlsOf(range.frameworks);
  const tallies = new Map(controls.map((control) => [rowKey(control), newTally()]));
  const counted = new Set<string>();
  let events = 0;
  for await (const one of assessedEvents(archive, mapping, range)) {
    events += 1;
    const column = columnOf(one, by);
    if (column !== null) counted.add(column);
    for (const control of one.assessment.controls) add(tallies.get(rowKey(control))!, one, column);
  }
  const columns = by === 'day' ? daysOf(range) : range.agentIds.filter((id) => counted.has(id));
  return {
    from: range.from,
    to: range.to,
    events,
    mapping: { version: mapping.version, sha256: mapping.sha256 },
    statements: statementsFor(range.frameworks, range.scope),
    controls: controls.map((control): CoveredControl => {
      const { byStatus, lastAt } = tallies.get(rowKey(control))!;
      const { Satisfied: satisfied, Prevented: prevented, 'Gap, review required': gap } = byStatus;
      const { conditions: _conditions, ...facts } = control;
      const all = satisfied + prevented + gap;
      const state = controlState(control, range.scope, { events: all, gap });
      return { ...facts, state, events: all, satisfied, prevented, gap, lastAt };
    }),
    columns: by === 'control' ? [] : columns,
    cells: controls.flatMap((control, index) =>
      columns.flatMap((name, column) => {
        const cell = tallies.get(rowKey(control))!.cells.get(name);
        return cell === undefined ? [] : [{ control: index, column, ...cell }];
      }),
    ),
  };
}

/** The days of a range in UTC, `2026-03-01`. */
export function daysOf({ from, to }: Pick<CoverageRange, 'from' | 'to'>): readonly string[] {
  const days: string[] = [];
  const begin = Math.floor(Date.parse(from) / DAY_MS) * DAY_MS;
  for (let day = begin; day < Date.parse(to); day += DAY_MS) days.push(new Date(day).toISOString().slice(0, 10));
  return days;
}

function newTally(): Tally {
  return { byStatus: { Satisfied: 0, Prevented: 0, 'Gap, review required': 0 }, lastAt: null, cells: new Map() };
}

function columnOf({ event: { envelope } }: AssessedEvent, by: CoverageQuery['by']): string | null {
  if (by === 'control') return null;
  return by === 'agent' ? envelope.leaf.agentId : envelope.leaf.occurredAt.slice(0, 10);
}

function add(tally: Tally, { event, assessment: { status } }: AssessedEvent, column: string | null): void {
  const { occurredAt } = event.envelope.leaf;
  tally.byStatus[status] += 1;
  if (tally.lastAt === null || occurredAt > tally.lastAt) tally.lastAt = occurredAt;
  if (column === null) return;
  const cell = tally.cells.get(column) ?? { events: 0, gap: 0 };
  cell.events += 1;
  if (status === 'Gap, review required') cell.gap += 1;
  tally.cells.set(column, cell);
}
