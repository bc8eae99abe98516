import { useSyncExternalStore } from 'react';

/**
 * The place in the application, behind `#` in the address: the server sees none of it, and relative addresses keep a path
 * that a proxy puts in front.
 */
export interface Place {
  /** Begins with a slash. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** @param hash as in `location.hash` */
export function placeOf(hash: string): Place {
  const text = hash.replace(/^#/, '');
  const mark = text.indexOf('?');
  const path = mark < 0 ? text : text.slice(0, mark);
  return {
    path: path.startsWith('/') ? path : `/${path}`,
    query: new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1)),
  };
}

/** Members without a value are left out. */
export function hrefOf(path: string, query: Readonly<Record<string, string | null | undefined>> = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) parameters.set(name, value);
  const text = parameters.toString();
  return `#${path}${text === '' ? '' : `?${text}`}`;
}

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('hashchange', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('hashchange', listener);
  };
}

/** Re-renders its component when the place changes. */
export function usePlace(): Place {
  return placeOf(useSyncExternalStore(subscribe, () => window.location.hash));
}

/** Adds an entry to the history. @param href as `hrefOf` gives it */
export function go(href: string): void {
  window.location.hash = href;
}

/** Changes the place without an entry in the history: for filters and the selection. */
export function replacePlace(href: string): void {
  window.history.replaceState(window.history.state, '', href);
  for (const listener of listeners) listener();
}
