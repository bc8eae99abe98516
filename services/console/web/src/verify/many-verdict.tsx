import type { ReactNode } from 'react';
import { hrefOf } from '../location.js';
import { Foreign } from '../parts/foreign.js';
import { number } from '../words/en.js';
import { manyWords, redecisionWords } from '../words/verify.js';
import type { Many, Tally } from './use-many.js';
import type { RedecidedKind, VerifiedKind } from './verified-kind.js';

/** Events that are named where they do not hold, and reasons that are shown. */
const NAMED = 5;

export type Tone = 'good' | 'held' | 'bad' | 'plain';

/** How far the verification of several events is, then what it found. */
export function ManyVerdict({ verification }: { readonly verification: Many<VerifiedKind> }): ReactNode {
  const { tally, isRunning } = verification;
  if (tally === null) return null;
  const { holds, partly, refused, failed } = tally.ids;
  const isAll = refused.length + failed.length === 0 && holds.length > 0;
  const note = partly.length > 0 ? manyWords.partly(partly.length) : isAll ? manyWords.verified : null;
  return (
    <ManyFindings
      many={verification}
      tone={toneOf(tally, isRunning)}
      progress={manyWords.progress(doneOf(tally), tally.of)}
      result={manyWords.result(tally)}
      named={[...refused, ...failed]}
      note={isRunning ? null : note}
    />
  );
}

/** How far the verdicts of several checks are computed again, then how many are the same. */
export function ManyRedecided({ many }: { readonly many: Many<RedecidedKind> }): ReactNode {
  const { tally, isRunning } = many;
  if (tally === null) return null;
  const { same, different, failed } = tally.ids;
  const tone = different.length > 0 ? 'bad' : isRunning || same.length === 0 ? 'plain' : 'good';
  return (
    <ManyFindings
      many={many}
      tone={tone === 'good' && same.length < tally.of ? 'held' : tone}
      progress={redecisionWords.progress(doneOf(tally), tally.of)}
      result={redecisionWords.result(tally)}
      named={[...different, ...failed]}
      note={isRunning ? null : redecisionWords.note}
    />
  );
}

/** How far several events are judged, what was found, those that stand out, and why others could not be judged. */
export function ManyFindings<K extends string>({
  many: { tally, isRunning, stop },
  tone,
  progress,
  result,
  named,
  note,
}: {
  readonly many: Many<K>;
  readonly tone: Tone;
  readonly progress: string;
  readonly result: string;
  /** Ids. */
  readonly named: readonly string[];
  readonly note: string | null;
}): ReactNode {
  const reasons = [...(tally?.reasons ?? [])].sort(([, a], [, b]) => b - a);
  return (
    <div className={`verdict many ${tone}`}>
      <p role="status">{isRunning ? progress : tally?.of === 0 ? manyWords.nothing : result}</p>
      {isRunning ? (
        <button type="button" className="button" onClick={stop}>
          {manyWords.stop}
        </button>
      ) : null}
      {named.length === 0 ? null : (
        <ul className="verdict-list">
          {named.slice(0, NAMED).map((id) => (
            <li key={id}>
              <a href={hrefOf(`/events/${id}`)}>{id}</a>
            </li>
          ))}
          {named.length > NAMED ? <li>{manyWords.more(named.length - NAMED)}</li> : null}
        </ul>
      )}
      {reasons.length === 0 ? null : (
        <ul className="verdict-list small">
          {reasons.slice(0, NAMED).map(([reason, count]) => (
            <li key={reason}>
              {number(count)} × <Foreign text={reason} most={300} />
            </li>
          ))}
          {reasons.length > NAMED ? <li>{manyWords.moreReasons(reasons.length - NAMED)}</li> : null}
        </ul>
      )}
      {note === null ? null : <p className="small muted">{note}</p>}
    </div>
  );
}

export function doneOf<K extends string>({ ids }: Pick<Tally<K>, 'ids'>): number {
  return Object.values<readonly string[]>(ids).reduce((sum, list) => sum + list.length, 0);
}

/** Green only if every anchored event was verified and holds, and there is one. */
export function toneOf({ of, ids }: Pick<Tally<VerifiedKind>, 'of' | 'ids'>, isRunning: boolean): Tone {
  if (ids.refused.length > 0) return 'bad';
  const anchored = of - ids.waiting.length;
  if (isRunning || anchored === 0) return 'plain';
  return ids.holds.length === anchored ? 'good' : 'held';
}
