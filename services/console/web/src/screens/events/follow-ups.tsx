import { useState } from 'react';
import type { ReactNode } from 'react';
import type { EventDetail, Role } from '@countersign/contracts';
import { hrefOf } from '../../location.js';
import { Foreign } from '../../parts/foreign.js';
import { Card } from '../../parts/page.js';
import { Time } from '../../parts/time.js';
import { words } from '../../words/en.js';
import { followUpWords } from '../../words/follow-ups.js';
import { FollowUpDialog } from './follow-up-dialog.js';

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
      {isAdding ? (
        <FollowUpDialog title={followUpWords.add} eventIds={[event.eventId]} onClose={() => setAdding(false)} />
      ) : null}
    </Card>
  );
}
