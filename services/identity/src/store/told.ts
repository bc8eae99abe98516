import { versionedRecord } from '@countersign/service-kit';
import type { Announcement } from '@countersign/service-kit';
import type { NewRecord } from '@countersign/event-log';
import type { IdentityWrite } from './port.js';

export interface Told {
  readonly records: readonly NewRecord[];
  readonly announcements: readonly Announcement[];
}

/** What others are told of a change: a record each for the compacted topics, and the versions that no gateway may miss. */
export function toldBy(write: IdentityWrite): Told {
  const { accounts = [], apiKeys = [], sessions = [], removedSessions = [] } = write;
  return {
    records: [
      ...accounts.map(({ id, version, facts }) => versionedRecord('accounts', id, version, facts)),
      ...apiKeys.map(({ id, version, facts }) => versionedRecord('api-keys', id, version, facts)),
      ...sessions.map(({ id, version, facts }) => versionedRecord('sessions', id, version, facts)),
      // Long over: nobody has to wait for it.
      ...removedSessions.map(({ id, version }) => versionedRecord('sessions', id, version + 1, null)),
    ],
    announcements: [
      ...accounts.map(({ id, version }) => ({ kind: 'account', id, version }) as const),
      // Whoever meets a new key before its record knows its hash alone.
      ...apiKeys
        .filter(({ version }) => version === 1)
        .map(({ version, facts }) => ({ kind: 'api-key', id: facts.sha256, version }) as const),
      ...apiKeys.map(({ id, version }) => ({ kind: 'api-key', id, version }) as const),
      ...sessions.map(({ id, version }) => ({ kind: 'session', id, version }) as const),
    ],
  };
}
