import type { ReactNode } from 'react';
import type { AgentCompleteness } from '@countersign/contracts';
import { useAgentNames } from '../../api/agents.js';
import { useCompleteness } from '../../api/health.js';
import { hrefOf } from '../../location.js';
import { Foreign } from '../../parts/foreign.js';
import { More } from '../../parts/more.js';
import { Card } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Table } from '../../parts/table.js';
import { number } from '../../words/en.js';
import { healthWords } from '../../words/health.js';
import { agentName } from '../events/event-words.js';
import { Strip } from './strip.js';

/** Of each agent whether its events, and the windows that anchor them, are without a gap. */
export function Completeness(): ReactNode {
  const pages = useCompleteness();
  const names = useAgentNames();
  const rows = pages.data?.pages.flatMap(({ agents }) => agents);
  const { columns } = healthWords;
  return (
    <Card title={healthWords.complete} lead={healthWords.completeLead}>
      {pages.error === null ? null : (
        <Problem what={healthWords.completeFailed} error={pages.error} retry={() => void pages.refetch()} />
      )}
      {rows?.length === 0 ? <p className="muted">{healthWords.none}</p> : null}
      {rows?.length === 0 || (rows === undefined && pages.error !== null) ? null : (
        <Table<AgentCompleteness>
          label={healthWords.complete}
          rows={rows}
          keyOf={({ agentId }) => agentId}
          columns={[
            {
              name: columns.agent,
              cell: ({ agentId }) => (
                <a href={hrefOf('/events', { agent: agentId })}>
                  <Foreign text={agentName(agentId, names)} most={80} />
                </a>
              ),
            },
            {
              name: columns.numbers,
              isNumber: true,
              cell: ({ first, last }) => (last === 0 ? '–' : `${number(first)} – ${number(last)}`),
            },
            { name: columns.strip, cell: (agent) => <Strip of={agent} /> },
            { name: columns.anchored, isNumber: true, cell: ({ anchoredThrough }) => number(anchoredThrough) },
            { name: columns.windows, isNumber: true, cell: ({ windows }) => number(windows) },
            { name: columns.state, cell: (agent) => <CompletenessState of={agent} /> },
          ]}
        />
      )}
      {pages.hasNextPage ? <More pages={pages} /> : null}
    </Card>
  );
}

/** That no number is missing, or which ones. */
export function CompletenessState({
  of: { first, last, stored, breaks },
}: {
  readonly of: AgentCompleteness;
}): ReactNode {
  if (last === 0) return <span className="muted">{healthWords.empty}</span>;
  const missing = last - first + 1 - stored;
  if (missing === 0 && breaks.length === 0) return <span className="badge good">{healthWords.whole}</span>;
  return (
    <ul className="gaps">
      {missing === 0 ? null : (
        <li>
          <span className="badge bad">{healthWords.missing(missing)}</span>
        </li>
      )}
      {breaks.map((gap) => (
        <li key={gap.first}>
          <span className="badge bad">{healthWords.gap(gap)}</span>
        </li>
      ))}
    </ul>
  );
}
