import { useState } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import type { CheckStats } from '@countersign/contracts';
import { asWords, number } from '../../words/en.js';
import { overviewWords } from '../../words/overview.js';

const HEIGHT = 120;

/** The class that colours an outcome. */
function toneOf(outcome: string): string {
  return outcome === 'allowed' ? 'good' : outcome === 'denied' ? 'bad' : 'held';
}

/** Checks over time as bars of their outcomes, of which arrow keys read one after another, with the same numbers as a table. */
export function Chart({ stats }: { readonly stats: CheckStats }): ReactNode {
  const { series, from, step } = stats;
  const steps = series[0]?.counts.length ?? 0;
  const sums = Array.from({ length: steps }, (_, n) => series.reduce((sum, { counts }) => sum + (counts[n] ?? 0), 0));
  const most = Math.max(1, ...sums);
  const total = series.reduce((sum, one) => sum + one.total, 0);
  const timeOf = (n: number): string => new Date(Date.parse(from) + n * step * 1000).toISOString().slice(0, 16);
  const [at, setAt] = useState<number | null>(null);
  const last = Math.max(0, steps - 1);
  const shown = at === null ? null : Math.min(at, last);
  const textAt = (n: number): string =>
    overviewWords.stepText(
      timeOf(n).replace('T', ' '),
      series.map(({ key, counts }) => `${asWords(key)} ${number(counts[n] ?? 0)}`),
    );
  const onKey = (event: KeyboardEvent): void => {
    const from = shown ?? -1;
    const moves: Readonly<Record<string, number>> = {
      ...{ ArrowRight: from + 1, ArrowUp: from + 1, ArrowLeft: from - 1, ArrowDown: from - 1 },
      ...{ Home: 0, End: last },
    };
    const next = moves[event.key];
    if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    setAt(Math.min(Math.max(0, next), last));
  };
  return (
    <>
      <div
        role="slider"
        tabIndex={0}
        aria-label={overviewWords.chartText(total, steps)}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={shown ?? 0}
        aria-valuetext={shown === null ? overviewWords.chartKeys : textAt(shown)}
        onKeyDown={onKey}
        onBlur={() => setAt(null)}
      >
        <svg
          className="chart"
          viewBox={`0 0 ${Math.max(1, steps) * 10} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          focusable="false"
        >
          {shown === null ? null : <rect className="chart-at" x={shown * 10} y={0} width={10} height={HEIGHT} />}
          {sums.map((_sum, n) => {
            let top = HEIGHT;
            return series.map(({ key, counts }) => {
              const height = ((counts[n] ?? 0) / most) * (HEIGHT - 4);
              top -= height;
              return height === 0 ? null : (
                <rect
                  key={`${n} ${key}`}
                  className={`bar ${toneOf(key)}`}
                  x={n * 10 + 1}
                  y={top}
                  width={8}
                  height={height}
                />
              );
            });
          })}
        </svg>
      </div>
      <p className="chart-ends muted small">
        <time>{timeOf(0).replace('T', ' ')}</time>
        {shown === null ? null : <span aria-hidden="true">{textAt(shown)}</span>}
        <time>{timeOf(steps).replace('T', ' ')} UTC</time>
      </p>
      <details className="raw">
        <summary>{overviewWords.table}</summary>
        <div className="table-scroll" tabIndex={0} role="group" aria-label={overviewWords.table}>
          <table className="table">
            <thead>
              <tr>
                <th scope="col">{overviewWords.step}</th>
                {series.map(({ key }) => (
                  <th scope="col" className="numbers" key={key}>
                    {asWords(key)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {sums.map((sum, n) =>
                sum === 0 ? null : (
                  <tr key={n}>
                    <td>{timeOf(n).replace('T', ' ')}</td>
                    {series.map(({ key, counts }) => (
                      <td className="numbers" key={key}>
                        {number(counts[n] ?? 0)}
                      </td>
                    ))}
                  </tr>
                ),
              )}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}

/** A line of few counts, beside their sum. */
export function Spark({ counts }: { readonly counts: readonly number[] }): ReactNode {
  const most = Math.max(1, ...counts);
  const points = counts.map((count, n) => `${n * 4},${(19 - (count / most) * 18).toFixed(1)}`).join(' ');
  return (
    <svg className="spark" viewBox="0 0 92 20" width="92" height="20" aria-hidden="true" focusable="false">
      <polyline points={points} />
    </svg>
  );
}
