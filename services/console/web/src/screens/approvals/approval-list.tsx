import { useMemo } from 'react';
import type { ReactNode } from 'react';
import type { ApprovalState, ApprovalSummary } from '@countersign/contracts';
import { useAgentNames } from '../../api/agents.js';
import { useApprovals } from '../../api/approvals.js';
import { hrefOf } from '../../location.js';
import { Foreign } from '../../parts/foreign.js';
import { Empty, Page, Parts } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Table } from '../../parts/table.js';
import type { Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { approvalWords as texts } from '../../words/approvals.js';
import { words } from '../../words/en.js';
import { agentName } from '../events/event-words.js';

const STATES = Object.keys(texts.states) as readonly ApprovalState[];
const TONES: Readonly<Record<ApprovalState, string>> = {
  pending: 'held',
  approved: 'good',
  denied: 'bad',
  expired: 'plain',
  consumed: 'good',
};

/** Requests in one state, or all. @param state of the address; `null`: those that wait; `all` */
export function ApprovalList({ state }: { readonly state: string | null }): ReactNode {
  const shown = state === 'all' ? null : (STATES.find((one) => one === state) ?? 'pending');
  const pages = useApprovals(shown);
  const names = useAgentNames();
  const rows = useMemo(() => {
    const found = new Map<string, ApprovalSummary>();
    for (const page of pages.data?.pages ?? []) for (const one of page.approvals) found.set(one.id, one);
    return pages.data === undefined ? undefined : [...found.values()];
  }, [pages.data]);
  const parts = [...STATES, 'all' as const].map(
    (one) =>
      [
        hrefOf('/approvals', { state: one === 'pending' ? null : one }),
        one === 'all' ? texts.all : texts.states[one],
      ] as const,
  );
  const current = hrefOf('/approvals', { state: shown === 'pending' ? null : (shown ?? 'all') });
  return (
    <Page title={texts.title}>
      <Parts label={texts.parts} parts={parts} current={current} />
      {pages.error === null ? null : (
        <Problem what={texts.failed} error={pages.error} retry={() => void pages.refetch()} />
      )}
      {rows?.length === 0 ? (
        <Empty title={shown === 'pending' ? texts.empty : texts.emptyState}>
          {shown === 'pending' ? <p>{texts.emptyLead}</p> : null}
        </Empty>
      ) : pages.error !== null && rows === undefined ? null : (
        <Table label={texts.table} columns={columnsOf(names)} rows={rows} keyOf={({ id }) => id} />
      )}
      {pages.hasNextPage ? (
        <button type="button" className="button more" onClick={() => void pages.fetchNextPage()}>
          {words.more}
        </button>
      ) : null}
    </Page>
  );
}

function columnsOf(names: ReadonlyMap<string, string>): readonly Column<ApprovalSummary>[] {
  const { columns } = texts;
  return [
    { name: columns.time, cell: ({ requested_at }) => <Time iso={requested_at} /> },
    {
      name: columns.state,
      cell: ({ state }) => (
        <span>
          <StateBadge state={state} />
        </span>
      ),
    },
    { name: columns.agent, cell: ({ agent_id }) => <Foreign text={agentName(agent_id, names)} most={80} /> },
    {
      name: columns.rule,
      cell: ({ rule }) => (
        <span className="mono">
          <Foreign text={rule} most={80} />
        </span>
      ),
    },
    { name: columns.expires, cell: ({ expires_at }) => <Time iso={expires_at} /> },
    {
      name: columns.open,
      isUnnamed: true,
      cell: ({ id, may_decide }) => <a href={hrefOf(`/approvals/${id}`)}>{may_decide ? texts.open : texts.see}</a>,
    },
  ];
}

export function StateBadge({ state }: { readonly state: ApprovalState }): ReactNode {
  return <span className={`badge ${TONES[state]}`}>{texts.states[state]}</span>;
}
