import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import type { ExportBody, Framework, Role } from '@countersign/contracts';
import { useAgents } from '../../api/agents.js';
import { useNewJob } from '../../api/report-jobs.js';
import { useExport } from '../../api/reports.js';
import { shownText } from '../../foreign-text.js';
import { Checks } from '../../parts/checks.js';
import { Dialog } from '../../parts/dialog.js';
import { DialogForm } from '../../parts/dialog-form.js';
import { Choice, Field } from '../../parts/field.js';
import { reportWords } from '../../words/reports.js';

const FRAMEWORKS = Object.keys(reportWords.frameworks) as Framework[];
const WITHHELD = ['action', 'payload', 'context'] as const;
const DAY = 86_400_000;
const LENGTHS = { day: DAY, week: 7 * DAY, month: 30 * DAY } as const;
type Period = keyof typeof reportWords.periods;

/**
 * Asks what the report covers, and has it made in the background; for an auditor, who may not start jobs, while the dialog
 * waits.
 */
export function NewReport({
  role,
  onClose,
  onStarted,
  onIssued,
}: {
  readonly role: Role;
  readonly onClose: () => void;
  /** @param id of the job */
  readonly onStarted: (id: string) => void;
  /** @param id of the new report */
  readonly onIssued: (id: string) => void;
}): ReactNode {
  const [frameworks, setFrameworks] = useState<readonly Framework[]>(['soc2', 'euaiact']);
  const [period, setPeriod] = useState<Period>('day');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [agent, setAgent] = useState('');
  const [format, setFormat] = useState<ExportBody['format']>('json');
  const [withhold, setWithhold] = useState<readonly (typeof WITHHELD)[number][]>([]);
  const { data: agents = [] } = useAgents();
  const [title, setTitle] = useState('');
  const [split, setSplit] = useState<'no' | 'yes'>('no');
  const waits = role === 'auditor';
  const issue = useExport();
  const start = useNewJob();
  const id = useId();
  const { form } = reportWords;
  const submit = (): void => {
    // The end is now: an event of this moment belongs to the report.
    const now = Date.now() + 1000;
    const range =
      period === 'custom'
        ? { from: `${from}:00Z`, to: `${to}:00Z` }
        : { from: new Date(now - LENGTHS[period]).toISOString(), to: new Date(now).toISOString() };
    const body: ExportBody = {
      format,
      frameworks,
      ...range,
      ...(agent === '' ? {} : { agentIds: [agent] }),
      ...(withhold.length === 0 ? {} : { withhold }),
    };
    if (waits) return issue.mutate(body, { onSuccess: onIssued });
    const named = title.trim() === '' ? {} : { title: title.trim() };
    start.mutate({ ...body, ...named, split: split === 'yes' }, { onSuccess: ({ id: job }) => onStarted(job) });
  };
  return (
    <Dialog title={reportWords.make} lead={form.lead} onClose={onClose}>
      <DialogForm
        action={form.submit}
        isPending={issue.isPending || start.isPending}
        isBlocked={frameworks.length === 0}
        error={issue.error ?? start.error}
        onSubmit={submit}
        onClose={onClose}
      >
        <Checks
          legend={form.frameworks}
          options={FRAMEWORKS.map((name) => [name, reportWords.frameworks[name]])}
          chosen={frameworks}
          onChange={setFrameworks}
        />
        {frameworks.length === 0 ? (
          <p className="hint" id={`${id}-none`} role="status">
            {form.noFramework}
          </p>
        ) : null}
        <Choice
          label={form.period}
          value={period}
          options={(Object.keys(reportWords.periods) as Period[]).map((name) => [name, reportWords.periods[name]])}
          onChange={(name) => setPeriod(name as Period)}
        />
        {period === 'custom' ? (
          <>
            <Field
              label={form.from}
              type="datetime-local"
              required
              value={from}
              onChange={(event) => setFrom(event.target.value.slice(0, 16))}
            />
            <Field
              label={form.to}
              type="datetime-local"
              required
              value={to}
              onChange={(event) => setTo(event.target.value.slice(0, 16))}
            />
          </>
        ) : null}
        <Choice
          label={form.agents}
          value={agent}
          options={[['', form.allAgents], ...agents.map((one) => [one.id, shownText(one.name, 60).text] as const)]}
          onChange={setAgent}
        />
        {waits ? null : (
          <>
            <Field
              label={form.title}
              maxLength={200}
              value={title}
              onChange={(event) => setTitle(event.target.value)}
            />
            <Choice
              label={form.split}
              value={split}
              options={(['no', 'yes'] as const).map((name) => [name, form.splits[name]])}
              onChange={(name) => setSplit(name as 'no' | 'yes')}
            />
          </>
        )}
        <Choice
          label={form.format}
          value={format}
          options={(['json', 'pdf'] as const).map((name) => [name, form.formats[name]])}
          onChange={(name) => setFormat(name as ExportBody['format'])}
        />
        <Checks
          legend={form.withhold}
          hint={form.withholdHint}
          options={WITHHELD.map((name) => [name, form.withheld[name]])}
          chosen={withhold}
          onChange={setWithhold}
        />
        {issue.isPending ? (
          <p className="hint" role="status">
            {form.busy}
          </p>
        ) : null}
      </DialogForm>
    </Dialog>
  );
}
