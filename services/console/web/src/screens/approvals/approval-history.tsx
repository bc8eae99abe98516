import type { ReactNode } from 'react';
import type { EventRecord } from '@countersign/contracts';
import { LOOKED_THROUGH, useEventsUntil } from '../../api/events.js';
import type { ShownApproval } from '../../api/approvals.js';
import { hrefOf } from '../../location.js';
import { Foreign } from '../../parts/foreign.js';
import { Card } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Table } from '../../parts/table.js';
import type { Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { approvalWords } from '../../words/approvals.js';
import { actionLine, outcomeOf } from '../events/event-words.js';
import { sessionOf } from './session-of.js';

const SHOWN = 10;
const texts = approvalWords.history;

/**
 * Events of the agent before it asked, newest first: of the session that its action names in `metadata`, if any. One that
 * came by header or token is not in the action, nor in the list of events, so nothing can be found by it. Later events
 * are left out, because an agent that waits may send the same check again and again.
 */
export function ApprovalHistory({
  approval,
  requestedAt,
}: {
  readonly approval: ShownApproval;
  readonly requestedAt: string;
}): ReactNode {
  const found = useEventsUntil(approval.agent_id, requestedAt);
  const session = sessionOf(approval.action);
  const earlier = found.data
    ?.filter(
      (event) =>
        event.eventId !== approval.event_id &&
        event.refersTo !== approval.event_id &&
        (session === null || sessionOf(event.action) === session),
    )
    .slice(0, SHOWN);
  return (
    <Card title={session === null ? texts.ofAgent : texts.ofSession}>
      {session === null ? (
        <p className="lead">{texts.noSession}</p>
      ) : (
        <p className="lead">
          {texts.session} <Foreign text={session} most={80} />. {texts.bySession}
        </p>
      )}
      {found.error === null ? null : (
        <Problem what={texts.failed} error={found.error} retry={() => void found.refetch()} />
      )}
      {earlier?.length === 0 ? (
        <p className="muted">{session === null ? texts.empty : texts.emptySession(LOOKED_THROUGH)}</p>
      ) : found.error !== null && earlier === undefined ? null : (
        <Table label={texts.table} columns={COLUMNS} rows={earlier} keyOf={({ eventId }) => eventId} />
      )}
    </Card>
  );
}

const COLUMNS: readonly Column<EventRecord>[] = [
  { name: texts.columns.time, cell: ({ occurredAt }) => <Time iso={occurredAt} /> },
  {
    name: texts.columns.outcome,
    cell: (event) => {
      const { label, tone } = outcomeOf(event);
      return (
        <span>
          <span className={`badge ${tone}`}>{label}</span>
        </span>
      );
    },
  },
  {
    name: texts.columns.action,
    cell: (event) => {
      const line = actionLine(event);
      return (
        <a href={hrefOf(`/events/${event.eventId}`)}>
          {line === null ? texts.noContent : <Foreign text={line} most={120} />}
        </a>
      );
    },
  },
];
