import { useEffect, useSyncExternalStore } from 'react';
import { AskError, askStream } from '../api/ask.js';
import { OPEN_ALERTS } from '../api/alerts.js';
import { client } from '../api/client.js';
import { sessionEnded } from '../api/session.js';
import { messageReader } from './messages.js';
import type { LiveMessage } from './messages.js';

/** State of the feed; `waiting`: it is opened again at `until` (ms), and why it was lost. */
export type FeedState =
  | { readonly kind: 'connecting' | 'live' }
  | { readonly kind: 'waiting'; readonly until: number; readonly reason: string };

type Shared = { readonly message: LiveMessage } | { readonly state: FeedState } | { readonly ask: true };

const FIRST_WAIT_MS = 1000;
const MOST_WAIT_MS = 30_000;
/** The service sends something every 15 s; a connection that is silent for longer is lost. */
const SILENCE_MS = 40_000;
const CONNECTING: FeedState = { kind: 'connecting' };

let state: FeedState = CONNECTING;
const stateListeners = new Set<() => void>();
const listeners = new Set<(message: LiveMessage) => void>();

function setState(next: FeedState): void {
  state = next;
  for (const listener of stateListeners) listener();
}

function take(message: LiveMessage): void {
  if (message.name === 'inbox') client.setQueryData(OPEN_ALERTS, message.data.openCount);
  for (const listener of listeners) listener(message);
}

/** Re-renders its component when the feed is lost or found again. */
export function useFeedState(): FeedState {
  return useSyncExternalStore(
    (listener) => {
      stateListeners.add(listener);
      return () => stateListeners.delete(listener);
    },
    () => state,
  );
}

/** Hands each message of the feed to the component while it is shown. @param listener the same function between renders */
export function useFeed(listener: (message: LiveMessage) => void): void {
  useEffect(() => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, [listener]);
}

/**
 * Keeps one feed for all tabs of this browser that show the account: a lock elects the tab that has it, and the others get
 * its messages. Where a browser has no locks, as on plain HTTP, each tab has its own.
 */
export function useLiveFeed(accountId: string): void {
  useEffect(() => {
    const end = new AbortController();
    const name = `countersign-feed-${accountId}`;
    const tabs = new BroadcastChannel(name);
    let leads = false;
    const share = (shared: Shared): void => {
      if ('message' in shared) take(shared.message);
      if ('state' in shared) setState(shared.state);
      tabs.postMessage(shared);
    };
    tabs.addEventListener('message', ({ data }: MessageEvent<Shared>) => {
      if (leads) {
        if ('ask' in data) tabs.postMessage({ state } satisfies Shared);
      } else if ('message' in data) take(data.message);
      else if ('state' in data) setState(data.state);
    });
    const lead = async (): Promise<void> => {
      leads = true;
      await follow(share, end.signal);
    };
    setState(CONNECTING);
    tabs.postMessage({ ask: true } satisfies Shared);
    const locks = navigator.locks as LockManager | undefined;
    if (locks === undefined) void lead();
    else void locks.request(name, { signal: end.signal }, lead).catch(() => undefined);
    return () => {
      end.abort();
      tabs.close();
    };
  }, [accountId]);
}

/** Opens the feed, and opens it again whenever it is lost, until `signal` ends it. */
async function follow(share: (shared: Shared) => void, signal: AbortSignal): Promise<void> {
  let lastId: string | null = null;
  let waitMs = FIRST_WAIT_MS;
  while (!signal.aborted) {
    let reason = 'The connection was lost.';
    try {
      await open(lastId, signal, (message) => {
        lastId = message.id ?? lastId;
        if (message.name === 'bye') reason = message.data.reason;
        if (message.name === 'hello') {
          waitMs = FIRST_WAIT_MS;
          share({ state: { kind: 'live' } });
        }
        share({ message });
      });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof AskError) {
        reason = error.message;
        if (error.status === 401) {
          sessionEnded();
          return;
        }
        if (error.retryAfter !== null) waitMs = Math.max(waitMs, error.retryAfter * 1000);
      }
    }
    if (signal.aborted) return;
    // Not all readers of a server that comes back at the same moment.
    const pause = waitMs * (0.75 + Math.random() / 2);
    share({ state: { kind: 'waiting', until: Date.now() + pause, reason } });
    await sleep(pause, signal);
    waitMs = Math.min(MOST_WAIT_MS, waitMs * 2);
  }
}

/** Reads one connection to its end. @throws AskError */
async function open(
  lastId: string | null,
  signal: AbortSignal,
  takeMessage: (message: LiveMessage) => void,
): Promise<void> {
  const lost = new AbortController();
  const cut = (): void => lost.abort();
  signal.addEventListener('abort', cut);
  // A connection without a network is silent for long, but for one to this machine, which is there again at once.
  window.addEventListener('offline', cut);
  let timer = window.setTimeout(cut, SILENCE_MS);
  try {
    const body = await askStream('/v1/events/stream', {
      accept: 'text/event-stream',
      signal: lost.signal,
      headers: lastId === null ? {} : { 'last-event-id': lastId },
    });
    const read = messageReader(takeMessage);
    const decoder = new TextDecoder();
    for (const reader = body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) return;
      window.clearTimeout(timer);
      timer = window.setTimeout(cut, SILENCE_MS);
      read(decoder.decode(value, { stream: true }));
    }
  } finally {
    window.clearTimeout(timer);
    signal.removeEventListener('abort', cut);
    window.removeEventListener('offline', cut);
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = window.setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      window.clearTimeout(timer);
      resolve();
    });
  });
}
