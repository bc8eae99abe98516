import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import type { Range, VirtualItem } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import type { AgentRecord, Role } from '@countersign/contracts';
import { useShortcuts } from '../../keyboard.js';
import { hrefOf } from '../../location.js';
import { Foreign } from '../../parts/foreign.js';
import { Time, zoneName } from '../../parts/time.js';
import { usePreferences } from '../../preferences.js';
import { words } from '../../words/en.js';
import { AgentStatus } from './agent-status.js';
import { FreezeButton } from './freeze-dialog.js';
import { ruleCount } from './rule-count.js';

/** Of a row until it is measured, px. */
const ROW = 57;
const COLUMNS = 6;

interface TableProps {
  readonly agents: readonly AgentRecord[];
  readonly isLoading: boolean;
  readonly role: Role;
  /** Freeze, or unfreeze, was chosen. */
  readonly onAsk: (agent: AgentRecord) => void;
}

/** Agents as a table, of which only the rows in view and around them are in the document, and the one that has the focus. */
export function AgentTable({ agents, isLoading, role, onAsk }: TableProps): ReactNode {
  const { localTimes } = usePreferences();
  const { columns, table } = words.agents;
  const scrolled = useRef<HTMLDivElement>(null);
  const toFocus = useRef(false);
  const [active, setActive] = useState<number | null>(null);
  const rows = useVirtualizer({
    count: agents.length,
    getScrollElement: () => scrolled.current,
    estimateSize: () => ROW,
    getItemKey: (index) => agents[index]!.id,
    overscan: 10,
    rangeExtractor: (range) => withActive(range, active),
  });
  const move = (to: number): void => {
    const next = Math.min(Math.max(0, to), agents.length - 1);
    if (agents[next] === undefined) return;
    toFocus.current = true;
    setActive(next);
    rows.scrollToIndex(next);
  };
  useEffect(() => {
    if (!toFocus.current) return;
    const link = scrolled.current?.querySelector<HTMLElement>(`[data-index="${active}"] a`);
    if (!link) return;
    toFocus.current = false;
    link.focus({ preventScroll: true });
  });
  const step = (by: number): void => move(active === null ? 0 : active + by);
  useShortcuts({ j: () => step(1), k: () => step(-1) });
  const onKey = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor((scrolled.current?.clientHeight ?? 0) / ROW) - 1);
    const places: Readonly<Record<string, number>> = {
      ArrowDown: active === null ? 0 : active + 1,
      ArrowUp: (active ?? 0) - 1,
      PageDown: (active ?? 0) + page,
      PageUp: (active ?? 0) - page,
      Home: 0,
      End: agents.length - 1,
    };
    const to = places[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move(to);
  };
  return (
    <div className="table-scroll" tabIndex={0} role="group" aria-label={table} ref={scrolled} onKeyDown={onKey}>
      <table className="table agent-table" aria-busy={isLoading} aria-rowcount={isLoading ? -1 : agents.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">{columns.name}</th>
            <th scope="col">{columns.status}</th>
            <th scope="col">{columns.mode}</th>
            <th scope="col">{columns.rules}</th>
            <th scope="col">
              {columns.updated} ({zoneName(localTimes)})
            </th>
            <th scope="col">
              <span className="hidden">{columns.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody
          onFocus={({ target }) => {
            const index = target.closest<HTMLElement>('[data-index]')?.dataset['index'];
            if (index !== undefined) setActive(Number(index));
          }}
        >
          {isLoading ? <Skeleton /> : null}
          {isLoading
            ? null
            : spaced(rows.getVirtualItems(), rows.getTotalSize()).map((item) =>
                'space' in item ? (
                  <tr key={item.key} className="space" aria-hidden="true">
                    <td colSpan={COLUMNS} style={{ height: item.space }} />
                  </tr>
                ) : (
                  <Row
                    key={item.key}
                    index={item.index}
                    agent={agents[item.index]!}
                    role={role}
                    measure={rows.measureElement}
                    onAsk={onAsk}
                  />
                ),
              )}
        </tbody>
      </table>
    </div>
  );
}

/** The row that has the focus stays in the document, so that the focus is not lost while the list is scrolled. */
function withActive(range: Range, active: number | null): number[] {
  const shown = defaultRangeExtractor(range);
  if (active === null || active >= range.count || shown.includes(active)) return shown;
  return [...shown, active].sort((one, other) => one - other);
}

type Piece = VirtualItem | { readonly key: string; readonly space: number };

/** Rows with the space of those between them that are not in the document. */
function spaced(items: readonly VirtualItem[], total: number): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const item of items) {
    if (item.start > end) pieces.push({ key: `before ${item.index}`, space: item.start - end });
    pieces.push(item);
    ({ end } = item);
  }
  return total > end ? [...pieces, { key: 'after', space: total - end }] : pieces;
}

function Skeleton(): ReactNode {
  return Array.from({ length: 6 }, (_, n) => (
    <tr key={n} aria-hidden="true">
      <td colSpan={COLUMNS}>
        <div className="skeleton-row" />
      </td>
    </tr>
  ));
}

function Row({
  agent,
  index,
  role,
  measure,
  onAsk,
}: {
  readonly agent: AgentRecord;
  readonly index: number;
  readonly role: Role;
  /** Takes the height of the row. */
  readonly measure: (row: HTMLElement | null) => void;
  readonly onAsk: (agent: AgentRecord) => void;
}): ReactNode {
  const { id, name, type, behavior_profile: profile, updated_at: updatedAt } = agent;
  const rules = ruleCount(profile);
  return (
    <tr data-index={index} aria-rowindex={index + 2} ref={measure}>
      <th scope="row" className="agent-name">
        <a href={hrefOf(`/agents/${id}`)}>
          <Foreign text={name} most={120} />
        </a>
        {type === null ? null : (
          <span className="muted small">
            <Foreign text={type} most={60} />
          </span>
        )}
      </th>
      <td>
        <AgentStatus of={agent} />
      </td>
      <td>{profile.mode}</td>
      <td>{rules === 0 ? <span className="note">{words.agents.noRules}</span> : words.agents.rules(rules)}</td>
      <td className="cell-time">
        <Time iso={updatedAt} />
      </td>
      <td className="row-actions">
        <a href={hrefOf('/events', { agent: id })}>{words.agents.events}</a>
        <FreezeButton agent={agent} role={role} onAsk={() => onAsk(agent)} />
      </td>
    </tr>
  );
}
