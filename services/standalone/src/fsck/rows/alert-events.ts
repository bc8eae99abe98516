import type { StoredLog } from '@countersign/event-log';
import { LAYOUT } from '../layout.js';
import { newestRecords } from '../newest-records.js';
import type { Store } from '../open-stores.js';
import { Reached } from '../places.js';
import type { Check } from '../report.js';

interface MessageRow {
  readonly id: string;
  readonly body: string;
}

/** Accounts of destinations against the topic `accounts`, and the events that messages speak of against the archive. */
export function checkAlerts(log: StoredLog, alerts: Store, archive: Store | null, check: Check): void {
  const accounts = newestRecords(log, 'accounts');
  const destinations = alerts.prepare<[], { id: string; account: string }>(
    'SELECT id, account_id AS account FROM destinations',
  );
  for (const { id, account } of destinations.iterate()) {
    check.examined += 1;
    if ((accounts.get(account)?.digest ?? null) === null)
      check.wrong(`${LAYOUT.alerts} destinations ${id}`, `there is no account ${account}`);
  }
  if (archive === null) return;
  const agentOf = archive
    .prepare<[Buffer], string>('SELECT a.id FROM events e JOIN agents a ON a.n = e.agent_n WHERE e.event_id = ?')
    .pluck();
  const position = Reached.in(archive, 'agent-events');
  const isWhole = Object.entries(log.endOffsets('agent-events')).every(([p, end]) => position.of(Number(p)) >= end);
  for (const { id, body } of alerts.prepare<[], MessageRow>('SELECT id, body FROM messages').iterate()) {
    check.examined += 1;
    const data = dataOf(body);
    if (data === null) continue;
    const agent = agentOf.get(Buffer.from(data.eventId.replaceAll('-', ''), 'hex'));
    if (agent === undefined && !isWhole) check.behind += 1;
    else if (agent !== data.agentId)
      check.wrong(`${LAYOUT.alerts} messages ${id}`, `it speaks of event ${data.eventId}, which is not the agent's`);
  }
}

/** What a message about a violation says; `null` for others, and for what is no message, which its rows say. */
function dataOf(body: string): { readonly eventId: string; readonly agentId: string } | null {
  try {
    const { type, body: sent } = JSON.parse(body) as { type: string; body: string };
    if (type !== 'violation.blocked') return null;
    return (JSON.parse(sent) as { data: { eventId: string; agentId: string } }).data;
  } catch {
    return null;
  }
}
