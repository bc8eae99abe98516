import { useCallback, useEffect, useRef, useState } from 'react';
import { eventProof } from '../api/one-event.js';
import { preferences } from '../preferences.js';
import { verify } from './verifier.js';

/** Events that are verified at the same time: their proofs are read while others are computed. */
const AT_ONCE = 3;

/** Numbers and ids of several events, by what was found. Every event is in one of the numbers once it is done. */
export interface Tally {
  readonly of: number;
  readonly holds: number;
  /** Nothing is wrong, and not everything was checked. */
  readonly partly: number;
  /** Not in an anchored window yet: there is no proof. */
  readonly waiting: number;
  readonly refused: readonly string[];
  /** Ids of those whose proof could not be read or verified, and why the last one could not. */
  readonly failed: readonly string[];
  readonly reason: string;
}

export interface ManyVerification {
  /** `null`: none was begun. */
  readonly tally: Tally | null;
  readonly isRunning: boolean;
  readonly start: (events: readonly { readonly eventId: string; readonly anchored: boolean }[]) => void;
  readonly stop: () => void;
  /** Ends it, and forgets what it found. */
  readonly clear: () => void;
}

/** Verifies several events in this browser, one after another. A later call, or leaving the screen, ends an earlier one. */
export function useManyVerifier(): ManyVerification {
  const [tally, setTally] = useState<Tally | null>(null);
  const [isRunning, setRunning] = useState(false);
  const current = useRef(0);
  useEffect(
    () => () => {
      current.current += 1;
    },
    [],
  );
  const start: ManyVerification['start'] = (events) => {
    current.current += 1;
    const own = current.current;
    const anchored = events.filter((event) => event.anchored);
    const waiting = events.length - anchored.length;
    setTally({ of: events.length, waiting, holds: 0, partly: 0, refused: [], failed: [], reason: '' });
    setRunning(true);
    const add = (change: (before: Tally) => Partial<Tally>): void => {
      if (own === current.current) setTally((before) => (before === null ? null : { ...before, ...change(before) }));
    };
    const one = async (id: string): Promise<void> => {
      try {
        const { verdict } = await verify(await eventProof(id), preferences().rpcUrl, () => undefined);
        add(({ holds, partly, refused }) =>
          verdict === 'holds'
            ? { holds: holds + 1 }
            : verdict === 'partly'
              ? { partly: partly + 1 }
              : { refused: [...refused, id] },
        );
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        add(({ failed }) => ({ failed: [...failed, id], reason }));
      }
    };
    const rest = anchored.map(({ eventId }) => eventId);
    const inTurn = async (): Promise<void> => {
      for (let id = rest.shift(); id !== undefined && own === current.current; id = rest.shift()) await one(id);
    };
    void Promise.all(Array.from({ length: AT_ONCE }, inTurn)).then(() => {
      if (own === current.current) setRunning(false);
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
