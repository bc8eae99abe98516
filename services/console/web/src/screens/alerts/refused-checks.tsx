import { useId, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import type { Role } from '@countersign/contracts';
import { useAgentNames } from '../../api/agents.js';
import { MOST_AT_ONCE, useRefusedChecks } from '../../api/follow-ups.js';
import type { RefusedCheck, RefusedFilters } from '../../api/follow-ups.js';
import { Foreign } from '../../parts/foreign.js';
import { More } from '../../parts/more.js';
import { Empty, Page } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Table } from '../../parts/table.js';
import { alertWords } from '../../words/alerts.js';
import { words } from '../../words/en.js';
import { followUpWords } from '../../words/follow-ups.js';
import { agentName } from '../events/event-words.js';
import { FollowUpDialog } from '../events/follow-up-dialog.js';
import type { ScreenProps } from '../screen-props.js';
import { AlertParts } from './alert-parts.js';
import { refusedColumns } from './refused-columns.js';

const texts = followUpWords.list;

/** `/alerts/refused`: refused checks, those of one group of the inbox or all, and one note for those that are selected. */
export function RefusedChecks({ role, query }: Pick<ScreenProps, 'query'> & { readonly role: Role }): ReactNode {
  const filters = filtersOf(query);
  const pages = useRefusedChecks(filters);
  const names = useAgentNames();
  const checks = useMemo(() => pages.data?.pages.flatMap((page) => page.checks), [pages.data]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<readonly string[] | null>(null);
  const [done, setDone] = useState(0);
  const mayAdd = role !== 'auditor';
  const select = (ids: ReadonlySet<string>): void => {
    setDone(0);
    setSelected(ids);
  };
  const toggle = (id: string): void => {
    const next = new Set(selected);
    if (!next.delete(id) && next.size < MOST_AT_ONCE) next.add(id);
    select(next);
  };
  const isOff = !mayAdd || selected.size === 0;
  const count = asked?.length ?? 0;
  return (
    <Page
      title={alertWords.title}
      actions={
        <button
          type="button"
          className="button primary"
          aria-disabled={isOff}
          title={mayAdd ? undefined : words.needs('member', role)}
          onClick={() => (isOff ? undefined : setAsked([...selected]))}
        >
          {texts.act}
        </button>
      }
    >
      <AlertParts current="/refused" />
      <p className="lead">{texts.lead(MOST_AT_ONCE)}</p>
      <Shown filters={filters} names={names} />
      {pages.error === null ? null : (
        <Problem what={texts.failed} error={pages.error} retry={() => void pages.refetch()} />
      )}
      {checks?.length === 0 ? (
        <Empty title={texts.empty}>
          <p>{pages.hasNextPage ? texts.notFound : texts.emptyLead}</p>
        </Empty>
      ) : pages.error !== null && checks === undefined ? null : (
        <>
          {mayAdd ? <Select checks={checks ?? []} selected={selected} onSelect={select} /> : null}
          <p className="hint" role="status">
            {done === 0 ? texts.selected(selected.size, MOST_AT_ONCE) : texts.done(done)}
          </p>
          <Table
            label={texts.table}
            columns={refusedColumns(names, mayAdd ? { selected, toggle } : null)}
            rows={checks}
            keyOf={({ event }) => event.eventId}
          />
        </>
      )}
      {pages.hasNextPage ? <More pages={pages} isBelow /> : null}
      {asked === null ? null : (
        <FollowUpDialog
          title={texts.actTitle(count)}
          eventIds={asked}
          onDone={() => {
            setSelected(new Set());
            setDone(count);
          }}
          onClose={() => setAsked(null)}
        />
      )}
    </Page>
  );
}

function filtersOf(query: URLSearchParams): RefusedFilters {
  const [agent, outcome] = [query.get('agent'), query.get('outcome')];
  return { agent, outcome, violation: query.get('violation'), rule: query.get('rule') };
}

/** The group that is shown, and a link to all refused checks; nothing where all are shown. */
function Shown({
  filters,
  names,
}: {
  readonly filters: RefusedFilters;
  readonly names: ReadonlyMap<string, string>;
}): ReactNode {
  const { agent, outcome, violation, rule } = filters;
  const parts = [agent === null ? null : agentName(agent, names), outcome, rule ?? violation];
  const found = parts.filter((part) => part !== null);
  if (found.length === 0) return null;
  return (
    <p>
      {texts.of} <Foreign text={found.join(' · ')} most={300} /> <a href="#/alerts/refused">{texts.all}</a>
    </p>
  );
}

/** Selects all rows that are shown, or those without a follow-up: the newest, as many as one request takes. */
function Select({
  checks,
  selected,
  onSelect,
}: {
  readonly checks: readonly RefusedCheck[];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (ids: ReadonlySet<string>) => void;
}): ReactNode {
  const id = useId();
  const newest = (among: readonly RefusedCheck[]): ReadonlySet<string> =>
    new Set(among.slice(0, MOST_AT_ONCE).map(({ event }) => event.eventId));
  const all = newest(checks);
  const isAll = all.size > 0 && all.size === selected.size && [...all].every((one) => selected.has(one));
  return (
    <div className="select-row">
      <p className="check">
        <input
          id={id}
          type="checkbox"
          checked={isAll}
          disabled={all.size === 0}
          onChange={() => onSelect(isAll ? new Set() : all)}
        />
        <label htmlFor={id}>{texts.selectAll(checks.length, MOST_AT_ONCE)}</label>
      </p>
      <button
        type="button"
        className="button"
        onClick={() => onSelect(newest(checks.filter(({ count }) => count === 0)))}
      >
        {texts.selectOpen}
      </button>
    </div>
  );
}
