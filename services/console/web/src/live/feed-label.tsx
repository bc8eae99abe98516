import { useEffect, useState } from 'react';
import type { ReactNode } from 'react';
import { Foreign } from '../parts/foreign.js';
import { liveWords } from '../words/live.js';
import { useFeedState } from './feed.js';

/** State of the live feed; if it was lost, the reason, and when it is opened again. */
export function FeedLabel({ isPaused = false }: { readonly isPaused?: boolean }): ReactNode {
  const state = useFeedState();
  const [now, setNow] = useState(() => Date.now());
  const waits = state.kind === 'waiting';
  useEffect(() => {
    if (!waits) return undefined;
    setNow(Date.now());
    const timer = window.setInterval(() => setNow(Date.now()), 1000);
    return () => window.clearInterval(timer);
  }, [waits, state]);
  if (state.kind === 'connecting') return <p className="feed muted">{liveWords.connecting}</p>;
  if (state.kind === 'waiting') {
    const seconds = Math.max(0, Math.ceil((state.until - now) / 1000));
    return (
      <p className="feed lost">
        <span role="status">{liveWords.lost}</span> <span className="feed-again">{liveWords.again(seconds)}</span>{' '}
        {liveWords.reason} <Foreign text={state.reason} most={200} />
      </p>
    );
  }
  return (
    <p className={isPaused ? 'feed muted' : 'feed live'} role="status">
      {isPaused ? liveWords.paused : liveWords.live}
    </p>
  );
}
