import type { AlertInspection } from '@countersign/alerts';
import type { ArchiveInspection } from '@countersign/audit-log';
import type { StoredLog } from '@countersign/event-log';
import { LAYOUT } from '../layout.js';
import { newestRecords } from '../newest-records.js';
import { Reached } from '../places.js';
import type { Check } from '../report.js';

/**
 * Accounts of destinations and streams against the topic `accounts`, the events that messages speak of and the places of
 * streams against the archive.
 */
export async function checkAlerts(
  log: StoredLog,
  alerts: AlertInspection,
  archive: ArchiveInspection | null,
  check: Check,
): Promise<void> {
  const accounts = newestRecords(log, 'accounts');
  for await (const { id, accountId: account } of alerts.destinations()) {
    check.examined += 1;
    if ((accounts.get(account)?.digest ?? null) === null)
      check.wrong(`${LAYOUT.alerts} destinations ${id}`, `there is no account ${account}`);
  }
  for await (const { id, accountId: account } of alerts.streams()) {
    check.examined += 1;
    if ((accounts.get(account)?.digest ?? null) === null)
      check.wrong(`${LAYOUT.alerts} streams ${id}`, `there is no account ${account}`);
  }
  await checkPlaces(log, alerts, check);
  if (archive === null) return;
  const position = new Reached(await archive.positions('agent-events'));
  const isWhole = Object.entries(log.endOffsets('agent-events')).every(([p, end]) => position.of(Number(p)) >= end);
  for await (const message of alerts.messages()) {
    const { id } = message;
    check.examined += 1;
    const data = dataOf(message);
    if (data === null) continue;
    const agent = (await archive.find([data.eventId])).get(data.eventId)?.agentId;
    if (agent === undefined && !isWhole) check.behind += 1;
    else if (agent !== data.agentId)
      check.wrong(`${LAYOUT.alerts} messages ${id}`, `it speaks of event ${data.eventId}, which is not the agent's`);
  }
}

/** No stream is beyond the last event of an agent that was published: it would leave out what comes. */
async function checkPlaces(log: StoredLog, alerts: AlertInspection, check: Check): Promise<void> {
  const heads = newestRecords(log, 'agent-heads');
  for await (const { streamId, agentId, sequence } of alerts.streamCursors()) {
    check.examined += 1;
    if (sequence > (heads.get(agentId)?.version ?? 0))
      check.wrong(`${LAYOUT.alerts} stream_cursors ${streamId}/${agentId}`, 'it is beyond the last event of the agent');
  }
}

/** Data of a message about a violation; `null` for others, and for an invalid message, which the inspection names. */
function dataOf({
  type,
  body,
}: {
  readonly type: string;
  readonly body: string;
}): { readonly eventId: string; readonly agentId: string } | null {
  try {
    if (type !== 'violation.blocked') return null;
    return (JSON.parse(body) as { data: { eventId: string; agentId: string } }).data;
  } catch {
    return null;
  }
}
