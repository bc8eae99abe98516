import type { EventEnvelope } from '@countersign/contracts';
import { versionedRecord } from '@countersign/topics';
import type { Announcement } from '@countersign/topics';
import type { NewRecord } from '@countersign/event-log';
import type { IdentityWrite } from './port.js';

function eventRecord(event: EventEnvelope): NewRecord {
  return { topic: 'agent-events', key: event.leaf.agentId, value: JSON.stringify(event) };
}

export interface Published {
  readonly records: readonly NewRecord[];
  readonly announcements: readonly Announcement[];
}

/** The published form of a change: records for the compacted topics, and the versions that gateways must not miss. */
export function publishedBy(write: IdentityWrite): Published {
  const { accounts = [], apiKeys = [], sessions = [], removedSessions = [], events = [] } = write;
  return {
    records: [
      ...accounts.map(({ id, version, facts }) => versionedRecord('accounts', id, version, facts)),
      ...apiKeys.map(({ id, version, facts }) => versionedRecord('api-keys', id, version, facts)),
      ...sessions.map(({ id, version, facts }) => versionedRecord('sessions', id, version, facts)),
      // It ended long ago: no request depends on it.
      ...removedSessions.map(({ id, version }) => versionedRecord('sessions', id, version + 1, null)),
      ...events.map(eventRecord),
    ],
    announcements: [
      ...accounts.map(({ id, version }) => ({ kind: 'account', id, version }) as const),
      // A gateway that receives a new key before its record knows only its hash.
      ...apiKeys
        .filter(({ version }) => version === 1)
        .map(({ version, facts }) => ({ kind: 'api-key', id: facts.sha256, version }) as const),
      ...apiKeys.map(({ id, version }) => ({ kind: 'api-key', id, version }) as const),
      ...sessions.map(({ id, version }) => ({ kind: 'session', id, version }) as const),
    ],
  };
}
