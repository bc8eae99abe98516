import type { ReactNode } from 'react';
import type { RefusedCheck } from '../../api/follow-ups.js';
import { hrefOf } from '../../location.js';
import { Foreign } from '../../parts/foreign.js';
import type { Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { alertWords } from '../../words/alerts.js';
import { followUpWords } from '../../words/follow-ups.js';
import { agentName, outcomeOf } from '../events/event-words.js';

interface Selection {
  readonly selected: ReadonlySet<string>;
  readonly toggle: (id: string) => void;
}

const { columns, ...texts } = followUpWords.list;

/** Columns of the list of refused checks. @param selection `null`: the reader may select none */
export function refusedColumns(
  names: ReadonlyMap<string, string>,
  selection: Selection | null,
): readonly Column<RefusedCheck>[] {
  return [
    ...(selection === null ? [] : [selectColumn(names, selection)]),
    { name: columns.time, cell: ({ event }) => <Time iso={event.occurredAt} /> },
    { name: columns.state, cell: (check) => <State check={check} /> },
    { name: columns.agent, cell: ({ event }) => <Foreign text={agentName(event.agentId, names)} most={80} /> },
    {
      name: columns.outcome,
      cell: ({ event }) => {
        const { label, tone } = outcomeOf(event);
        return (
          <span>
            <span className={`badge ${tone}`}>{label}</span>
            {event.severity === null ? null : <span className="severity">{event.severity}</span>}
          </span>
        );
      },
    },
    {
      name: columns.rule,
      cell: ({ event: { rule, violation_type: violation } }) => (
        <span className="mono">
          <Foreign text={rule ?? violation ?? '–'} most={80} />
        </span>
      ),
    },
    {
      name: columns.reason,
      cell: ({ event: { reason } }) =>
        reason === null ? (
          '–'
        ) : (
          <span className="clamp">
            <Foreign text={reason} most={200} />
          </span>
        ),
    },
    {
      name: columns.open,
      isUnnamed: true,
      cell: ({ event }) => <a href={hrefOf(`/events/${event.eventId}`)}>{alertWords.open}</a>,
    },
  ];
}

function selectColumn(names: ReadonlyMap<string, string>, { selected, toggle }: Selection): Column<RefusedCheck> {
  return {
    name: columns.select,
    isUnnamed: true,
    cell: ({ event }) => (
      <input
        type="checkbox"
        aria-label={texts.select(agentName(event.agentId, names), event.occurredAt)}
        checked={selected.has(event.eventId)}
        onChange={() => toggle(event.eventId)}
      />
    ),
  };
}

function State({ check: { count, latestAt } }: { readonly check: RefusedCheck }): ReactNode {
  if (count === 0)
    return (
      <span>
        <span className="badge held">{texts.not}</span>
      </span>
    );
  return (
    <span>
      <span className="badge good">{texts.notes(count)}</span> {latestAt === null ? null : <Time iso={latestAt} />}
    </span>
  );
}
