import { useSyncExternalStore } from 'react';

/** Settings of this browser; nothing of an account is stored. */
export interface Preferences {
  /** Times in the zone of the reader, instead of UTC. */
  readonly localTimes: boolean;
  /** Single keys are shortcuts (WCAG 2.1.4: they can be switched off). */
  readonly shortcuts: boolean;
}

const KEY = 'countersign-preferences';
const DEFAULTS: Preferences = { localTimes: false, shortcuts: true };
const listeners = new Set<() => void>();
let current = stored();

function stored(): Preferences {
  try {
    const found: unknown = JSON.parse(window.localStorage.getItem(KEY) ?? 'null');
    const flag = (name: keyof Preferences): boolean => {
      const value = typeof found === 'object' && found !== null ? (found as Record<string, unknown>)[name] : undefined;
      return typeof value === 'boolean' ? value : DEFAULTS[name];
    };
    return { localTimes: flag('localTimes'), shortcuts: flag('shortcuts') };
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
