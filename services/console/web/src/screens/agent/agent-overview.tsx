import { useCallback, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import type { AgentRecord, Role } from '@countersign/contracts';
import { eventsOf, useEvents } from '../../api/events.js';
import { useCheckStats, useLiveStats } from '../../api/stats.js';
import { FeedLabel } from '../../live/feed-label.js';
import { go, hrefOf } from '../../location.js';
import { Fact, Facts } from '../../parts/facts.js';
import { Foreign } from '../../parts/foreign.js';
import { Card } from '../../parts/page.js';
import { Copy, Problem } from '../../parts/problem.js';
import { Time } from '../../parts/time.js';
import { agentOverviewWords as texts } from '../../words/agent-overview.js';
import { words } from '../../words/en.js';
import { overviewWords } from '../../words/overview.js';
import { filtersOf } from '../events/event-filters.js';
import { EventList } from '../events/event-list.js';
import { DEFAULT_VIEW } from '../events/event-view.js';
import { useLiveList } from '../events/use-live-list.js';
import { Chart } from '../overview/chart.js';
import { sumOf, Totals } from '../overview/totals.js';
import { DeactivateDialog } from './deactivate-dialog.js';

const NEWEST = 10;

/** The state of the agent, how its checks of a day ended, and its newest events, which follow the live feed. */
export function AgentOverview({ agent, role }: { readonly agent: AgentRecord; readonly role: Role }): ReactNode {
  const filter = useMemo(() => ({ agent: agent.id }), [agent.id]);
  const stats = useCheckStats('day', 'outcome', agent.id);
  useLiveStats();
  return (
    <>
      <State agent={agent} role={role} />
      <Card title={texts.day}>
        {stats.error === null ? null : (
          <Problem what={overviewWords.failed} error={stats.error} retry={() => void stats.refetch()} />
        )}
        {stats.data === undefined ? null : <Totals stats={stats.data} filter={filter} />}
        {stats.data === undefined || sumOf(stats.data) === 0 ? null : <Chart stats={stats.data} />}
      </Card>
      <Newest filter={filter} name={agent.name} />
    </>
  );
}

/** The state and what it means for checks, and the facts of the agent. */
function State({ agent, role }: { readonly agent: AgentRecord; readonly role: Role }): ReactNode {
  const [isAsking, setAsking] = useState(false);
  const { id, status, type, purpose, version, created_at: created, updated_at: updated } = agent;
  const mayChange = role !== 'auditor';
  const described = [
    [texts.type, type],
    [texts.purpose, purpose],
    [texts.version, version],
    [texts.ssn, agent.blockchain_ssn],
    [texts.transaction, agent.chain_tx_signature],
  ] as const;
  const deactivate = (
    <button
      type="button"
      className="button"
      aria-disabled={!mayChange}
      title={mayChange ? undefined : words.needs('member', role)}
      onClick={() => (mayChange ? setAsking(true) : undefined)}
    >
      {texts.deactivate}
    </button>
  );
  return (
    <Card title={texts.state} lead={texts.states[status]} actions={status === 'inactive' ? undefined : deactivate}>
      <Facts>
        <Fact name={texts.id}>
          <code>{id}</code> <Copy text={id} />
        </Fact>
        {described.map(([name, value]) =>
          value === null ? null : (
            <Fact key={name} name={name}>
              <Foreign text={value} />
            </Fact>
          ),
        )}
        <Fact name={texts.created}>
          <Time iso={created} zone />
          {agent.registered_by_key === undefined ? null : <span className="muted"> {texts.byKey}</span>}
        </Fact>
        <Fact name={texts.updated}>
          <Time iso={updated} zone />
        </Fact>
      </Facts>
      {isAsking ? <DeactivateDialog agent={agent} onClose={() => setAsking(false)} /> : null}
    </Card>
  );
}

/** The newest events of the agent in the rows of the list of events. */
function Newest({ filter, name }: { readonly filter: { readonly agent: string }; readonly name: string }): ReactNode {
  const filters = useMemo(() => filtersOf(new URLSearchParams(filter)), [filter]);
  const [opened, setOpened] = useState(0);
  const [isStill, setStill] = useState(true);
  const pages = useEvents(filters, opened);
  const reread = useCallback(() => setOpened((before) => before + 1), []);
  const listed = useMemo(() => eventsOf(pages.data), [pages.data]);
  const first = pages.data?.pages[0];
  const live = useLiveList(listed, filters, first?.openedAt ?? null, isStill, reread);
  const names = useMemo(() => new Map([[filter.agent, name]]), [filter, name]);
  const total = first === undefined ? null : (first.total ?? 0) + live.added;
  return (
    <Card
      title={texts.newest}
      actions={
        <>
          <FeedLabel />
          <a href={hrefOf('/events', filter)}>{texts.all}</a>
        </>
      }
    >
      {pages.error === null ? null : (
        <Problem what={words.events.failed} error={pages.error} retry={() => void pages.refetch()} />
      )}
      {total === 0 ? (
        <p className="muted">
          {texts.none} <a href={hrefOf(`/agents/${filter.agent}/connect`)}>{texts.connect}</a>
        </p>
      ) : first === undefined && pages.error !== null ? null : (
        <div className="newest-events">
          <EventList
            events={live.events.slice(0, NEWEST)}
            total={total}
            view={DEFAULT_VIEW}
            names={names}
            selected={null}
            onSelect={(event) => (event === null ? undefined : go(hrefOf(`/events/${event}`)))}
            onStill={setStill}
            isOld={false}
            isLoading={pages.isPending}
            more={null}
          />
        </div>
      )}
    </Card>
  );
}
