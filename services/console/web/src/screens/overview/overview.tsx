import type { ReactNode } from 'react';
import type { AgentStats } from '@countersign/contracts';
import { useAgentNames } from '../../api/agents.js';
import { useOpenAlerts } from '../../api/alerts.js';
import { areAwaited } from '../../api/client.js';
import { useInstallation } from '../../api/installation.js';
import { useAgentStats, useCheckStats, useLiveStats } from '../../api/stats.js';
import type { StatsRange } from '../../api/stats.js';
import { FeedLabel } from '../../live/feed-label.js';
import { hrefOf, replacePlace } from '../../location.js';
import { Choice } from '../../parts/field.js';
import { Foreign } from '../../parts/foreign.js';
import { Card, Empty, Page } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { asWords, number, words } from '../../words/en.js';
import { overviewWords } from '../../words/overview.js';
import { agentName } from '../events/event-words.js';
import type { ScreenProps } from '../screen-props.js';
import { Chart, Spark } from './chart.js';
import { Latency } from './latency.js';
import { countedHref, sumOf, Totals } from './totals.js';

const RANGES = ['day', 'week', 'month'] as const satisfies readonly StatsRange[];

/** `/overview`: how many checks there were and how they ended, over time, by violation and by agent. */
export function Overview({ session, query }: ScreenProps): ReactNode {
  const range = RANGES.find((one) => one === query.get('range')) ?? 'day';
  const outcomes = useCheckStats(range, 'outcome');
  const violations = useCheckStats(range, 'violation_type');
  const agents = useAgentStats(range);
  const installation = useInstallation(session.user.role);
  const { data: open } = useOpenAlerts();
  const { data } = outcomes;
  useLiveStats();
  return (
    <Page
      title={overviewWords.title}
      isLoading={areAwaited([outcomes, violations, agents, installation])}
      actions={
        <>
          <FeedLabel />
          {data?.asOf ? (
            <p className="muted small">
              {overviewWords.asOf} <Time iso={data.asOf} zone />
            </p>
          ) : null}
          <Choice
            label={overviewWords.range}
            value={range}
            options={RANGES.map((one) => [one, overviewWords.ranges[one]])}
            onChange={(one) => replacePlace(hrefOf('/overview', { range: one === 'day' ? null : one }))}
          />
        </>
      }
    >
      {outcomes.error === null ? null : (
        <Problem what={overviewWords.failed} error={outcomes.error} retry={() => void outcomes.refetch()} />
      )}
      {data === undefined ? null : <Totals stats={data} further={[[overviewWords.alerts, open ?? 0, '#/alerts']]} />}
      {data === undefined ? null : sumOf(data) === 0 ? (
        <Empty title={overviewWords.empty}>
          <p>{overviewWords.emptyLead}</p>
          <p>
            <a href="#/welcome">{words.events.sample}</a>
          </p>
        </Empty>
      ) : (
        <Card title={overviewWords.chart}>
          <Chart stats={data} />
        </Card>
      )}
      {violations.data === undefined ? null : (
        <Card title={overviewWords.violations}>
          {violations.data.series.length === 0 ? <p className="muted">{overviewWords.violationsEmpty}</p> : null}
          <dl className="facts">
            {violations.data.series.map(({ key, total }) => (
              <div className="fact" key={key}>
                <dt>{asWords(key)}</dt>
                <dd>
                  <a href={countedHref(violations.data, { violation: key })}>{number(total)}</a>
                </dd>
              </div>
            ))}
          </dl>
        </Card>
      )}
      <Latency role={session.user.role} />
      <Agents agents={agents} />
    </Page>
  );
}

function Agents({ agents }: { readonly agents: ReturnType<typeof useAgentStats> }): ReactNode {
  const names = useAgentNames();
  const { columns } = overviewWords;
  return (
    <Card title={overviewWords.agents}>
      {agents.error === null ? null : (
        <Problem what={overviewWords.agentsFailed} error={agents.error} retry={() => void agents.refetch()} />
      )}
      {agents.error !== null && agents.data === undefined ? null : (
        <Table<AgentStats>
          label={overviewWords.agents}
          rows={agents.data}
          keyOf={({ agentId }) => agentId}
          columns={[
            {
              name: columns.agent,
              cell: ({ agentId }) => (
                <a href={hrefOf(`/agents/${agentId}`)}>
                  <Foreign text={agentName(agentId, names)} most={80} />
                </a>
              ),
            },
            { name: columns.checks, isNumber: true, cell: ({ checks }) => number(checks) },
            { name: columns.denied, isNumber: true, cell: ({ denied }) => number(denied) },
            { name: columns.trend, cell: ({ spark }) => <Spark counts={spark} /> },
            {
              name: columns.last,
              cell: ({ lastEventAt }) => (lastEventAt === null ? '–' : <Time iso={lastEventAt} />),
            },
            {
              name: columns.anchored,
              isNumber: true,
              cell: ({ anchoredThrough, lastSequence }) => overviewWords.anchored(anchoredThrough, lastSequence),
            },
          ]}
        />
      )}
    </Card>
  );
}
