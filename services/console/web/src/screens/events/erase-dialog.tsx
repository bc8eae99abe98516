import { useState } from 'react';
import type { ReactNode } from 'react';
import { useErasure, useOpeningReports } from '../../api/erasure.js';
import { Dialog } from '../../parts/dialog.js';
import { DialogForm } from '../../parts/dialog-form.js';
import { Field } from '../../parts/field.js';
import { Foreign } from '../../parts/foreign.js';
import { Problem } from '../../parts/problem.js';
import { Time } from '../../parts/time.js';
import { erasureWords } from '../../words/erasure.js';
import { words } from '../../words/en.js';

const LONGEST_REASON = 500;

/** Shows which reports the erasure withdraws, and asks why the content is erased. */
export function EraseDialog({
  eventId,
  onClose,
}: {
  readonly eventId: string;
  readonly onClose: () => void;
}): ReactNode {
  const [reason, setReason] = useState('');
  const opening = useOpeningReports(eventId);
  const erase = useErasure(eventId);
  return (
    <Dialog title={erasureWords.title} lead={erasureWords.lead} onClose={onClose}>
      <DialogForm
        action={erasureWords.action}
        isDanger
        isPending={erase.isPending}
        isBlocked={reason.trim() === '' || opening.data === undefined}
        error={erase.error}
        onSubmit={() => erase.mutate(reason.trim(), { onSuccess: onClose })}
        onClose={onClose}
      >
        {opening.error === null ? (
          <Withdrawn opening={opening.data} />
        ) : (
          <Problem what={erasureWords.failed} error={opening.error} retry={() => void opening.refetch()} />
        )}
        <Field
          label={erasureWords.reason}
          hint={erasureWords.reasonHint}
          required
          maxLength={LONGEST_REASON}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </DialogForm>
    </Dialog>
  );
}

function Withdrawn({ opening }: { readonly opening: ReturnType<typeof useOpeningReports>['data'] }): ReactNode {
  if (opening === undefined) {
    return (
      <p className="late" role="status">
        {words.loading}
      </p>
    );
  }
  const { reports, total } = opening;
  if (total === 0) return <p>{erasureWords.none}</p>;
  return (
    <>
      <p>{erasureWords.withdraws(total)}</p>
      <ul>
        {reports.map(({ id, createdAt, title }) => (
          <li key={id}>
            <Time iso={createdAt} zone /> {title === null ? <code>{id}</code> : <Foreign text={title} most={120} />}
          </li>
        ))}
        {total > reports.length ? <li>{erasureWords.more(total - reports.length)}</li> : null}
      </ul>
    </>
  );
}
