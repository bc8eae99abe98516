import type { ReactNode } from 'react';
import { useAgents } from '../../api/agents.js';
import { usePeople } from '../../api/settings.js';
import { shownText } from '../../foreign-text.js';
import { Choice, Field } from '../../parts/field.js';
import { asWords, words } from '../../words/en.js';
import { activeFilters, filtersOf, OUTCOMES, RANGE_WORDS, RANGES, typesOf, VIOLATIONS } from './event-filters.js';
import type { EventFilters, RangeName } from './event-filters.js';

const named = (values: readonly string[], any: string): readonly (readonly [string, string])[] => [
  ['', any],
  ...values.map((value) => [value, asWords(value)] as const),
];

export function FilterBar({
  filters,
  isAdmin,
  rules,
  onChange,
}: {
  readonly filters: EventFilters;
  readonly isAdmin: boolean;
  /** Rules of checks in the range, as far as they are known. */
  readonly rules: readonly string[];
  readonly onChange: (filters: EventFilters) => void;
}): ReactNode {
  const { data: agents = [] } = useAgents();
  const known = agents.some(({ id }) => id === filters.agent);
  const agentOptions: readonly (readonly [string, string])[] = [
    ['', words.events.anyAgent],
    ...(filters.agent === null || known ? [] : [[filters.agent, filters.agent] as const]),
    ...agents.map(({ id, name }) => [id, shownText(name, 60).text] as const),
  ];
  const set = (change: Partial<EventFilters>): void => onChange({ ...filters, ...change });
  return (
    <search className="filters" aria-label={words.events.filters}>
      <Choice
        label={words.events.range}
        value={filters.range}
        options={RANGES.map((range) => [range, RANGE_WORDS[range]])}
        onChange={(range) => set({ range: range as RangeName })}
      />
      {filters.range === 'custom' ? <Custom filters={filters} set={set} /> : null}
      {filters.kind === null ? (
        <Choice
          label={words.events.agent}
          value={filters.agent ?? ''}
          options={agentOptions}
          onChange={(agent) => set({ agent: agent || null })}
        />
      ) : (
        <Person by={filters.by} isAdmin={isAdmin} set={set} />
      )}
      <Choice
        label={words.events.outcome}
        value={filters.outcome ?? ''}
        options={named(filters.kind === null ? OUTCOMES : ['succeeded', 'failed'], words.events.anyOutcome)}
        onChange={(outcome) => set({ outcome: outcome || null })}
      />
      {filters.kind === null ? (
        <Choice
          label={words.events.violation}
          value={filters.violation ?? ''}
          options={named(VIOLATIONS, words.events.anyViolation)}
          onChange={(violation) => set({ violation: violation || null })}
        />
      ) : null}
      {filters.kind === null ? (
        <Choice
          label={words.events.rule}
          value={filters.rule ?? ''}
          options={[
            ['', words.events.anyRule],
            ...[...new Set([...(filters.rule === null ? [] : [filters.rule]), ...rules])].map(
              (rule) => [rule, shownText(rule, 60).text] as const,
            ),
          ]}
          onChange={(rule) => set({ rule: rule || null })}
        />
      ) : null}
      <Choice
        label={words.events.type}
        value={filters.type ?? ''}
        options={named(typesOf(filters.kind), words.events.anyType)}
        onChange={(type) => set({ type: type || null })}
      />
      <Choice
        label={words.events.of}
        value={filters.kind ?? ''}
        options={[
          ['', words.events.ofAgents],
          ['account', words.events.ofPeople],
        ]}
        onChange={(kind) => onChange(filtersOf(new URLSearchParams({ kind })))}
      />
      {activeFilters(filters).length === 0 ? null : (
        <button
          type="button"
          className="link-button clear"
          onClick={() => onChange({ ...filtersOf(new URLSearchParams()), kind: filters.kind })}
        >
          {words.events.clear}
        </button>
      )}
    </search>
  );
}

/** Users of the account: read by admins; others have the id that stands in the address. */
function Person({
  by,
  isAdmin,
  set,
}: {
  readonly by: string | null;
  readonly isAdmin: boolean;
  readonly set: (change: Partial<EventFilters>) => void;
}): ReactNode {
  const { data: people = [] } = usePeople(isAdmin);
  const known = people.some(({ id }) => id === by);
  return (
    <Choice
      label={words.events.by}
      value={by ?? ''}
      options={[
        ['', words.events.anyPerson],
        ...(by === null || known ? [] : [[by, by] as const]),
        ...people.map(({ id, email }) => [id, shownText(email, 60).text] as const),
      ]}
      onChange={(id) => set({ by: id || null })}
    />
  );
}

/** Both ends in UTC, to the minute; the address keeps what was typed. */
function Custom({
  filters: { from, to },
  set,
}: {
  readonly filters: EventFilters;
  readonly set: (change: Partial<EventFilters>) => void;
}): ReactNode {
  const typed = (time: string | null): string => time?.slice(0, 16) ?? '';
  const asTime = (text: string): string | null => (text === '' ? null : `${text.slice(0, 16)}Z`);
  return (
    <>
      <Field
        label={words.events.from}
        type="datetime-local"
        value={typed(from)}
        onChange={(event) => set({ from: asTime(event.target.value) })}
      />
      <Field
        label={words.events.to}
        type="datetime-local"
        value={typed(to)}
        onChange={(event) => set({ to: asTime(event.target.value) })}
      />
    </>
  );
}
