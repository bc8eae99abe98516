import { useSyncExternalStore } from 'react';

/** Settings of this browser; nothing of an account is stored. */
export interface Preferences {
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
const DEFAULTS: Preferences = { localTimes: false, shortcuts: true, rpcUrl: '', figures: window.innerWidth > 760 };
const listeners = new Set<() => void>();
let current = stored();

function stored(): Preferences {
  try {
    const found: unknown = JSON.parse(window.localStorage.getItem(KEY) ?? 'null');
    const members = typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : {};
    const { localTimes, shortcuts, rpcUrl, figures } = members;
    return {
      localTimes: typeof localTimes === 'boolean' ? localTimes : DEFAULTS.localTimes,
      shortcuts: typeof shortcuts === 'boolean' ? shortcuts : DEFAULTS.shortcuts,
      figures: typeof figures === 'boolean' ? figures : DEFAULTS.figures,
      rpcUrl: typeof rpcUrl === 'string' && rpcUrl.length <= 2048 ? rpcUrl : DEFAULTS.rpcUrl,
    };
  } catch {
    return DEFAULTS;
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
  current = { ...current, ...change };
  try {
    window.localStorage.setItem(KEY, JSON.stringify(current));
  } catch {
    // Without storage they last as long as the page.
  }
  for (const listener of listeners) listener();
}
