import type { ReactNode } from 'react';
import type { Coverage as Counted } from '@countersign/contracts';
import { useAgents } from '../../api/agents.js';
import { useCoverage } from '../../api/coverage.js';
import { shownText } from '../../foreign-text.js';
import { hrefOf, replacePlace } from '../../location.js';
import { Fact, Facts } from '../../parts/facts.js';
import { Choice, Field } from '../../parts/field.js';
import { Card, Empty, Page } from '../../parts/page.js';
import { Copy, Problem } from '../../parts/problem.js';
import { Time, timeText } from '../../parts/time.js';
import { usePreferences } from '../../preferences.js';
import { coverageWords as texts } from '../../words/coverage.js';
import { number, words } from '../../words/en.js';
import { reportWords } from '../../words/reports.js';
import type { ScreenProps } from '../screen-props.js';
import { ControlNotes } from './control-notes.js';
import { boundsOf, coveragePlace, FRAMEWORKS, placeQuery, RANGES } from './coverage-place.js';
import type { CoveragePlace } from './coverage-place.js';
import { CoveringEvents } from './covering-events.js';
import { HeatMap } from './heat-map.js';

/** `/coverage`: how far the events of a time show the controls of a framework; below it the events behind a number. */
export function Coverage({ rest, query }: ScreenProps): ReactNode {
  return rest === '/events' ? <CoveringEvents query={query} /> : <Controls place={coveragePlace(query)} />;
}

function Controls({ place }: { readonly place: CoveragePlace }): ReactNode {
  const { framework, by, agent, range, from, to } = place;
  const asked = { framework, by, ...(agent === null ? {} : { agentId: agent }) };
  const counted = useCoverage(asked, `${range} ${String(from)} ${String(to)}`, () => boundsOf(place, Date.now()));
  const { localTimes } = usePreferences();
  const { data, error } = counted;
  return (
    <Page
      title={texts.title}
      actions={
        <>
          {data === undefined ? null : (
            <p className="muted small" role="status">
              {counted.isFetching ? texts.counting : `${texts.asOf} `}
              {counted.isFetching ? null : <Time iso={data.asOf} zone />}
            </p>
          )}
          <button
            type="button"
            className="button"
            aria-disabled={counted.isFetching}
            onClick={() => (counted.isFetching ? undefined : void counted.refetch())}
          >
            {texts.again}
          </button>
        </>
      }
    >
      <p className="muted">{texts.lead}</p>
      <Filters place={place} />
      {error === null ? null : (
        <>
          <Problem what={texts.failed} error={error} retry={() => void counted.refetch()} />
          {data === undefined ? null : <p className="offline">{texts.old(timeText(data.asOf, localTimes))}</p>}
        </>
      )}
      {data === undefined ? null : <Statement of={data} />}
      {data?.events === 0 ? (
        <Empty title={texts.empty}>
          <p>{texts.emptyLead}</p>
        </Empty>
      ) : null}
      {data === undefined && (error !== null || boundsOf(place, 0) === null) ? null : (
        <HeatMap coverage={data} place={place} />
      )}
      {data === undefined ? null : <ControlNotes controls={data.controls} />}
    </Page>
  );
}

function Filters({ place }: { readonly place: CoveragePlace }): ReactNode {
  const { data: agents = [] } = useAgents();
  const set = (change: Partial<CoveragePlace>): void =>
    replacePlace(hrefOf('/coverage', placeQuery({ ...place, ...change })));
  const known = agents.some(({ id }) => id === place.agent);
  const typed = (time: string | null): string => time?.slice(0, 16) ?? '';
  const asTime = (text: string): string | null => (text === '' ? null : `${text.slice(0, 16)}Z`);
  return (
    <search className="filters" aria-label={texts.filters}>
      <Choice
        label={texts.framework}
        value={place.framework}
        options={FRAMEWORKS.map((name) => [name, reportWords.frameworks[name]])}
        onChange={(name) => set({ framework: FRAMEWORKS.find((one) => one === name) ?? 'soc2' })}
      />
      <Choice
        label={texts.range}
        value={place.range}
        options={RANGES.map((name) => [name, texts.ranges[name]])}
        onChange={(name) => set({ range: RANGES.find((one) => one === name) ?? 'week' })}
      />
      {place.range === 'custom' ? (
        <>
          <Field
            label={texts.from}
            type="datetime-local"
            value={typed(place.from)}
            onChange={(event) => set({ from: asTime(event.target.value) })}
          />
          <Field
            label={texts.to}
            type="datetime-local"
            value={typed(place.to)}
            onChange={(event) => set({ to: asTime(event.target.value) })}
          />
        </>
      ) : null}
      <Choice
        label={texts.agent}
        value={place.agent ?? ''}
        options={[
          ['', texts.anyAgent],
          ...(place.agent === null || known ? [] : [[place.agent, place.agent] as const]),
          ...agents.map(({ id, name }) => [id, shownText(name, 60).text] as const),
        ]}
        onChange={(agent) => set({ agent: agent === '' ? null : agent })}
      />
      <Choice
        label={texts.by}
        value={place.by}
        options={(['day', 'agent'] as const).map((by) => [by, texts.columnsBy[by]])}
        onChange={(by) => set({ by: by === 'agent' ? 'agent' : 'day' })}
      />
    </search>
  );
}

/** The statement of the framework on its scope, and the mapping by which events were counted. */
function Statement({ of: { statements, mapping, events } }: { readonly of: Counted }): ReactNode {
  return (
    <Card
      title={texts.statement}
      actions={
        <>
          <a href="#/reports/scope">{texts.scope}</a>
          <a href="#/reports">{texts.report}</a>
        </>
      }
    >
      {statements.map(({ framework, text }) => (
        <p className="statement" key={framework}>
          {text}
        </p>
      ))}
      <Facts>
        <Fact name={texts.counted}>{number(events)}</Fact>
        <Fact name={texts.mapping}>{mapping.version}</Fact>
        <Fact name={texts.hash}>
          <code className="wrap">{mapping.sha256}</code> <Copy text={mapping.sha256} label={words.problem.copy} />
        </Fact>
      </Facts>
    </Card>
  );
}
