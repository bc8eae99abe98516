import { useState } from 'react';
import type { ReactNode } from 'react';
import type { LegalHoldRecord } from '@countersign/contracts';
import { useAgents } from '../../api/agents.js';
import { useNewHold, useRelease } from '../../api/legal-holds.js';
import { shownText } from '../../foreign-text.js';
import { Dialog } from '../../parts/dialog.js';
import { DialogForm } from '../../parts/dialog-form.js';
import { Choice, Field } from '../../parts/field.js';
import { holdWords } from '../../words/legal-holds.js';

const LONGEST_REASON = 2_000;

/** Asks what is to be held, and why. */
export function NewHold({ onClose }: { readonly onClose: () => void }): ReactNode {
  const [name, setName] = useState('');
  const [reason, setReason] = useState('');
  const [agent, setAgent] = useState('');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const { data: agents = [] } = useAgents();
  const place = useNewHold();
  const submit = (): void =>
    place.mutate(
      {
        ...{ name: name.trim(), reason: reason.trim() },
        ...(agent === '' ? {} : { agents: [agent] }),
        ...(from === '' ? {} : { from: `${from}:00Z` }),
        ...(to === '' ? {} : { to: `${to}:00Z` }),
      },
      { onSuccess: onClose },
    );
  return (
    <Dialog title={holdWords.newTitle} lead={holdWords.newLead} onClose={onClose}>
      <DialogForm
        action={holdWords.add}
        isPending={place.isPending}
        isBlocked={name.trim() === '' || reason.trim() === ''}
        error={place.error}
        onSubmit={submit}
        onClose={onClose}
      >
        <Field
          label={holdWords.name}
          hint={holdWords.nameHint}
          required
          maxLength={128}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Field
          label={holdWords.reason}
          hint={holdWords.reasonHint}
          required
          maxLength={LONGEST_REASON}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        <Choice
          label={holdWords.agent}
          value={agent}
          options={[
            ['', holdWords.everything],
            ...agents.map((one) => [one.id, shownText(one.name, 60).text] as const),
          ]}
          onChange={setAgent}
        />
        <Field
          label={holdWords.fromTime}
          type="datetime-local"
          value={from}
          onChange={(event) => setFrom(event.target.value.slice(0, 16))}
        />
        <Field
          label={holdWords.toTime}
          type="datetime-local"
          value={to}
          onChange={(event) => setTo(event.target.value.slice(0, 16))}
        />
      </DialogForm>
    </Dialog>
  );
}

/** Asks why the hold is released. */
export function ReleaseHold({
  hold,
  onClose,
}: {
  readonly hold: LegalHoldRecord;
  readonly onClose: () => void;
}): ReactNode {
  const [reason, setReason] = useState('');
  const release = useRelease(hold.id);
  const title = holdWords.releaseTitle(shownText(hold.name, 100).text);
  return (
    <Dialog title={<bdi>{title}</bdi>} lead={holdWords.releaseLead} onClose={onClose}>
      <DialogForm
        action={holdWords.release}
        isDanger
        isPending={release.isPending}
        isBlocked={reason.trim() === ''}
        error={release.error}
        onSubmit={() => release.mutate(reason.trim(), { onSuccess: onClose })}
        onClose={onClose}
      >
        <Field
          label={holdWords.reason}
          hint={holdWords.reasonHint}
          required
          maxLength={LONGEST_REASON}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </DialogForm>
    </Dialog>
  );
}
