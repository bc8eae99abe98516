import type { ReactNode } from 'react';
import { hrefOf } from '../location.js';
import { Foreign } from '../parts/foreign.js';
import { manyWords } from '../words/verify.js';
import type { ManyVerification, Tally } from './use-many-verifier.js';

/** Events that are named where they do not hold. */
const NAMED = 5;

/** How far the verification of several events is, then what it found. */
export function ManyVerdict({ verification }: { readonly verification: ManyVerification }): ReactNode {
  const { tally, isRunning, stop } = verification;
  if (tally === null) return null;
  const bad = [...tally.refused, ...tally.failed];
  return (
    <div className={`verdict many ${toneOf(tally, isRunning)}`}>
      <p role="status">
        {isRunning
          ? manyWords.progress(doneOf(tally), tally.of)
          : tally.of === 0
            ? manyWords.nothing
            : manyWords.result(tally)}
      </p>
      {isRunning ? (
        <button type="button" className="button" onClick={stop}>
          {manyWords.stop}
        </button>
      ) : null}
      {bad.length === 0 ? null : (
        <ul className="verdict-list">
          {bad.slice(0, NAMED).map((id) => (
            <li key={id}>
              <a href={hrefOf(`/events/${id}`)}>{id}</a>
            </li>
          ))}
          {bad.length > NAMED ? <li>{manyWords.more(bad.length - NAMED)}</li> : null}
        </ul>
      )}
      {tally.reason === '' ? null : (
        <p className="small">
          <Foreign text={tally.reason} most={300} />
        </p>
      )}
      {isRunning || bad.length > 0 || tally.holds + tally.partly === 0 ? null : (
        <p className="small muted">{tally.partly > 0 ? manyWords.partly : manyWords.verified}</p>
      )}
    </div>
  );
}

function doneOf({ holds, partly, waiting, refused, failed }: Tally): number {
  return holds + partly + waiting + refused.length + failed.length;
}

/** Green only if every anchored event was verified and holds, and there is one. */
export function toneOf({ of, holds, waiting, refused }: Tally, isRunning: boolean): 'good' | 'held' | 'bad' | 'plain' {
  if (refused.length > 0) return 'bad';
  const anchored = of - waiting;
  if (isRunning || anchored === 0) return 'plain';
  return holds === anchored ? 'good' : 'held';
}
