import { useState } from 'react';
import type { ReactNode } from 'react';
import type { ReportRecord, ShareRecord } from '@countersign/contracts';
import { revokeShare, useNewShare, useShares } from '../../api/report-shares.js';
import { ConfirmRemoval } from '../../parts/confirm.js';
import { Dialog } from '../../parts/dialog.js';
import { DialogForm } from '../../parts/dialog-form.js';
import { Choice, Field } from '../../parts/field.js';
import { Foreign } from '../../parts/foreign.js';
import { More } from '../../parts/more.js';
import { Card } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Secret } from '../../parts/secret.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { reportWords } from '../../words/reports.js';

const DAY_SECONDS = 86_400;

/** The links of a report: what each was made for, until when, and its fetches; a new one is shown once. */
export function ShareList({ report }: { readonly report: ReportRecord }): ReactNode {
  const pages = useShares(report.id);
  const shares = pages.data?.pages.flatMap((page) => page.shares);
  const older = (pages.data?.pages.at(-1)?.total ?? 0) - (shares?.length ?? 0);
  const [isAdding, setAdding] = useState(false);
  const [revoked, setRevoked] = useState<ShareRecord | null>(null);
  const { shares: texts } = reportWords;
  const { columns } = texts;
  return (
    <Card
      title={texts.title}
      lead={texts.lead}
      actions={
        report.withdrawn === null ? (
          <button type="button" className="button" onClick={() => setAdding(true)}>
            {texts.share}
          </button>
        ) : undefined
      }
    >
      {pages.error === null ? null : (
        <Problem what={texts.failed} error={pages.error} retry={() => void pages.refetch()} />
      )}
      {shares?.length === 0 ? (
        <p>{texts.none}</p>
      ) : pages.error !== null && shares === undefined ? null : (
        <Table
          label={texts.title}
          rows={shares}
          keyOf={({ id }) => id}
          columns={[
            { name: columns.note, cell: (share) => <Named share={share} /> },
            { name: columns.ends, cell: ({ expiresAt }) => <Time iso={expiresAt} /> },
            { name: columns.fetches, cell: (share) => <Fetches share={share} /> },
            { name: columns.actions, isUnnamed: true, cell: (share) => <State share={share} onRevoke={setRevoked} /> },
          ]}
        />
      )}
      {pages.hasNextPage ? (
        <p>
          {texts.older(older)} <More pages={pages} />
        </p>
      ) : null}
      {isAdding ? <NewShare report={report} onClose={() => setAdding(false)} /> : null}
      {revoked === null ? null : (
        <ConfirmRemoval
          name={revoked.note ?? revoked.id}
          title={texts.revokeTitle}
          lead={texts.revokeLead}
          action={texts.revoke}
          run={() => revokeShare(revoked)}
          onClose={() => setRevoked(null)}
        />
      )}
    </Card>
  );
}

function Named({ share: { note, form, createdBy } }: { readonly share: ShareRecord }): ReactNode {
  const { shares: texts } = reportWords;
  return (
    <>
      {note === null ? texts.unnamed : <Foreign text={note} most={120} />}
      <p className="hint">
        {texts.forms[form]}, {texts.by} <Foreign text={createdBy.email} most={254} />
      </p>
    </>
  );
}

function Fetches({ share: { fetches, lastFetchAt } }: { readonly share: ShareRecord }): ReactNode {
  const { shares: texts } = reportWords;
  if (lastFetchAt === null) return texts.never;
  return (
    <>
      {texts.times(fetches)}
      <p className="hint">
        {texts.last} <Time iso={lastFetchAt} />
      </p>
    </>
  );
}

function State({
  share,
  onRevoke,
}: {
  readonly share: ShareRecord;
  readonly onRevoke: (share: ShareRecord) => void;
}): ReactNode {
  const { shares: texts } = reportWords;
  if (share.revokedAt !== null) return <span className="badge bad">{texts.revoked}</span>;
  if (share.withdrawn) return <span className="badge plain">{reportWords.withdrawn}</span>;
  if (Date.parse(share.expiresAt) <= Date.now()) return <span className="badge plain">{texts.ended}</span>;
  return (
    <button type="button" className="button" onClick={() => onRevoke(share)}>
      {texts.revoke}
    </button>
  );
}

function NewShare({ report, onClose }: { readonly report: ReportRecord; readonly onClose: () => void }): ReactNode {
  const [note, setNote] = useState('');
  const [days, setDays] = useState('7');
  const [form, setForm] = useState<ShareRecord['form']>(report.pdfSha256 === null ? 'package' : 'pdf');
  const make = useNewShare(report.id);
  const { shares: texts } = reportWords;
  const submit = (): void =>
    make.mutate({
      ...{ form, expiresIn: Number(days) * DAY_SECONDS },
      ...(note.trim() === '' ? {} : { note: note.trim() }),
    });
  if (make.data !== undefined) {
    return (
      <Dialog title={texts.made} lead={texts.madeLead} onClose={onClose}>
        <Secret text={make.data.url} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title={texts.newTitle} lead={texts.newLead} onClose={onClose}>
      <DialogForm action={texts.make} isPending={make.isPending} error={make.error} onSubmit={submit} onClose={onClose}>
        <Field
          label={texts.note}
          hint={texts.noteHint}
          maxLength={500}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
        <Choice label={texts.validFor} value={days} options={Object.entries(texts.validTimes)} onChange={setDays} />
        {report.pdfSha256 === null ? null : (
          <Choice
            label={texts.form}
            value={form}
            options={[
              ['pdf', texts.forms.pdf],
              ['package', texts.forms.package],
            ]}
            onChange={(value) => setForm(value === 'pdf' ? 'pdf' : 'package')}
          />
        )}
      </DialogForm>
    </Dialog>
  );
}
