import type { ReactNode } from 'react';
import { useTotal } from '../../api/events.js';
import { shownText } from '../../foreign-text.js';
import { asWords, words } from '../../words/en.js';
import { activeFilters, RANGE_WORDS, withoutFilter } from './event-filters.js';
import type { EventFilters, FilterName } from './event-filters.js';
import { agentName } from './event-words.js';

const NAMES: Readonly<Record<FilterName, string>> = {
  by: words.events.by,
  agent: words.events.agent,
  outcome: words.events.outcome,
  violation: words.events.violation,
  rule: words.events.rule,
  type: words.events.type,
  range: words.events.range,
};

/** An empty list: what would fill it. */
export function NoEvents({
  filters,
  names,
  onChange,
}: {
  readonly filters: EventFilters;
  readonly names: ReadonlyMap<string, string>;
  readonly onChange: (filters: EventFilters) => void;
}): ReactNode {
  const active = activeFilters(filters);
  if (active.length === 0) {
    return (
      <div className="empty">
        <h2>{words.events.empty}</h2>
        <p>{filters.kind === null ? words.events.emptyLead : words.events.trailLead}</p>
        <p>
          <a href="#/welcome">{words.events.sample}</a>
        </p>
      </div>
    );
  }
  return (
    <div className="empty">
      <h2>{words.events.none}</h2>
      <p>{words.events.noneLead}</p>
      <ul className="without">
        {active.map((name) => (
          <Without
            key={name}
            label={words.events.without(NAMES[name].toLowerCase(), valueOf(filters, name, names))}
            filters={withoutFilter(filters, name)}
            onChange={onChange}
          />
        ))}
      </ul>
    </div>
  );
}

function valueOf(filters: EventFilters, name: FilterName, names: ReadonlyMap<string, string>): string {
  if (name === 'range') return RANGE_WORDS[filters.range].toLowerCase();
  const value = filters[name] ?? '';
  if (name === 'rule') return shownText(value, 40).text;
  return name === 'agent' ? shownText(agentName(value, names), 40).text : asWords(value);
}

function Without({
  label,
  filters,
  onChange,
}: {
  readonly label: string;
  readonly filters: EventFilters;
  readonly onChange: (filters: EventFilters) => void;
}): ReactNode {
  const total = useTotal(filters);
  return (
    <li>
      <button type="button" className="button" onClick={() => onChange(filters)}>
        <bdi>{label}</bdi>
      </button>
      <span className="muted">{total.data === undefined ? '' : words.events.count(total.data)}</span>
    </li>
  );
}
