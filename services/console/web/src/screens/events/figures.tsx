import type { ReactNode } from 'react';
import type { CheckStats } from '@countersign/contracts';
import { useChecksBy } from '../../api/stats.js';
import type { CountedBy } from '../../api/stats.js';
import { Foreign } from '../../parts/foreign.js';
import { Problem } from '../../parts/problem.js';
import { setPreferences, usePreferences } from '../../preferences.js';
import { asWords, number } from '../../words/en.js';
import { figuresWords } from '../../words/figures.js';
import { Chart } from '../overview/chart.js';
import type { CountedRange, EventFilters } from './event-filters.js';
import { agentName } from './event-words.js';

/** Counts by agent read those of every agent: over a longer range they would be slow. */
const MOST_BY_AGENT_MS = 31 * 86_400_000;

interface FiguresProps {
  readonly filters: EventFilters;
  /** Of the list; `null`: its first page is not read yet, and it goes first. */
  readonly range: CountedRange | null;
  readonly names: ReadonlyMap<string, string>;
  readonly onChange: (filters: EventFilters) => void;
}

/** Checks in the range of the list, over time and by their members, as the server counts them. */
export function Figures(props: FiguresProps): ReactNode {
  const { range, filters } = props;
  const { figures: isOpen } = usePreferences();
  const outcomes = useChecksBy('outcome', isOpen ? range : null, filters.agent);
  const stats = outcomes.data;
  const shown = stats === undefined || filters.range !== 'all' ? stats : withoutLead(stats);
  // All time begins with the first check, once that is known.
  const counted = range === null || shown === undefined ? null : { ...range, from: Date.parse(shown.from) };
  const total = stats?.series.reduce((sum, one) => sum + one.total, 0) ?? null;
  return (
    <details
      className="figures"
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => (open === isOpen ? undefined : setPreferences({ figures: open }))}
    >
      <summary>{figuresWords.title(isOpen ? total : null)}</summary>
      {isOpen ? (
        <div className="figures-shown">
          {outcomes.error === null ? null : <Problem what={figuresWords.failed} error={outcomes.error} />}
          {shown === undefined || total === 0 ? null : <Chart stats={shown} />}
          <div className="facets">
            {(['outcome', 'violation_type', 'rule', 'agent'] as const).map((by) => (
              <Facet key={by} by={by} {...props} range={by === 'agent' ? counted : range} />
            ))}
          </div>
        </div>
      ) : null}
    </details>
  );
}

/** The values of one member with their numbers; each is a filter of the list. */
function Facet({ by, filters, range, names, onChange }: FiguresProps & { readonly by: CountedBy }): ReactNode {
  const isLong = by === 'agent' && range !== null && (range.to ?? Date.now()) - range.from > MOST_BY_AGENT_MS;
  const { data, error } = useChecksBy(by, isLong ? null : range, filters.agent);
  const chosen = {
    outcome: filters.outcome,
    violation_type: filters.violation,
    rule: filters.rule,
    agent: filters.agent,
  };
  const set = (key: string): void => {
    const value = chosen[by] === key ? null : key;
    const member = by === 'violation_type' ? 'violation' : by;
    // Other events have outcomes as well: the list is to be what is counted.
    const type = value === null ? (filters.type === 'action.checked' ? null : filters.type) : 'action.checked';
    onChange({ ...filters, [member]: value, type });
  };
  const textOf = (key: string): string => (by === 'agent' ? agentName(key, names) : by === 'rule' ? key : asWords(key));
  const others = data?.other?.reduce((sum, count) => sum + count, 0) ?? 0;
  return (
    <section className="facet">
      <h2>{figuresWords.facets[by]}</h2>
      {isLong ? <p className="muted small">{figuresWords.tooLong}</p> : null}
      {error === null || by === 'outcome' ? null : <p className="muted small">{error.message}</p>}
      {data?.series.length === 0 ? <p className="muted small">{figuresWords.none}</p> : null}
      <ul>
        {data?.series.map(({ key, total }) => (
          <li key={key}>
            <button type="button" aria-pressed={chosen[by] === key} onClick={() => set(key)}>
              <Foreign text={textOf(key)} most={80} />
            </button>
            <span>{number(total)}</span>
          </li>
        ))}
        {others === 0 ? null : (
          <li className="muted">
            <span>{figuresWords.others}</span>
            <span>{number(others)}</span>
          </li>
        )}
      </ul>
    </section>
  );
}

/** From the first step that has a check on: a list of all time begins with it. */
function withoutLead(stats: CheckStats): CheckStats {
  const firsts = stats.series.map(({ counts }) => counts.findIndex((count) => count > 0)).filter((n) => n >= 0);
  const first = firsts.length === 0 ? 0 : Math.min(...firsts);
  return {
    ...stats,
    from: new Date(Date.parse(stats.from) + first * stats.step * 1000).toISOString(),
    series: stats.series.map((one) => ({ ...one, counts: one.counts.slice(first) })),
  };
}
