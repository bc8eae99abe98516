import { useState } from 'react';
import type { ReactNode } from 'react';
import type { EventDetail, Role } from '@countersign/contracts';
import { useFollowUp } from '../../api/follow-ups.js';
import { hrefOf } from '../../location.js';
import { Dialog } from '../../parts/dialog.js';
import { DialogForm } from '../../parts/dialog-form.js';
import { Field } from '../../parts/field.js';
import { Foreign } from '../../parts/foreign.js';
import { Card } from '../../parts/page.js';
import { Time } from '../../parts/time.js';
import { words } from '../../words/en.js';
import { followUpWords } from '../../words/follow-ups.js';

const LONGEST_NOTE = 2_000;

/** The notes about a refused check, and a button to add one. */
export function FollowUps({ event, role }: { readonly event: EventDetail; readonly role: Role }): ReactNode {
  const [isAdding, setAdding] = useState(false);
  const mayAdd = role !== 'auditor';
  return (
    <Card
      title={followUpWords.title}
      lead={followUpWords.lead}
      actions={
        <button
          type="button"
          className="button"
          aria-disabled={!mayAdd}
          title={mayAdd ? undefined : words.needs('member', role)}
          onClick={() => setAdding(mayAdd)}
        >
          {followUpWords.add}
        </button>
      }
    >
      {event.followUps.length === 0 ? <p className="muted">{followUpWords.none}</p> : null}
      {event.followUps.map(({ id, at, by, note }) => (
        <div key={id}>
          <p>
            {note === null ? (
              <span className="muted">{followUpWords.erased}</span>
            ) : (
              <Foreign text={note} most={2_000} />
            )}
          </p>
          <p className="hint">
            <a href={hrefOf(`/events/${id}`)}>
              <Time iso={at} zone />
            </a>{' '}
            {followUpWords.by} <Foreign text={by.id ?? by.kind} most={80} />
          </p>
        </div>
      ))}
      {isAdding ? <NewNote eventId={event.eventId} onClose={() => setAdding(false)} /> : null}
    </Card>
  );
}

function NewNote({ eventId, onClose }: { readonly eventId: string; readonly onClose: () => void }): ReactNode {
  const [note, setNote] = useState('');
  const adding = useFollowUp(eventId);
  return (
    <Dialog title={followUpWords.add} onClose={onClose}>
      <DialogForm
        action={followUpWords.add}
        isPending={adding.isPending}
        isBlocked={note.trim() === ''}
        error={adding.error}
        onSubmit={() => adding.mutate(note.trim(), { onSuccess: onClose })}
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
