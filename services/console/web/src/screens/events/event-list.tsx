import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { KeyboardEvent, ReactNode, RefObject } from 'react';
import type { EventRecord } from '@countersign/contracts';
import { useShortcuts } from '../../keyboard.js';
import { Foreign } from '../../parts/foreign.js';
import { Icon } from '../../parts/icons.js';
import { Time, zoneName } from '../../parts/time.js';
import { usePreferences } from '../../preferences.js';
import { number, words } from '../../words/en.js';
import { redecisionWords } from '../../words/verify.js';
import { fitting, templateOf } from './event-view.js';
import type { ColumnName, EventView } from './event-view.js';
import { actionLine, agentName, outcomeOf } from './event-words.js';

/** Heights of a row, px: in one line, and in up to three where the screen is narrow. A box in it is a target of 24 px. */
const ROW = { comfortable: 40, compact: 28 } as const;
const NARROW_ROW = { comfortable: 88, compact: 72 } as const;
const NONE: ReadonlySet<string> = new Set();
const NARROW = window.matchMedia('(max-width: 760px)');

interface ListProps {
  readonly events: readonly EventRecord[];
  readonly view: EventView;
  /** Of all pages; `null` until the first is read. */
  readonly total: number | null;
  readonly names: ReadonlyMap<string, string>;
  readonly selected: string | null;
  readonly onSelect: (id: string | null) => void;
  /** The events are of the filters before these. */
  readonly isOld: boolean;
  readonly isLoading: boolean;
  /** Called when the newest row comes into view or leaves it, and when a row has the focus or none has. */
  readonly onStill: (isStill: boolean) => void;
  /** Ids of events that were chosen. */
  readonly chosen?: ReadonlySet<string>;
  /** Ids of events whose verdict differs from the one computed again. */
  readonly differing?: ReadonlySet<string>;
  /** Called with one event, or all of the list, to choose those that are not, or to drop them. Absent: events are not chosen here. */
  readonly onChoose?: (events: readonly EventRecord[]) => void;
  /** Called with the events that are on screen, whenever these are others. */
  readonly onShown?: (events: readonly EventRecord[]) => void;
  /** Reads the next page; `null`: there is none, or it is being read. */
  readonly more: (() => void) | null;
}

/** The rows of which some are in the document, as a grid with one tab stop. */
export function EventList(props: ListProps): ReactNode {
  const { events, view, total, names, selected, onSelect, chosen = NONE, differing = NONE, onChoose } = props;
  const { onShown, onStill, isOld, isLoading, more } = props;
  const { localTimes } = usePreferences();
  const isNarrow = useSyncExternalStore(watchNarrow, () => NARROW.matches);
  const scrolled = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const toFocus = useRef(false);
  const height = (isNarrow ? NARROW_ROW : ROW)[view.density];
  const width = useWidth(scrolled);
  const shownColumns = useMemo(() => fitting(view.columns, width, isNarrow), [view.columns, width, isNarrow]);
  const template = isNarrow ? undefined : templateOf(shownColumns, onChoose !== undefined);
  const rows = useVirtualizer({
    count: events.length,
    getScrollElement: () => scrolled.current,
    estimateSize: () => height,
    overscan: 12,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;

  useEffect(() => rows.measure(), [rows, height]);
  useEffect(() => {
    if (more !== null && last >= events.length - 20) more();
  }, [more, last, events.length]);

  const move = (by: number): void => {
    const from =
      selected === null
        ? active
        : Math.max(
            0,
            events.findIndex(({ eventId }) => eventId === selected),
          );
    const next = Math.min(Math.max(0, from + by), events.length - 1);
    const event = events[next];
    if (event === undefined) return;
    toFocus.current = true;
    setActive(next);
    rows.scrollToIndex(next);
    if (selected !== null) onSelect(event.eventId);
  };
  const chooseAt = (index: number): void => {
    const event = events[index];
    if (event !== undefined) onChoose?.([event]);
  };
  const open = (): void => onSelect(events[active]?.eventId ?? null);
  const pageRows = (): number => Math.max(1, Math.floor((scrolled.current?.clientHeight ?? 0) / height) - 1);
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    '[': () => move(-pageRows()),
    ']': () => move(pageRows()),
    x: () => chooseAt(active),
    Enter: open,
  });
  const { startIndex = 0, endIndex = -1 } = rows.range ?? {};
  useEffect(() => onShown?.(events.slice(startIndex, endIndex + 1)), [onShown, events, startIndex, endIndex]);
  useEffect(() => {
    if (!toFocus.current) return;
    const row = scrolled.current?.querySelector<HTMLElement>(`[data-index="${active}"]`);
    if (!row) return;
    toFocus.current = false;
    row.focus({ preventScroll: true });
  });

  const isFocused = useRef(false);
  const judgeStill = (): void => onStill((scrolled.current?.scrollTop ?? 0) < height / 2 && !isFocused.current);
  const onFocus = (has: boolean): void => {
    isFocused.current = has;
    judgeStill();
  };

  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === ' ' && event.target instanceof Element && event.target.matches('[role=row]')) {
      event.preventDefault();
      chooseAt(active);
    }
    const page = pageRows();
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -events.length,
      End: events.length,
    };
    const by = moves[event.key];
    if (by === undefined) return;
    event.preventDefault();
    move(by);
  };
  // One row is a tab stop: the active one, or the first in the document where that has been scrolled away.
  const stop = shown.some(({ index }) => index === active) ? active : shown[0]?.index;
  const columns = words.events.columns;
  return (
    <div
      className={isOld ? 'grid old' : 'grid'}
      role="grid"
      aria-label={words.events.table}
      aria-rowcount={total === null ? -1 : total + 1}
      aria-busy={isLoading || isOld}
    >
      <div role="rowgroup" className="grid-head">
        <div role="row" className="grid-row" aria-rowindex={1} style={{ gridTemplateColumns: template }}>
          {onChoose === undefined ? null : (
            <span role="columnheader" className="cell-check">
              <ChooseAll events={events} chosen={chosen} isNamed={isNarrow} onChoose={() => onChoose(events)} />
            </span>
          )}
          <span role="columnheader">
            {columns.time} ({zoneName(localTimes)})
          </span>
          <span role="columnheader">{columns.outcome}</span>
          {shownColumns.map((name) => (
            <span key={name} role="columnheader" className={`cell-${name}`}>
              {columns[name]}
            </span>
          ))}
        </div>
      </div>
      <div
        role="rowgroup"
        className="grid-body"
        ref={scrolled}
        onKeyDown={onKey}
        onScroll={judgeStill}
        onFocus={() => onFocus(true)}
        onBlur={() => onFocus(false)}
      >
        {isLoading ? <Skeleton /> : null}
        <div role="presentation" className="grid-space" style={{ height: rows.getTotalSize() }}>
          {shown.map(({ index, start }) => {
            const event = events[index]!;
            return (
              <div
                key={event.eventId}
                role="row"
                className={chosen.has(event.eventId) ? 'grid-row chosen' : 'grid-row'}
                data-index={index}
                aria-rowindex={index + 2}
                aria-selected={event.eventId === selected}
                tabIndex={index === stop ? 0 : -1}
                style={{ transform: `translateY(${start}px)`, height, gridTemplateColumns: template }}
                onFocus={() => setActive(index)}
                onClick={({ ctrlKey, metaKey }) =>
                  onChoose !== undefined && (ctrlKey || metaKey) ? onChoose([event]) : onSelect(event.eventId)
                }
              >
                {onChoose === undefined ? null : (
                  <span role="gridcell" className="cell-check" onClick={(click) => click.stopPropagation()}>
                    <label>
                      <input
                        type="checkbox"
                        tabIndex={-1}
                        aria-label={words.events.choose(number(event.sequence))}
                        checked={chosen.has(event.eventId)}
                        onChange={() => onChoose([event])}
                      />
                    </label>
                  </span>
                )}
                <Cells
                  event={event}
                  name={agentName(event.agentId, names)}
                  columns={shownColumns}
                  differs={differing.has(event.eventId)}
                />
              </div>
            );
          })}
        </div>
        {total !== null && events.length > 0 && events.length >= total ? (
          <p role="presentation" className="grid-end">
            {words.events.end(total)}
          </p>
        ) : null}
      </div>
    </div>
  );
}

function watchNarrow(listener: () => void): () => void {
  NARROW.addEventListener('change', listener);
  return () => NARROW.removeEventListener('change', listener);
}

/** Width of an element, px; that of the window until it is measured. */
function useWidth(of: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(window.innerWidth);
  useLayoutEffect(() => {
    const element = of.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    setWidth(element.clientWidth);
    observer.observe(element);
    return () => observer.disconnect();
  }, [of]);
  return width;
}

/** Chooses every event that was read, or none. */
function ChooseAll({
  events,
  chosen,
  isNamed,
  onChoose,
}: Required<Pick<ListProps, 'events' | 'chosen'>> & {
  readonly isNamed: boolean;
  readonly onChoose: () => void;
}): ReactNode {
  const some = chosen.size;
  const isAll = events.length > 0 && some >= events.length && events.every(({ eventId }) => chosen.has(eventId));
  const name = words.events.chooseAll(events.length);
  return (
    <label>
      <input
        type="checkbox"
        aria-label={name}
        checked={isAll}
        ref={(box) => {
          if (box !== null) box.indeterminate = some > 0 && !isAll;
        }}
        onChange={onChoose}
      />
      {isNamed ? name : null}
    </label>
  );
}

function Cells({
  event,
  name,
  columns,
  differs,
}: {
  readonly event: EventRecord;
  readonly name: string;
  readonly columns: readonly ColumnName[];
  readonly differs: boolean;
}): ReactNode {
  const { label, tone } = outcomeOf(event);
  return (
    <>
      <span role="gridcell" className="cell-time">
        <Time iso={event.occurredAt} />
      </span>
      <span role="gridcell" className="cell-outcome">
        <span className={`badge ${tone}`}>{label}</span>
        {differs ? (
          <span className="severity differs">{redecisionWords.differs}</span>
        ) : event.severity === null ? null : (
          <span className="severity">{event.severity}</span>
        )}
      </span>
      {columns.map((column) => (
        <span
          key={column}
          role="gridcell"
          className={column === 'proof' && event.anchored ? 'cell-proof anchored' : `cell-${column}`}
        >
          {contentOf(column, event, name)}
        </span>
      ))}
    </>
  );
}

function contentOf(column: ColumnName, event: EventRecord, name: string): ReactNode {
  switch (column) {
    case 'agent':
      return <Foreign text={name} most={80} />;
    case 'number':
      return number(event.sequence);
    case 'proof':
      return (
        <>
          <Icon name={event.anchored ? 'check' : 'clock'} />
          {event.anchored ? words.events.anchored : words.events.pendingShort}
        </>
      );
    default: {
      const text = column === 'action' ? actionLine(event) : event[column];
      return text === null || text === undefined ? (
        <span className="muted">–</span>
      ) : (
        <Foreign text={text} most={200} />
      );
    }
  }
}

/** Lines of the size of rows, while the first page is read. */
function Skeleton(): ReactNode {
  return (
    <div role="presentation" className="skeleton" aria-hidden="true">
      {Array.from({ length: 12 }, (_, n) => (
        <div key={n} className="skeleton-row" />
      ))}
    </div>
  );
}
