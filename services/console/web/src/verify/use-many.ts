import { useCallback, useEffect, useRef, useState } from 'react';
import type { EventRecord } from '@countersign/contracts';
import { AskError } from '../api/ask.js';

/** Events that are judged at the same time: some are read while others are computed. */
const AT_ONCE = 3;
/** How often progress is shown, and the page gets to draw, ms. */
const SLICE_MS = 100;
/** Tries of an event for which the server asks to wait, and the longest wait, s. */
const TRIES = 4;
const LONGEST_WAIT_S = 10;

/** Result of one event. */
export interface Finding<K extends string> {
  readonly kind: K;
  /** Why nothing better was found. */
  readonly reason?: string;
}

/** Results of several events. An event is in none of the lists until it is done. */
export interface Tally<K extends string> {
  readonly of: number;
  readonly ids: Readonly<Record<K, readonly string[]>>;
  /** With the number of events that each is given for. */
  readonly reasons: ReadonlyMap<string, number>;
}

export interface Many<K extends string> {
  /** `null`: none was begun. */
  readonly tally: Tally<K> | null;
  readonly isRunning: boolean;
  readonly start: (events: readonly EventRecord[]) => void;
  readonly stop: () => void;
  /** Ends it, and forgets what it found. */
  readonly clear: () => void;
}

/**
 * Judges several events one after another, and lets the page draw meanwhile. A later call, or leaving the screen, ends an
 * earlier one.
 * @param kinds of findings, each once
 * @param judge its rejection is a finding of the kind `failed`
 */
export function useMany<K extends string>(
  kinds: readonly (K | 'failed')[],
  judge: (event: EventRecord) => Promise<Finding<K | 'failed'>>,
): Many<K | 'failed'> {
  const [tally, setTally] = useState<Tally<K | 'failed'> | null>(null);
  const [isRunning, setRunning] = useState(false);
  const current = useRef(0);
  useEffect(
    () => () => {
      current.current += 1;
    },
    [],
  );
  const start = (events: readonly EventRecord[]): void => {
    current.current += 1;
    const own = current.current;
    const isCurrent = (): boolean => own === current.current;
    const ids = Object.fromEntries(kinds.map((kind) => [kind, []])) as unknown as Record<K | 'failed', string[]>;
    const reasons = new Map<string, number>();
    let shownAt = performance.now();
    const show = (): void => {
      if (isCurrent()) setTally({ of: events.length, ids, reasons });
    };
    let next = 0;
    const inTurn = async (): Promise<void> => {
      for (let event = events[next]; event !== undefined && isCurrent(); event = events[next]) {
        next += 1;
        const { kind, reason } = await patiently(() => judge(event), isCurrent);
        if (!isCurrent()) return;
        ids[kind].push(event.eventId);
        if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
        if (performance.now() - shownAt < SLICE_MS) continue;
        shownAt = performance.now();
        show();
        await new Promise((resolve) => window.setTimeout(resolve));
      }
    };
    show();
    setRunning(true);
    void Promise.all(Array.from({ length: AT_ONCE }, inTurn)).then(() => {
      show();
      if (isCurrent()) setRunning(false);
    });
  };
  const stop = useCallback((): void => {
    current.current += 1;
    setRunning(false);
  }, []);
  const clear = useCallback((): void => {
    stop();
    setTally(null);
  }, [stop]);
  return { tally, isRunning, start, stop, clear };
}

/** Waits where the server asks for it: a busy server says nothing about an event. */
async function patiently<K extends string>(
  judge: () => Promise<Finding<K>>,
  isCurrent: () => boolean,
): Promise<Finding<K | 'failed'>> {
  for (let left = TRIES - 1; ; left -= 1) {
    try {
      return await judge();
    } catch (error) {
      const wait = error instanceof AskError ? error.retryAfter : null;
      if (wait === null || left <= 0 || !isCurrent())
        return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
      await new Promise((resolve) => window.setTimeout(resolve, Math.min(wait, LONGEST_WAIT_S) * 1000));
    }
  }
}
