import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import type { EventRecord } from '@countersign/contracts';
import { useAgentNames } from '../../api/agents.js';
import { addressOf } from '../../api/ask.js';
import { endOf, eventsOf, useEvents, useTotalNow } from '../../api/events.js';
import { useChecksBy } from '../../api/stats.js';
import { useShortcuts } from '../../keyboard.js';
import { FeedLabel } from '../../live/feed-label.js';
import { useFeedState } from '../../live/feed.js';
import { hrefOf, replacePlace } from '../../location.js';
import { Copy, Problem } from '../../parts/problem.js';
import { Time } from '../../parts/time.js';
import { setPreferences, usePreferences } from '../../preferences.js';
import { ManyRedecided, ManyVerdict } from '../../verify/many-verdict.js';
import { redecided } from '../../verify/redecided.js';
import { REDECIDED_KINDS, VERIFIED_KINDS } from '../../verify/verified-kind.js';
import { useMany } from '../../verify/use-many.js';
import { verified } from '../../verify/verified.js';
import { useTitle } from '../../use-title.js';
import { words } from '../../words/en.js';
import { liveWords } from '../../words/live.js';
import { manyWords, redecisionWords } from '../../words/verify.js';
import type { ScreenProps } from '../screen-props.js';
import { apiFilters, countedRange, filtersOf, queryOf } from './event-filters.js';
import type { EventFilters } from './event-filters.js';
import { EventList } from './event-list.js';
import { EventPage } from './event-page.js';
import { EventPanel } from './event-panel.js';
import { viewMembers, viewOf, viewQuery } from './event-view.js';
import type { EventView } from './event-view.js';
import { Figures } from './figures.js';
import { FilterBar } from './filter-bar.js';
import { NoEvents } from './no-events.js';
import { useLiveList } from './use-live-list.js';
import { useSelection } from './use-selection.js';
import { ViewMenu } from './view-menu.js';

const ONE = /^\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

/** `/events`: the list; `/events/{eventId}`: one event with its proof. */
export function Events(props: ScreenProps): ReactNode {
  const id = ONE.exec(props.rest)?.[1];
  return id === undefined ? (
    <List query={props.query} isAdmin={props.session.user.role === 'admin'} />
  ) : (
    <EventPage key={id} id={id} role={props.session.user.role} />
  );
}

/** The list with its filters in the address, and beside it the event that is selected. */
function List({ query, isAdmin }: Pick<ScreenProps, 'query'> & { readonly isAdmin: boolean }): ReactNode {
  const text = query.toString();
  // The same while other members of the address change: rows, marks and boxes are of these filters.
  const key = JSON.stringify(filtersOf(query));
  const filters = useMemo(() => JSON.parse(key) as EventFilters, [key]);
  const title = filters.kind === null ? words.events.title : words.events.trail;
  useTitle(title);
  const [opened, setOpened] = useState(0);
  const pages = useEvents(filters, opened);
  const shown = useLast(pages.data);
  const isOld = pages.isPlaceholderData || (pages.data === undefined && shown !== undefined);
  const listed = useMemo(() => eventsOf(shown), [shown]);
  const first = shown?.pages[0];
  const feed = useFeedState();
  const isLive = feed.kind === 'live';
  const now = useTotalNow(filters, first, isLive);
  const [isPaused, setPaused] = useState(false);
  const [isStill, setStill] = useState(true);
  const reread = useCallback(() => setOpened((before) => before + 1), []);
  const follows = isStill && !isPaused && query.get('event') === null;
  const live = useLiveList(listed, filters, pages.data?.pages[0]?.openedAt ?? null, follows, reread);
  const { events } = live;
  const names = useAgentNames();
  const preferences = usePreferences();
  const view = useMemo(() => viewOf(new URLSearchParams(text), preferences), [text, preferences]);
  const members = { ...queryOf(filters), ...viewMembers(query) };
  const selection = useSelection(query.get('event'), members, events, pages);

  const many = useMany(VERIFIED_KINDS, verified);
  const again = useMany(REDECIDED_KINDS, redecided);
  const differing = useMemo(() => new Set(again.tally?.ids.different), [again.tally]);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const onScreen = useRef<readonly EventRecord[]>([]);
  const setOnScreen = useCallback((rows: readonly EventRecord[]) => {
    onScreen.current = rows;
  }, []);
  const { clear } = many;
  const { clear: clearAgain } = again;
  useEffect(() => {
    clear();
    clearAgain();
    setChosen(new Set());
  }, [filters, clear, clearAgain]);
  const chosenEvents = useMemo(
    () => (chosen.size === 0 ? [] : events.filter(({ eventId }) => chosen.has(eventId))),
    [chosen, events],
  );
  const rowsMeant = (): readonly EventRecord[] =>
    isEmpty ? [] : chosenEvents.length === 0 ? onScreen.current : chosenEvents;
  const verifyRows = (): void => (isOld ? undefined : many.start(rowsMeant()));
  const choose = (some: readonly EventRecord[]): void => {
    if (isOld) return;
    setChosen((before) => {
      const after = new Set(before);
      const isDropped = some.every(({ eventId }) => before.has(eventId));
      for (const { eventId } of some)
        if (isDropped) after.delete(eventId);
        else after.add(eventId);
      return after;
    });
  };

  const openedAt = first?.openedAt ?? null;
  const range = useMemo(
    () => (openedAt === null || filters.kind !== null ? null : countedRange(filters, openedAt)),
    [filters, openedAt],
  );
  const rules = useChecksBy('rule', range, filters.agent);

  const show = (next: EventFilters): void =>
    replacePlace(hrefOf('/events', { ...queryOf(next), ...viewMembers(query) }));
  // A view that came with the address ends where the reader chooses another.
  const look = (next: EventView): void => {
    setPreferences(next);
    replacePlace(hrefOf('/events', { ...queryOf(filters), event: selection.id }));
  };
  useShortcuts({
    f: () => document.querySelector<HTMLElement>('.filters select')?.focus(),
    // With an event beside the list, the key is the event's.
    ...(selection.id === null ? { v: () => verifyRows() } : {}),
    l: () => {
      setPaused(false);
      showNewer();
    },
    '.': () => setPaused(!isPaused),
    Escape: () => (selection.id === null ? undefined : close()),
  });

  const counted = first?.total ?? (first === undefined || pages.hasNextPage ? null : listed.length);
  const total = counted === null ? null : counted + live.added;
  const missing = total === null || now.data === undefined ? 0 : Math.max(0, now.data - total);
  const newer = Math.max(missing, live.held);
  const showNewer = (): void => {
    if (newer > live.held) reread();
    else live.show();
    document.querySelector('.grid-body')?.scrollTo({ top: 0 });
  };
  const isEmpty = first !== undefined && total === 0 && !isOld;
  const close = (): void => {
    selection.select(null);
    requestAnimationFrame(() => document.querySelector<HTMLElement>('[role=row][tabindex="0"]')?.focus());
  };
  return (
    <div className={selection.id === null ? 'events' : 'events with-panel'}>
      <section className="list-side" aria-labelledby="events-title">
        <header className="screen-head">
          <h1 id="events-title">{title}</h1>
          <p className="count" role="status">
            {total !== null
              ? words.events.count(total)
              : first === undefined
                ? ''
                : words.events.countSome(events.length)}
          </p>
          <FeedLabel isPaused={isPaused} />
          {first === undefined ? null : (
            <p className={isLive && follows ? 'as-of muted unseen' : 'as-of muted'}>
              {words.events.asOf} <Time iso={new Date(first.openedAt).toISOString()} zone />
            </p>
          )}
          <div className="head-actions">
            {newer === 0 ? null : (
              <button type="button" className="button newer" onClick={showNewer}>
                {words.events.newer(newer)}
              </button>
            )}
            {isEmpty ? null : (
              <button type="button" className="button" aria-keyshortcuts="v" disabled={isOld} onClick={verifyRows}>
                {chosenEvents.length === 0 ? manyWords.action : manyWords.chosen(chosenEvents.length)}
              </button>
            )}
            {isEmpty || events.length === 0 ? null : (
              <button type="button" className="button" disabled={isOld} onClick={() => many.start(events)}>
                {manyWords.all(events.length)}
              </button>
            )}
            {isEmpty || filters.kind !== null ? null : (
              <button type="button" className="button" disabled={isOld} onClick={() => again.start(rowsMeant())}>
                {redecisionWords.action(chosenEvents.length)}
              </button>
            )}
            <button type="button" className="button" aria-keyshortcuts="." onClick={() => setPaused(!isPaused)}>
              {isPaused ? liveWords.resume : liveWords.pause}
            </button>
            <ViewMenu view={view} onChange={look} />
            <Export
              filters={filters}
              openedAt={first?.openedAt ?? null}
              end={first === undefined ? null : endOf(first)}
            />
            <Copy
              label={words.events.copyLink}
              text={linkTo(hrefOf('/events', { ...members, ...viewQuery(view), event: selection.id }))}
            />
          </div>
        </header>
        <FilterBar
          filters={filters}
          isAdmin={isAdmin}
          rules={rules.data?.series.map(({ key }) => key) ?? []}
          onChange={show}
        />
        {filters.kind === null ? <Figures filters={filters} range={range} names={names} onChange={show} /> : null}
        {pages.error === null ? null : (
          <Problem what={words.events.failed} error={pages.error} retry={() => void pages.refetch()} />
        )}
        {pages.error === null && now.error !== null ? (
          <p className="offline" role="status">
            {words.problem.offline}
          </p>
        ) : null}
        <ManyVerdict verification={many} />
        <ManyRedecided many={again} />
        {isEmpty ? <NoEvents filters={filters} names={names} onChange={show} /> : null}
        {isEmpty || (shown === undefined && pages.error !== null) ? null : (
          <EventList
            events={events}
            view={view}
            total={total}
            names={names}
            selected={selection.id}
            onSelect={selection.select}
            chosen={chosen}
            differing={differing}
            onChoose={choose}
            onShown={setOnScreen}
            onStill={setStill}
            isOld={isOld}
            isLoading={pages.isPending}
            more={pages.hasNextPage && !pages.isFetchingNextPage ? () => void pages.fetchNextPage() : null}
          />
        )}
      </section>
      {selection.id === null ? null : (
        <EventPanel
          id={selection.id}
          event={selection.event}
          isSearching={selection.isSearching}
          names={names}
          onMove={selection.move}
          onClose={close}
        />
      )}
    </div>
  );
}

/** The address of a place, for another browser. @param href as `hrefOf` gives it */
function linkTo(href: string): string {
  return new URL(href, window.location.href).href;
}

/** The newest value that was there: it stays while, or after, another one could not be read. */
function useLast<T>(value: T | undefined): T | undefined {
  const [last, setLast] = useState(value);
  if (value !== undefined && value !== last) setLast(value);
  return value ?? last;
}

/** Files of exactly the events that the list counts. */
function Export({
  filters,
  openedAt,
  end,
}: {
  readonly filters: EventFilters;
  readonly openedAt: number | null;
  readonly end: string | null;
}): ReactNode {
  if (openedAt === null || end === null) return null;
  const href = (format: string): string =>
    addressOf('/v1/events/export', { ...apiFilters(filters, openedAt, end), format });
  return (
    <p className="export">
      <span className="muted export-label">{words.events.export}</span>
      <a href={href('csv')} download aria-label={`${words.events.export} ${words.events.csv}`}>
        {words.events.csv}
      </a>
      <a href={href('ocsf')} download aria-label={`${words.events.export} ${words.events.ocsf}`}>
        {words.events.ocsf}
      </a>
    </p>
  );
}
