import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { EventRecord } from '@countersign/contracts';
import { useFeed } from '../../live/feed.js';
import type { LiveMessage } from '../../live/messages.js';
import { matches } from './event-filters.js';
import type { EventFilters } from './event-filters.js';

/** Rows that are put on top of a list; with more it is read again. */
const MOST = 1000;
/** How often rows are added, ms. */
const EVERY_MS = 250;

interface Live {
  /** Newest first, on top of the list. */
  readonly shown: readonly EventRecord[];
  /** As `shown`, for the time when the reader asks for them; with more than `MOST` the list is read instead. */
  readonly held: readonly EventRecord[];
  /** Sequences up to which agents' events were anchored since the list was read. */
  readonly through: ReadonlyMap<string, number>;
}

const NONE: Live = { shown: [], held: [], through: new Map() };

export interface LiveList {
  /** The events of the list with those that arrived since it was read. */
  readonly events: readonly EventRecord[];
  /** Events on top that the list did not have. */
  readonly added: number;
  /** Events that wait to be shown. */
  readonly held: number;
  /** Shows what waits. */
  show(): void;
}

/**
 * The list with what the feed brings: at once while the reader follows, and held back otherwise, so that no row moves under
 * a pointer or a key.
 * @param opened when the list was read, ms; `null`: it is being read
 * @param follows whether new rows are shown at once
 * @param reread called where more have arrived than are put on top of a list
 */
export function useLiveList(
  listed: readonly EventRecord[],
  filters: EventFilters,
  opened: number | null,
  follows: boolean,
  reread: () => void,
): LiveList {
  const [live, setLive] = useState(NONE);
  const arrived = useRef<EventRecord[]>([]);
  const through = useRef(new Map<string, number>());

  useEffect(() => {
    arrived.current = [];
    through.current = new Map();
    setLive(NONE);
  }, [filters, opened]);

  useFeed(
    useCallback((message: LiveMessage) => {
      if (message.name === 'events') arrived.current.push(...message.data.events);
      if (message.name === 'anchored') {
        for (const { agentId, through: last } of message.data.agents) through.current.set(agentId, last);
      }
    }, []),
  );

  useEffect(() => {
    if (opened === null) return undefined;
    const timer = window.setInterval(() => {
      const found = arrived.current.filter((event) => matches(filters, opened, event)).reverse();
      arrived.current = [];
      setLive((before) => {
        const anchored = sameEntries(before.through, through.current) ? before.through : new Map(through.current);
        const waiting = [...found, ...before.held];
        const isSame = follows ? waiting.length === 0 : found.length === 0;
        if (isSame && anchored === before.through) return before;
        return follows
          ? { shown: [...waiting, ...before.shown], held: [], through: anchored }
          : { shown: before.shown, held: waiting.slice(0, MOST + 1), through: anchored };
      });
    }, EVERY_MS);
    return () => window.clearInterval(timer);
  }, [filters, opened, follows]);

  const isLong = live.shown.length > MOST || live.held.length > MOST;
  useEffect(() => {
    if (isLong && follows) reread();
  }, [isLong, follows, reread]);

  return useMemo(() => {
    const known = new Set(listed.map(({ eventId }) => eventId));
    const fresh = (events: readonly EventRecord[]): EventRecord[] =>
      events.filter(({ eventId }) => !known.has(eventId));
    const added = fresh(live.shown);
    const anchoredNow = (event: EventRecord): EventRecord =>
      event.anchored || event.sequence > (live.through.get(event.agentId) ?? 0) ? event : { ...event, anchored: true };
    const all = added.length === 0 ? listed : newestFirst([...added, ...listed]);
    return {
      events: live.through.size === 0 ? all : all.map(anchoredNow),
      added: added.length,
      held: fresh(live.held).length,
      show: () => {
        if (isLong) reread();
        else setLive(({ shown, held, ...rest }) => ({ ...rest, shown: [...held, ...shown], held: [] }));
      },
    };
  }, [listed, live, isLong, reread]);
}

/** The order of the list; of the same time, what arrived later is first. */
function newestFirst(events: readonly EventRecord[]): readonly EventRecord[] {
  return [...events].sort((a, b) => (a.occurredAt < b.occurredAt ? 1 : a.occurredAt > b.occurredAt ? -1 : 0));
}

function sameEntries(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): boolean {
  return a.size === b.size && [...b].every(([key, value]) => a.get(key) === value);
}
