import { useMemo } from 'react';
import type { ReactNode } from 'react';
import type { CoveringEvent, CoveringEventsQuery } from '@countersign/contracts';
import { useAgentNames } from '../../api/agents.js';
import { useCoveringEvents } from '../../api/coverage.js';
import { hrefOf, replacePlace } from '../../location.js';
import { Choice } from '../../parts/field.js';
import { Foreign } from '../../parts/foreign.js';
import { More } from '../../parts/more.js';
import { Empty, Page } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Table } from '../../parts/table.js';
import type { Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { coverageWords } from '../../words/coverage.js';
import { asWords, number } from '../../words/en.js';
import { reportWords } from '../../words/reports.js';
import { agentName } from '../events/event-words.js';
import { agentOf, FRAMEWORKS, timeOf } from './coverage-place.js';

type Asked = Omit<CoveringEventsQuery, 'limit' | 'offset'>;

const RELATIONS = ['direct', 'supporting', 'contextual'] as const;
const STATUSES = ['Satisfied', 'Prevented', 'Gap, review required'] as const;
const TONES = { Satisfied: 'good', Prevented: 'plain', 'Gap, review required': 'held' } as const;
const texts = coverageWords.list;

/** `/coverage/events`: the events behind a number of the coverage, with what they are counted as. */
export function CoveringEvents({ query }: { readonly query: URLSearchParams }): ReactNode {
  const asked = askedBy(query);
  const pages = useCoveringEvents(asked);
  const names = useAgentNames();
  const rows = useMemo(() => {
    const found = new Map<string, CoveringEvent>();
    for (const page of pages.data?.pages ?? []) for (const event of page.events) found.set(event.eventId, event);
    return pages.data === undefined ? undefined : [...found.values()];
  }, [pages.data]);
  const control = (query.get('control') ?? '').slice(0, 100);
  const total = pages.data?.pages[0]?.total;
  return (
    <Page
      title={
        <>
          {texts.title('')}
          <Foreign text={control} most={100} />
        </>
      }
      name={coverageWords.title}
      {...(total === undefined ? {} : { count: texts.count(total) })}
      actions={<a href={backHref(query)}>{texts.back}</a>}
    >
      {asked === null ? <p role="alert">{texts.unnamed}</p> : <About asked={asked} query={query} />}
      {pages.error === null ? null : (
        <Problem what={texts.failed} error={pages.error} retry={() => void pages.refetch()} />
      )}
      {rows?.length === 0 ? (
        <Empty title={texts.empty}>
          <p>{texts.emptyLead}</p>
        </Empty>
      ) : asked === null || (pages.error !== null && rows === undefined) ? null : (
        <Table label={texts.table} columns={columnsOf(names)} rows={rows} keyOf={({ eventId }) => eventId} />
      )}
      {pages.hasNextPage ? <More pages={pages} isBelow /> : null}
    </Page>
  );
}

/** `null`: the address names no control. */
function askedBy(query: URLSearchParams): Asked | null {
  const framework = FRAMEWORKS.find((one) => one === query.get('framework'));
  const controlId = query.get('control')?.slice(0, 100) ?? '';
  if (framework === undefined || controlId === '') return null;
  const relation = RELATIONS.find((one) => one === query.get('relation'));
  const status = STATUSES.find((one) => one === query.get('status'));
  const [from, to, agentId] = [timeOf(query, 'from'), timeOf(query, 'to'), agentOf(query)];
  return {
    ...{ framework, controlId },
    ...(relation === undefined ? {} : { relation }),
    ...(status === undefined ? {} : { status }),
    ...(from === null ? {} : { from }),
    ...(to === null ? {} : { to }),
    ...(agentId === null ? {} : { agentId }),
  };
}

function backHref(query: URLSearchParams): string {
  return hrefOf('/coverage', { framework: query.get('framework') });
}

function About({ asked, query }: { readonly asked: Asked; readonly query: URLSearchParams }): ReactNode {
  const { framework, relation, from, to, status } = asked;
  return (
    <>
      <p className="muted">
        {reportWords.frameworks[framework!]}
        {relation === undefined ? null : ` · ${coverageWords.relations[relation]}`}
        {from === undefined || to === undefined ? null : (
          <>
            {' '}
            {texts.from} <Time iso={from} /> {texts.to} <Time iso={to} zone />
          </>
        )}
      </p>
      <search className="filters covering" aria-label={coverageWords.filters}>
        <Choice
          label={texts.status}
          value={status ?? ''}
          options={[['', texts.anyStatus], ...STATUSES.map((one) => [one, texts.statuses[one]] as const)]}
          onChange={(one) => replacePlace(hrefOf('/coverage/events', { ...Object.fromEntries(query), status: one }))}
        />
      </search>
    </>
  );
}

function columnsOf(names: ReadonlyMap<string, string>): readonly Column<CoveringEvent>[] {
  const { columns } = texts;
  return [
    {
      name: columns.time,
      cell: ({ eventId, occurredAt }) => (
        <a href={hrefOf(`/events/${eventId}`)}>
          <Time iso={occurredAt} />
        </a>
      ),
    },
    { name: columns.agent, cell: ({ agentId }) => <Foreign text={agentName(agentId, names)} most={80} /> },
    { name: columns.sequence, isNumber: true, cell: ({ sequence }) => number(sequence) },
    {
      name: columns.event,
      cell: ({ type, outcome }) => (outcome === null ? asWords(type) : `${asWords(type)}, ${asWords(outcome)}`),
    },
    {
      name: columns.status,
      cell: ({ status }) => <span className={`badge ${TONES[status]}`}>{texts.statuses[status]}</span>,
    },
    { name: columns.reason, cell: ({ statusReason }) => statusReason ?? '–' },
  ];
}
