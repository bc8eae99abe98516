import { useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import type { EventRecord, Role } from '@countersign/contracts';
import { acknowledgeAlerts, openAlertsNow, readAlertsAgain, useAlerts } from '../../api/alerts.js';
import { useAgentNames } from '../../api/agents.js';
import { useShortcuts } from '../../keyboard.js';
import { hrefOf } from '../../location.js';
import { Confirm } from '../../parts/confirm.js';
import { Foreign } from '../../parts/foreign.js';
import { Empty, Page } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Table } from '../../parts/table.js';
import type { Column } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { alertWords } from '../../words/alerts.js';
import { words } from '../../words/en.js';
import { actionLine, agentName, outcomeOf } from '../events/event-words.js';
import { AlertParts } from './alert-parts.js';

/** Checks that were denied since the last acknowledgement. */
export function Inbox({ role }: { readonly role: Role }): ReactNode {
  const pages = useAlerts();
  const names = useAgentNames();
  const [isAsking, setAsking] = useState(false);
  const [arrived, setArrived] = useState(0);
  const alerts = useMemo(() => {
    const found = new Map<string, EventRecord>();
    for (const page of pages.data?.pages ?? []) for (const alert of page.alerts) found.set(alert.eventId, alert);
    return pages.data === undefined ? undefined : [...found.values()];
  }, [pages.data]);
  const first = pages.data?.pages[0];
  const open = first?.openCount ?? 0;
  const mayClose = role !== 'auditor';
  const ask = (): void => (mayClose && open > 0 ? setAsking(true) : undefined);
  useShortcuts({ e: ask });
  // What arrived after the list was read is not closed unread.
  const close = async (): Promise<void> => {
    const now = await openAlertsNow();
    setArrived(Math.max(0, now - open));
    await (now > open ? readAlertsAgain() : acknowledgeAlerts());
  };
  return (
    <Page
      title={alertWords.title}
      {...(first === undefined ? {} : { count: alertWords.count(open) })}
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
      {pages.error === null ? null : (
        <Problem what={alertWords.failed} error={pages.error} retry={() => void pages.refetch()} />
      )}
      {arrived === 0 ? null : (
        <p className="offline" role="status">
          {alertWords.arrived(arrived)}
        </p>
      )}
      {alerts?.length === 0 ? (
        <Empty title={alertWords.empty}>
          <p>
            {first?.acknowledgedAt ? (
              <>
                {alertWords.emptySince} <Time iso={first.acknowledgedAt} zone />.
              </>
            ) : (
              alertWords.emptyLead
            )}
          </p>
        </Empty>
      ) : pages.error !== null && alerts === undefined ? null : (
        <Table label={alertWords.table} columns={columnsOf(names)} rows={alerts} keyOf={({ eventId }) => eventId} />
      )}
      {pages.hasNextPage ? (
        <button type="button" className="button more" onClick={() => void pages.fetchNextPage()}>
          {words.more}
        </button>
      ) : null}
      {isAsking ? (
        <Confirm
          title={alertWords.acknowledgeTitle(open)}
          lead={alertWords.acknowledgeLead}
          action={alertWords.acknowledge}
          run={close}
          onClose={() => setAsking(false)}
        />
      ) : null}
    </Page>
  );
}

function columnsOf(names: ReadonlyMap<string, string>): readonly Column<EventRecord>[] {
  const { columns } = alertWords;
  return [
    { name: columns.time, cell: ({ occurredAt }) => <Time iso={occurredAt} /> },
    {
      name: columns.outcome,
      cell: (event) => {
        const { label, tone } = outcomeOf(event);
        return (
          <>
            <span className={`badge ${tone}`}>{label}</span>
            {event.severity === null ? null : <span className="severity">{event.severity}</span>}
          </>
        );
      },
    },
    { name: columns.agent, cell: ({ agentId }) => <Foreign text={agentName(agentId, names)} most={80} /> },
    {
      name: columns.action,
      cell: (event) => {
        const line = actionLine(event);
        return <span className="mono">{line === null ? '–' : <Foreign text={line} most={160} />}</span>;
      },
    },
    {
      name: columns.reason,
      cell: ({ reason }) =>
        reason === null ? (
          '–'
        ) : (
          <span className="clamp">
            <Foreign text={reason} most={200} />
          </span>
        ),
    },
    {
      name: columns.open,
      isUnnamed: true,
      cell: ({ eventId }) => <a href={hrefOf(`/events/${eventId}`)}>{alertWords.open}</a>,
    },
  ];
}
