import type { ReactNode } from 'react';
import type { CheckStats } from '@countersign/contracts';
import { hrefOf } from '../../location.js';
import { asWords, number } from '../../words/en.js';
import { overviewWords } from '../../words/overview.js';

export function sumOf({ series }: CheckStats): number {
  return series.reduce((sum, { total }) => sum + total, 0);
}

/** Exactly the events that are counted: the list with the bounds of the steps. */
export function countedHref({ from, to }: CheckStats, filter: Readonly<Record<string, string>>): string {
  return hrefOf('/events', { ...filter, type: 'action.checked', range: 'custom', from, to });
}

/** A name, a number, and the address of what it counts. */
export type Total = readonly [string, number, string];

/** Outcomes that are shown also where no check has them. */
const ALWAYS = ['allowed', 'denied'];

/** Checks of a range of time and how they ended; each number leads to its events. */
export function Totals({
  stats,
  filter = {},
  further = [],
}: {
  /** By outcome. */
  readonly stats: CheckStats;
  /** Of the list, where not all events are counted. */
  readonly filter?: Readonly<Record<string, string>>;
  readonly further?: readonly Total[];
}): ReactNode {
  const counted = new Map([
    ...ALWAYS.map((key) => [key, 0] as const),
    ...stats.series.map(({ key, total }) => [key, total] as const),
  ]);
  const shown: readonly Total[] = [
    [overviewWords.checks, sumOf(stats), countedHref(stats, filter)],
    ...[...counted].map(([outcome, count]): Total => [
      upper(asWords(outcome)),
      count,
      countedHref(stats, { ...filter, outcome }),
    ]),
    ...further,
  ];
  return (
    <dl className="totals">
      {shown.map(([name, value, href]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <a href={href}>{number(value)}</a>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
