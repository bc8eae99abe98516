import { useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { AlertGroup, Role } from '@countersign/contracts';
import { acknowledgeAlerts, useAlertGroups } from '../../api/alerts.js';
import { useAgentNames } from '../../api/agents.js';
import { useShortcuts } from '../../keyboard.js';
import { hrefOf } from '../../location.js';
import { Dialog } from '../../parts/dialog.js';
import { DialogForm } from '../../parts/dialog-form.js';
import { Field } from '../../parts/field.js';
import { Foreign } from '../../parts/foreign.js';
import { Empty, Page } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Table } from '../../parts/table.js';
import type { Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { alertWords } from '../../words/alerts.js';
import { number, words } from '../../words/en.js';
import { followUpWords } from '../../words/follow-ups.js';
import { agentName, outcomeOf } from '../events/event-words.js';
import { AlertParts } from './alert-parts.js';

/** Checks that were denied since the last acknowledgement, those of the same agent, violation and rule together. */
export function Inbox({ role }: { readonly role: Role }): ReactNode {
  const inbox = useAlertGroups();
  const names = useAgentNames();
  /** The groups that the question speaks of, whatever is read meanwhile. */
  const [asked, setAsked] = useState<{ readonly count: number; readonly place: string } | null>(null);
  const [left, setLeft] = useState(0);
  const { groups, grouped = 0, openCount: open = 0, acknowledgedAt, place } = inbox.data ?? {};
  const mayClose = role !== 'auditor';
  const ask = (): void => (mayClose && open > 0 ? setAsked({ count: open, place: place! }) : undefined);
  useShortcuts({ e: ask });
  return (
    <Page
      title={alertWords.title}
      {...(inbox.data === undefined ? {} : { count: alertWords.count(open) })}
      actions={
        open === 0 ? null : (
          <button
            type="button"
            className="button"
            aria-disabled={!mayClose}
            title={mayClose ? undefined : words.needs('member', role)}
            onClick={ask}
          >
            {alertWords.acknowledge}
          </button>
        )
      }
    >
      <AlertParts current="" />
      {inbox.error === null ? null : (
        <Problem what={alertWords.failed} error={inbox.error} retry={() => void inbox.refetch()} />
      )}
      {left === 0 ? null : (
        <p className="offline" role="status">
          {alertWords.arrived(left)}
        </p>
      )}
      {groups?.length === 0 ? (
        <Empty title={alertWords.empty}>
          <p>
            {acknowledgedAt ? (
              <>
                {alertWords.emptySince} <Time iso={acknowledgedAt} zone />.
              </>
            ) : (
              alertWords.emptyLead
            )}
          </p>
        </Empty>
      ) : inbox.error !== null && groups === undefined ? null : (
        <Table
          label={alertWords.table}
          columns={columnsOf(names)}
          rows={groups}
          keyOf={({ newest }) => newest.eventId}
        />
      )}
      {open > grouped ? <p className="note">{alertWords.more(grouped)}</p> : null}
      {asked === null ? null : <Acknowledge {...asked} onDone={setLeft} onClose={() => setAsked(null)} />}
    </Page>
  );
}

/** Asks for a note before alerts are closed. */
function Acknowledge({
  count,
  place,
  onDone,
  onClose,
}: {
  readonly count: number;
  readonly place: string;
  readonly onDone: (left: number) => void;
  readonly onClose: () => void;
}): ReactNode {
  const [note, setNote] = useState('');
  const closing = useMutation({ mutationFn: () => acknowledgeAlerts(place, note.trim()) });
  return (
    <Dialog title={alertWords.acknowledgeTitle(count)} lead={alertWords.acknowledgeLead} onClose={onClose}>
      <DialogForm
        action={alertWords.acknowledge}
        isPending={closing.isPending}
        error={closing.error}
        onSubmit={() =>
          closing.mutate(undefined, {
            onSuccess: (left) => {
              onDone(left);
              onClose();
            },
          })
        }
        onClose={onClose}
      >
        <Field
          label={alertWords.note}
          hint={alertWords.noteHint}
          maxLength={2_000}
          value={note}
          onChange={(event) => setNote(event.target.value)}
        />
      </DialogForm>
    </Dialog>
  );
}

function columnsOf(names: ReadonlyMap<string, string>): readonly Column<AlertGroup>[] {
  const { columns } = alertWords;
  return [
    { name: columns.count, isNumber: true, cell: ({ count }) => number(count) },
    {
      name: columns.outcome,
      cell: ({ newest, severity }) => {
        const { label, tone } = outcomeOf(newest);
        return (
          <span>
            <span className={`badge ${tone}`}>{label}</span>
            {severity === null ? null : <span className="severity">{severity}</span>}
          </span>
        );
      },
    },
    { name: columns.agent, cell: ({ agentId }) => <Foreign text={agentName(agentId, names)} most={80} /> },
    {
      name: columns.rule,
      cell: ({ rule, violation_type: violation }) => (
        <span className="mono">
          <Foreign text={rule ?? violation ?? '–'} most={80} />
        </span>
      ),
    },
    {
      name: columns.reason,
      cell: ({ newest: { reason } }) =>
        reason === null ? (
          '–'
        ) : (
          <span className="clamp">
            <Foreign text={reason} most={200} />
          </span>
        ),
    },
    {
      name: columns.times,
      cell: ({ count, firstAt, lastAt }) => (
        <span>
          {count === 1 ? null : (
            <>
              <Time iso={firstAt} /> –<br />
            </>
          )}
          <Time iso={lastAt} />
        </span>
      ),
    },
    {
      name: columns.open,
      isUnnamed: true,
      cell: ({ newest, agentId: agent, outcome, violation_type: violation, rule }) => (
        <span className="row-links">
          <a href={hrefOf('/alerts/refused', { agent, outcome, violation, rule })}>{followUpWords.list.act}</a>
          <a href={hrefOf(`/events/${newest.eventId}`)}>{alertWords.open}</a>
        </span>
      ),
    },
  ];
}
