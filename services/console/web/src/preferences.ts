import { useSyncExternalStore } from 'react';
import { columnsAmong, DEFAULT_VIEW, DENSITIES } from './screens/events/event-view.js';
import type { EventView } from './screens/events/event-view.js';

/** Settings of this browser; nothing of an account is stored. */
export interface Preferences extends EventView {
  /** Times in the zone of the reader, instead of UTC. */
  readonly localTimes: boolean;
  /** Single keys are shortcuts (WCAG 2.1.4: they can be switched off). */
  readonly shortcuts: boolean;
  /** Of the Solana node that verifications in this browser ask; empty: none. */
  readonly rpcUrl: string;
  /** Checks over time are shown above the list of events. */
  readonly figures: boolean;
}

const KEY = 'countersign-preferences';
const DEFAULTS: Preferences = {
  ...{ localTimes: false, shortcuts: true, rpcUrl: '', figures: window.innerWidth > 760 },
  ...DEFAULT_VIEW,
};
const listeners = new Set<() => void>();
/** Those that the reader chose. A default is not stored: another window may be a narrow one. */
let chosen = stored();
let current: Preferences = { ...DEFAULTS, ...chosen };

function stored(): Partial<Preferences> {
  try {
    const found: unknown = JSON.parse(window.localStorage.getItem(KEY) ?? 'null');
    const members = typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {};
    const { localTimes, shortcuts, rpcUrl, figures, columns } = members;
    const density = DENSITIES.find((one) => one === members.density);
    return {
      ...(typeof localTimes === 'boolean' ? { localTimes } : {}),
      ...(typeof shortcuts === 'boolean' ? { shortcuts } : {}),
      ...(typeof figures === 'boolean' ? { figures } : {}),
      ...(Array.isArray(columns) ? { columns: columnsAmong(columns as readonly string[]) } : {}),
      ...(density === undefined ? {} : { density }),
      ...(typeof rpcUrl === 'string' && rpcUrl.length <= 2048 ? { rpcUrl } : {}),
    };
  } catch {
    return {};
  }
}

export function preferences(): Preferences {
  return current;
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}

export function setPreferences(change: Partial<Preferences>): void {
  chosen = { ...chosen, ...change };
  current = { ...DEFAULTS, ...chosen };
  try {
    window.localStorage.setItem(KEY, JSON.stringify(chosen));
  } catch {
    // Without storage they last as long as the page.
  }
  for (const listener of listeners) listener();
}
