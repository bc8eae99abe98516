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

/** Keeps the reader at a place that would be lost, such as a form with changes. */
export interface Hold {
  /** True for a path that is a part of the place. */
  readonly covers: (path: string) => boolean;
  /** Asks the reader. @param leave goes on, and is called at most once */
  readonly ask: (leave: () => void) => void;
}

const listeners = new Set<() => void>();
let hold: Hold | null = null;
/** The hold of a place that the reader agreed to leave, until that place ends. */
let left: Hold | null = null;
/** The place that is shown, and the number of its entry in the history. */
let shown: { readonly hash: string; readonly entry: number } | null = null;

function shownNow(): { readonly hash: string; readonly entry: number } {
  if (shown === null) {
    show(entryNow() ?? 0);
    window.addEventListener('hashchange', changed);
  }
  return shown!;
}

/** The number of the entry of the history; `undefined`: it was just added. */
function entryNow(): number | undefined {
  const { entry } = (window.history.state ?? {}) as { readonly entry?: unknown };
  return typeof entry === 'number' ? entry : undefined;
}

function show(entry: number): void {
  window.history.replaceState({ entry }, '');
  shown = { hash: window.location.hash, entry };
  for (const listener of listeners) listener();
}

/** Shows the place of the address; a place that is held is put back first, and left if the reader agrees. */
function changed(): void {
  const { hash } = window.location;
  const before = shownNow();
  // It was put back.
  if (hash === before.hash) return;
  const entry = entryNow();
  if (hold === null || hold.covers(placeOf(hash).path)) {
    show(entry ?? before.entry + 1);
    return;
  }
  const steps = entry === undefined ? 1 : entry - before.entry;
  window.history.go(-steps);
  holdBack(() => {
    if (entry === undefined) go(hash);
    else window.history.go(steps);
  });
}

/**
 * Does what leaves the page's state, such as signing out; asks first where it would be lost.
 * @param leave is given what holds the place again, for where it could not be left
 */
export function holdBack(leave: (stay: () => void) => void): void {
  const kept = hold;
  if (kept === null) {
    leave(() => undefined);
    return;
  }
  kept.ask(() => {
    hold = null;
    left = kept;
    leave(() => {
      if (hold === null && left === kept) hold = kept;
    });
  });
}

/** @returns ends it */
export function holdPlace(kept: Hold): () => void {
  hold = kept;
  return () => {
    if (hold === kept) hold = null;
    if (left === kept) left = null;
  };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Re-renders its component when the place changes. */
export function usePlace(): Place {
  return placeOf(useSyncExternalStore(subscribe, () => shownNow().hash));
}

/** Adds an entry to the history. @param href as `hrefOf` gives it */
export function go(href: string): void {
  window.location.hash = href;
}

/** Changes the place without an entry in the history: for filters and the selection. */
export function replacePlace(href: string): void {
  const { entry } = shownNow();
  window.history.replaceState({ entry }, '', href);
  show(entry);
}
