import { useState } from 'react';
import type { ReactNode } from 'react';
import { useFollowUp } from '../../api/follow-ups.js';
import { Dialog } from '../../parts/dialog.js';
import { DialogForm } from '../../parts/dialog-form.js';
import { Field } from '../../parts/field.js';
import { followUpWords } from '../../words/follow-ups.js';

const LONGEST_NOTE = 2_000;

/** Asks for a note, and records it about each of the checks. */
export function FollowUpDialog({
  title,
  eventIds,
  onDone,
  onClose,
}: {
  /** Also on the button that records it. */
  readonly title: string;
  readonly eventIds: readonly string[];
  readonly onDone?: () => void;
  readonly onClose: () => void;
}): ReactNode {
  const [note, setNote] = useState('');
  const adding = useFollowUp();
  const close = (): void => {
    onDone?.();
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogForm
        action={title}
        isPending={adding.isPending}
        isBlocked={note.trim() === ''}
        error={adding.error}
        onSubmit={() => adding.mutate({ eventIds, note: note.trim() }, { onSuccess: close })}
        onClose={onClose}
      >
        <Field
          label={followUpWords.note}
          hint={followUpWords.noteHint}
          required
          maxLength={LONGEST_NOTE}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
      </DialogForm>
    </Dialog>
  );
}
