import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OtherLayout, openDatabase } from '@countersign/document-store';
import { appenderTo } from '../testing/appender-to.js';
import { ACCOUNT, BY_RULE, denied, envelope, eventId, other, traceId } from '../testing/envelopes.js';
import { acknowledgementsContract } from '../acknowledge/acknowledgements.contract.js';
import { followUpsContract } from '../follow-ups/follow-ups.contract.js';
import { erasuresContract } from './erasures.contract.js';
import { inspectArchive } from './inspect.js';
import { inspectionContract } from './inspection.contract.js';
import type { EventStore } from './port.js';
import { MIGRATIONS } from './schema.js';
import { SqliteEventStore } from './sqlite.js';
import { eventStoreContract } from './store.contract.js';
import { countsContract } from './counts.contract.js';
import { inboxesContract } from './inboxes.contract.js';
import { arrivalsContract } from './arrivals.contract.js';
import { keysetContract } from './keyset.contract.js';

let directory = '';
const file = (): string => join(directory, 'events.db');

const backend = {
  async open() {
    directory = mkdtempSync(join(tmpdir(), 'audit-log-'));
    return new SqliteEventStore(file());
  },
  async reopen(store: EventStore) {
    await store.close();
    return new SqliteEventStore(file());
  },
  inspect: () => inspectArchive({ file: file() }),
  async clean() {
    rmSync(directory, { recursive: true, force: true });
  },
};

eventStoreContract('sqlite', backend);
arrivalsContract('sqlite', backend);
keysetContract('sqlite', backend);
countsContract('sqlite', backend);
inboxesContract('sqlite', backend);
acknowledgementsContract('sqlite', backend);
followUpsContract('sqlite', backend);
erasuresContract('sqlite', backend);
inspectionContract('sqlite', backend);

/** Leads from the newest layout to that of the release before counts by rule. */
const WITHOUT_RULES = `DROP INDEX windows_by_root; DROP INDEX windows_by_transaction; DROP INDEX agent_windows_by_window;
  DROP INDEX events_by_rule; ALTER TABLE events DROP COLUMN rule`;

describe('a file of the release before traces', () => {
  it('finds its events by their traces once it is opened', async () => {
    const store = await backend.open();
    await appenderTo(() => store)(envelope(1, { v2: true, trace: 7 }), envelope(2), envelope(3, { v2: true }));
    await store.close();
    const database = openDatabase(file(), MIGRATIONS);
    database.exec(`${WITHOUT_RULES}; DROP INDEX events_denied_by_people; DROP INDEX events_by_trace`);
    database.exec('ALTER TABLE events DROP COLUMN trace');
    database.pragma('user_version = 3');
    database.close();
    const opened = new SqliteEventStore(file());
    const { events } = await opened.pageAfter(ACCOUNT, { trace: traceId(7) }, null, 5);
    expect(events.map(({ leaf }) => leaf.eventId)).toEqual([eventId(1)]);
    await opened.close();
    await backend.clean();
  });
});

describe('a file of the release before counts by rule', () => {
  it('counts its events by their rules once it is opened, also beside a damaged one', async () => {
    const store = await backend.open();
    await appenderTo(() => store)(envelope(1), denied(2), denied(3), denied(4));
    await store.close();
    const database = openDatabase(file(), MIGRATIONS);
    database.exec(WITHOUT_RULES);
    database.exec(`UPDATE events SET leaf = substr(leaf, 2) WHERE n = (SELECT max(n) FROM events)`);
    database.pragma('user_version = 5');
    database.close();
    const opened = new SqliteEventStore(file());
    const [counted] = await opened.countSteps(ACCOUNT, BY_RULE);
    expect(counted).toMatchObject({ rule: 'allowed_apis:', count: 2 });
    await opened.close();
    await backend.clean();
  });
});

describe('a file of the release whose inbox had denials by people', () => {
  it('leaves them out once it is opened', async () => {
    const store = await backend.open();
    const byPerson = other(2, 'approval.decided', { refersTo: eventId(1), v2: true, leaf: { outcome: 'denied' } });
    await appenderTo(() => store)(denied(1), byPerson);
    await store.close();
    const database = openDatabase(file(), MIGRATIONS);
    database.exec(`${WITHOUT_RULES}; DROP INDEX events_denied_by_people`);
    database.pragma('user_version = 4');
    database.close();
    const opened = new SqliteEventStore(file());
    expect((await opened.inbox(ACCOUNT)).openCount).toBe(1);
    await opened.close();
    await backend.clean();
  });
});

describe('inspection of a file', () => {
  it('refuses one that an earlier release wrote last, and leaves it as it is', async () => {
    await (await backend.open()).close();
    const database = openDatabase(file(), MIGRATIONS);
    database.pragma(`user_version = ${MIGRATIONS.length - 1}`);
    database.close();
    await expect(inspectArchive({ file: file() })).rejects.toThrow(OtherLayout);
    await backend.clean();
  });

  it('names rows that contradict others', async () => {
    await (await backend.open()).close();
    const database = openDatabase(file(), MIGRATIONS);
    database.exec(`INSERT INTO openings VALUES (7, '{}'); INSERT INTO accounts (id, acknowledged_n) VALUES ('a', 9)`);
    database.close();
    const inspection = await inspectArchive({ file: file() });
    const found: string[] = [];
    for await (const { place, problem } of inspection.problems()) found.push(`${place}: ${problem}`);
    expect(found).toEqual([
      'accounts a: the acknowledgement is beyond its events, or has no time',
      'openings 7: it opens no event',
    ]);
    await inspection.close();
    await backend.clean();
  });
});
