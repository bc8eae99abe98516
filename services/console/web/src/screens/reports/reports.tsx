import { useCallback, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import type { ReportRecord } from '@countersign/contracts';
import { useReports } from '../../api/reports.js';
import { useShortcuts } from '../../keyboard.js';
import { go } from '../../location.js';
import { Foreign } from '../../parts/foreign.js';
import { Empty, Page } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { number, words } from '../../words/en.js';
import { reportWords } from '../../words/reports.js';
import type { ScreenProps } from '../screen-props.js';
import { JobList } from './job-list.js';
import { NewReport } from './new-report.js';
import { ReportParts } from './report-parts.js';
import { OneReport } from './one-report.js';
import { Scope } from './scope.js';

const REPORT = /^\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/;

/** `/reports`: what was issued, with one report and the declared scope below it. */
export function Reports({ session: { user }, rest }: ScreenProps): ReactNode {
  const pages = useReports();
  const reports = useMemo(() => {
    const found = new Map<string, ReportRecord>();
    for (const page of pages.data?.pages ?? []) for (const report of page.reports) found.set(report.id, report);
    return pages.data === undefined ? undefined : [...found.values()];
  }, [pages.data]);
  const [isMaking, setMaking] = useState(false);
  const [followed, setFollowed] = useState<string | null>(null);
  const show = useCallback((issued: string) => {
    setFollowed(null);
    go(`#/reports/${issued}`);
  }, []);
  useShortcuts({ n: () => setMaking(true) });
  const id = REPORT.exec(rest)?.[1];
  if (id !== undefined) {
    return <OneReport id={id} report={reports?.find((one) => one.id === id) ?? null} pages={pages} role={user.role} />;
  }
  if (rest === '/scope') return <Scope role={user.role} />;
  const total = pages.data?.pages[0]?.total;
  const { columns } = reportWords;
  return (
    <Page
      title={reportWords.title}
      {...(total === undefined ? {} : { count: reportWords.count(total) })}
      actions={
        <button type="button" className="button primary" onClick={() => setMaking(true)}>
          {reportWords.make}
        </button>
      }
    >
      <ReportParts current="" />
      <JobList role={user.role} followed={followed} onDone={show} />
      {pages.error === null ? null : (
        <Problem what={reportWords.failed} error={pages.error} retry={() => void pages.refetch()} />
      )}
      {reports?.length === 0 ? (
        <Empty title={reportWords.empty}>
          <p>{reportWords.emptyLead}</p>
        </Empty>
      ) : pages.error !== null && reports === undefined ? null : (
        <Table
          label={reportWords.table}
          rows={reports}
          keyOf={(report) => report.id}
          columns={[
            {
              name: columns.title,
              cell: (report) => <Named report={report} />,
            },
            { name: columns.created, cell: ({ createdAt }) => <Time iso={createdAt} /> },
            {
              name: columns.range,
              cell: ({ range: { from, to } }) => (
                <span>
                  <Time iso={from} /> –<br />
                  <Time iso={to} />
                </span>
              ),
            },
            {
              name: columns.events,
              isNumber: true,
              cell: ({ events, anchored }) =>
                events === null ? '–' : reportWords.of(number(anchored ?? 0), number(events)),
            },
            {
              name: columns.visibility,
              cell: (report) => (
                <span className={`badge ${report.withdrawn !== null ? 'bad' : report.public ? 'held' : 'plain'}`}>
                  {report.withdrawn !== null
                    ? reportWords.withdrawn
                    : report.public
                      ? reportWords.public
                      : reportWords.private}
                </span>
              ),
            },
            {
              name: columns.actions,
              isUnnamed: true,
              cell: (report) => <a href={`#/reports/${report.id}`}>{reportWords.open}</a>,
            },
          ]}
        />
      )}
      {pages.hasNextPage ? (
        <button type="button" className="button more" onClick={() => void pages.fetchNextPage()}>
          {words.more}
        </button>
      ) : null}
      {isMaking ? (
        <NewReport
          role={user.role}
          onClose={() => setMaking(false)}
          onStarted={(job) => {
            setMaking(false);
            setFollowed(job);
          }}
          onIssued={show}
        />
      ) : null}
    </Page>
  );
}

/** A report by its title, if it has one, and its frameworks. */
function Named({ report: { title, frameworks, format } }: { readonly report: ReportRecord }): ReactNode {
  const listed = `${frameworks.map((name) => reportWords.frameworks[name]).join(', ')} (${format.toUpperCase()})`;
  if (title === null) return <span>{listed}</span>;
  return (
    <span>
      <Foreign text={title} most={80} />
      <br />
      <span className="muted small">{listed}</span>
    </span>
  );
}
