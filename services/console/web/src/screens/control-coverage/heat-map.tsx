import type { KeyboardEvent, ReactNode } from 'react';
import type { ControlState, Coverage, CoveredControl } from '@countersign/contracts';
import { useAgentNames } from '../../api/agents.js';
import { shownText } from '../../foreign-text.js';
import { hrefOf } from '../../location.js';
import { Table } from '../../parts/table.js';
import type { Column } from '../../parts/table.js';
import { coverageWords as texts } from '../../words/coverage.js';
import { number } from '../../words/en.js';
import { agentName } from '../events/event-words.js';
import { moveFocus } from './arrow-keys.js';
import { boundsOfDay } from './coverage-place.js';
import type { CoveragePlace } from './coverage-place.js';

/** Columns of agents: those with the most events. */
const MOST_COLUMNS = 12;
const TONES: Readonly<Record<ControlState, string>> = {
  shown: 'good',
  shown_with_gaps: 'held',
  not_shown: 'plain',
  needs_declaration: 'held',
  does_not_apply: 'plain',
};

interface Row {
  readonly control: CoveredControl;
  /** By column. */
  readonly cells: ReadonlyMap<string, { readonly events: number; readonly gap: number }>;
}

/** Controls by days, the newest first, or by agents: each number leads to the events that it counts. */
export function HeatMap({
  coverage,
  place,
}: {
  /** `undefined`: being counted. */
  readonly coverage: Coverage | undefined;
  readonly place: CoveragePlace;
}): ReactNode {
  const names = useAgentNames();
  const rows = coverage?.controls.map((control, index): Row => {
    const own = coverage.cells.filter((cell) => cell.control === index);
    return { control, cells: new Map(own.map((cell) => [coverage.columns[cell.column]!, cell])) };
  });
  const most = Math.max(1, ...(coverage?.cells.map(({ events }) => events) ?? []));
  const shown = coverage === undefined ? [] : place.by === 'day' ? [...coverage.columns].reverse() : busiest(coverage);
  const left = (coverage?.columns.length ?? 0) - shown.length;
  const titleOf = (name: string): string => (place.by === 'day' ? name : shownText(agentName(name, names), 24).text);
  const href = (control: CoveredControl, name: string | null, status?: 'Gap, review required'): string =>
    listHref(coverage!, control, place, name, status);
  const cellColumns = shown.map((name): Column<Row> => ({
    id: name,
    // The filters name the year.
    name: place.by === 'day' ? name.slice('2026-'.length) : titleOf(name),
    isNumber: true,
    cell: ({ control, cells }) => {
      const cell = cells.get(name);
      return cell === undefined ? (
        <span className="muted">
          –<span className="hidden">{texts.noEvents}</span>
        </span>
      ) : (
        <Cell {...cell} most={most} control={control} column={titleOf(name)} href={(s) => href(control, name, s)} />
      );
    },
  }));
  return (
    <>
      {/* The links in it have the focus: this only takes the keys that move between them. */}
      <div className="heat-map" onKeyDown={(event: KeyboardEvent<HTMLElement>) => moveFocus(event)} role="presentation">
        <Table<Row>
          label={texts.table}
          rows={rows}
          keyOf={({ control }) => `${control.controlId} ${control.relation}`}
          columns={[
            {
              name: texts.columns.control,
              cell: ({ control: { controlId, title, relation } }) => (
                <div className="control-name">
                  <strong>{controlId}</strong> {title}
                  <span className="muted small">{texts.relation[relation]}</span>
                </div>
              ),
            },
            {
              name: texts.columns.state,
              cell: ({ control: { state } }) => <StateWords state={state} />,
            },
            {
              name: texts.columns.events,
              isNumber: true,
              cell: ({ control }) =>
                control.events === 0 ? '0' : <a href={href(control, null)}>{number(control.events)}</a>,
            },
            {
              name: texts.columns.gap,
              isNumber: true,
              cell: ({ control }) =>
                control.gap === 0 ? (
                  '0'
                ) : (
                  <a href={href(control, null, 'Gap, review required')}>{number(control.gap)}</a>
                ),
            },
            ...cellColumns,
          ]}
        />
      </div>
      {left > 0 ? <p className="muted">{texts.moreAgents(left)}</p> : null}
    </>
  );
}

/** The words of a state: they speak of events. */
export function StateWords({ state }: { readonly state: ControlState }): ReactNode {
  const badge = <span className={`badge state-words ${TONES[state]}`}>{texts.states[state]}</span>;
  return state === 'needs_declaration' ? <a href="#/reports/scope">{badge}</a> : badge;
}

function Cell({
  events,
  gap,
  most,
  control: { controlId },
  column,
  href,
}: {
  readonly events: number;
  readonly gap: number;
  readonly most: number;
  readonly control: CoveredControl;
  readonly column: string;
  readonly href: (status?: 'Gap, review required') => string;
}): ReactNode {
  const level = Math.min(3, 1 + Math.floor((3 * events) / (most + 1)));
  return (
    <span className={`heat ${gap > 0 ? 'gaps' : `level-${level}`}`}>
      <a href={href()} aria-label={texts.cell(events, controlId, column)}>
        {number(events)}
      </a>
      {gap === 0 ? null : (
        <a href={href('Gap, review required')} aria-label={texts.gapCell(gap, controlId, column)}>
          {texts.gaps(gap)}
        </a>
      )}
    </span>
  );
}

/** Ids of the agents with the most entries, at most as many as there are columns. */
function busiest({ columns, cells }: Coverage): readonly string[] {
  const sums = columns.map((name, column) => ({
    name,
    sum: cells.reduce((sum, cell) => (cell.column === column ? sum + cell.events : sum), 0),
  }));
  return sums
    .sort((a, b) => b.sum - a.sum)
    .slice(0, MOST_COLUMNS)
    .map(({ name }) => name);
}

/** Exactly the events of a cell: its control in the bounds of its day, or of its agent. */
function listHref(
  coverage: Coverage,
  { framework, controlId, relation }: CoveredControl,
  { by, agent }: CoveragePlace,
  column: string | null,
  status?: string,
): string {
  const bounds = column !== null && by === 'day' ? boundsOfDay(coverage, column) : coverage;
  return hrefOf('/coverage/events', {
    ...{ framework, control: controlId, relation, from: bounds.from, to: bounds.to },
    agent: column !== null && by === 'agent' ? column : agent,
    status,
  });
}
