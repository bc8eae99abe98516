import { useEffect } from 'react';
import type { ReactNode } from 'react';
import type { ReportJobRecord, Role } from '@countersign/contracts';
import { isOpen, useRemoveJob, useReportJobs } from '../../api/report-jobs.js';
import { Foreign } from '../../parts/foreign.js';
import { Card } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { number, words } from '../../words/en.js';
import { reportWords } from '../../words/reports.js';

/** Reports that are being made, or whose making has failed; nothing where there is none. */
export function JobList({
  role,
  followed,
  onDone,
}: {
  readonly role: Role;
  /** The job that was started on this screen. */
  readonly followed: string | null;
  /** It has issued its only report. */
  readonly onDone: (reportId: string) => void;
}): ReactNode {
  const jobs = useReportJobs();
  const remove = useRemoveJob();
  const own = jobs.data?.find(({ id }) => id === followed);
  const only = own?.state === 'done' && own.reports.length === 1 ? own.reports[0]! : null;
  useEffect(() => {
    if (only !== null) onDone(only);
  }, [only, onDone]);
  const shown = jobs.data?.filter((job) => job.state !== 'done') ?? [];
  const mayRemove = role !== 'auditor';
  const { jobs: texts } = reportWords;
  if (jobs.error !== null) return <Problem what={texts.failed} error={jobs.error} retry={() => void jobs.refetch()} />;
  if (shown.length === 0) return null;
  return (
    <Card title={texts.title}>
      {remove.error === null ? null : <Problem error={remove.error} />}
      <Table<ReportJobRecord>
        label={texts.title}
        rows={shown}
        keyOf={({ id }) => id}
        columns={[
          { name: texts.asked, cell: ({ createdAt }) => <Time iso={createdAt} /> },
          { name: reportWords.columns.title, cell: (job) => <Named job={job} /> },
          { name: texts.progress, cell: (job) => <Progress job={job} /> },
          {
            name: reportWords.columns.actions,
            isUnnamed: true,
            cell: (job) => (
              <button
                type="button"
                className="button"
                aria-disabled={!mayRemove || remove.isPending}
                title={mayRemove ? undefined : words.needs('member', role)}
                onClick={() => (mayRemove && !remove.isPending ? remove.mutate(job.id) : undefined)}
              >
                {isOpen(job) ? words.cancel : texts.remove}
              </button>
            ),
          },
        ]}
      />
    </Card>
  );
}

function Named({ job: { title, frameworks } }: { readonly job: ReportJobRecord }): ReactNode {
  const named = frameworks.map((name) => reportWords.frameworks[name]).join(', ');
  return title === null ? named : <Foreign text={title} most={80} />;
}

/** The step of a job, and how many of its events are in packages. */
function Progress({ job: { state, done, of, error, reports } }: { readonly job: ReportJobRecord }): ReactNode {
  const { jobs: texts } = reportWords;
  return (
    <>
      <span className={`badge ${state === 'failed' ? 'bad' : 'plain'}`}>{texts.states[state]}</span>{' '}
      {of === null || of === 0 ? null : (
        <>
          <progress max={of} value={done} aria-label={texts.progress} />{' '}
          <span className="muted small">{texts.counted(number(done), number(of), reports.length)}</span>
        </>
      )}
      {error === null ? null : (
        <span className="note beside">
          <Foreign text={error} most={300} />
        </span>
      )}
    </>
  );
}
