import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventEnvelope, TopicName, VersionedRecord } from '@countersign/contracts';
import { InProcessCounters } from '@countersign/counters';
import { LogRefused, openSqliteLog } from '@countersign/event-log';
import type { EventLog } from '@countersign/event-log';
import { createLogger } from '@countersign/process';
import { Announcer, OutboxRelay } from '@countersign/topics';
import { killAt } from '@countersign/test-kit';
import type { ServiceContext } from '@countersign/service-kit';
import { revoked } from './domain/members.js';
import { apiKeyOf } from './issue-api-keys/api-keys.js';
import { accountOperator } from './operate/account-operator.js';
import { OneTimeLinks } from './sign-in/one-time-links.js';
import { Publication } from './publication.js';
import { FIRST } from './service.test-context.js';
import { openSqliteIdentityStore } from './store/open.js';
import type { IdentityStore } from './store/port.js';
import { byUser, keyCreated, keyRevoked } from './trail/acts.js';
import { Trail } from './trail/trail.js';

interface Outside {
  readonly store: IdentityStore;
  readonly eventLog: EventLog;
  readonly counters: InProcessCounters;
}

function run({ store, eventLog, counters }: Outside) {
  const config = { anchorWindowSeconds: 1 };
  const log = createLogger('silent');
  const context = { eventLog, counters, log, config, clock: () => 1 } as unknown as ServiceContext;
  const announcer = new Announcer(context, new OutboxRelay(context, store.outbox), store.announcements);
  const publication = new Publication(context, store, announcer, new Trail(context, store));
  const links = new OneTimeLinks(context.clock);
  return {
    announcer,
    publication,
    operator: accountOperator(context, store, publication, links, { forOperator: () => Promise.resolve(null) }),
  };
}

/** The acts about a key in the trail of the account, each event once. */
async function actsAbout(eventLog: EventLog, key: string): Promise<string[]> {
  const events = (await eventLog.read('agent-events', 0, 0, 1000)).map(
    ({ value }) => JSON.parse(Buffer.from(value).toString()) as EventEnvelope,
  );
  const about = events.filter(({ openings }) => JSON.stringify(openings).includes(`"id":"${key}"`));
  return [...new Map(about.map(({ leaf }) => [leaf.eventId, leaf.type])).values()];
}

async function versions(eventLog: EventLog, topic: TopicName): Promise<Map<string, number>> {
  const records = await eventLog.read(topic, 0, 0, 1000);
  const newest = new Map<string, number>();
  for (const { value } of records) {
    const { id, version } = JSON.parse(Buffer.from(value).toString()) as VersionedRecord<object>;
    expect(version).toBeGreaterThanOrEqual(newest.get(id) ?? 0);
    newest.set(id, version);
  }
  return newest;
}

describe('publishing a change', () => {
  let directory: string;
  let outside: Outside;
  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'identity-killed-'));
    const eventLog = await openSqliteLog({ file: join(directory, 'log.db') });
    outside = { store: await open(), eventLog, counters: new InProcessCounters() };
  });
  afterEach(async () => {
    await outside.store.close();
    await outside.eventLog.close();
    rmSync(directory, { recursive: true });
  });
  const open = (): Promise<IdentityStore> => openSqliteIdentityStore(join(directory, 'identity.sqlite'));

  it.each(['before', 'after'] as const)('killed %s any line: nothing is lost or published twice', async (moment) => {
    const { eventLog, counters } = outside;
    await run(outside).operator.createFirst(FIRST);
    let lines = 0;
    for (let n = 1; n < 40; n += 1) {
      const id = `key-${moment}-${n}`;
      const key = apiKeyOf(
        id,
        { accountId: FIRST.accountId, name: id, createdBy: FIRST.userId },
        `secret ${id}`,
        '2026-03-01T00:00:00.000Z',
        {},
      );
      const kill = killAt(n, moment);
      const dying = run({
        store: kill.wrap(outside.store),
        eventLog: kill.wrap(eventLog),
        counters: kill.wrap(counters),
      });
      try {
        const by = byUser(FIRST.userId);
        await dying.publication.write({ apiKeys: [key], acts: [keyCreated(key, by)] });
        const ended = revoked(key, '2026-03-02T00:00:00.000Z');
        await dying.publication.write({ apiKeys: [ended], acts: [keyRevoked(key, by)] });
      } catch {
        // killed
      }
      const happened = kill.happened;
      await dying.announcer.stop();
      await outside.store.close();
      outside = { ...outside, store: await open() };
      await run(outside).announcer.start();
      const stored = (await outside.store.apiKey(id))?.version ?? 0;
      expect((await versions(eventLog, 'api-keys')).get(id) ?? 0).toBe(stored);
      expect(await actsAbout(eventLog, id)).toEqual(['account.key_created', 'account.key_revoked'].slice(0, stored));
      expect((await counters.version('api-key', id)) ?? 0).toBe(stored);
      expect(await counters.version('api-key', key.facts.sha256)).toBe(stored === 0 ? null : 1);
      expect(await outside.store.outbox.pending(10)).toEqual([]);
      expect(await outside.store.announcements.unannounced(10)).toEqual([]);
      if (!happened) break;
      lines = n;
    }
    expect(lines).toBeGreaterThan(8);
    expect(lines).toBeLessThan(39);
  });

  it('creates the whole first account although it was killed in between', async () => {
    for (let n = 1; n < 12; n += 1) {
      const kill = killAt(n, 'after');
      const dying = run({
        store: kill.wrap(outside.store),
        eventLog: kill.wrap(outside.eventLog),
        counters: kill.wrap(outside.counters),
      });
      await dying.operator.createFirst(FIRST).catch(() => undefined);
      await dying.announcer.stop();
    }
    await run(outside).operator.createFirst(FIRST);
    expect(await outside.store.account(FIRST.accountId)).toMatchObject({ version: 1 });
    expect(await outside.store.user(FIRST.userId)).toMatchObject({ version: 1, email: FIRST.email });
    expect(await versions(outside.eventLog, 'api-keys')).toEqual(new Map([[FIRST.apiKeyId, 1]]));
    expect(await outside.counters.version('account', FIRST.accountId)).toBe(1);
  });

  it('answers 503 while the log refuses, and publishes once it accepts', async () => {
    const { publication, announcer } = run(outside);
    await run(outside).operator.createFirst(FIRST);
    const append = outside.eventLog.append.bind(outside.eventLog);
    outside.eventLog.append = () => Promise.reject(new LogRefused('full'));
    const key = apiKeyOf(
      'key',
      { accountId: FIRST.accountId, name: 'key', createdBy: FIRST.userId },
      'secret',
      '2026-03-01T00:00:00.000Z',
      {},
    );
    await expect(publication.write({ apiKeys: [key] })).rejects.toMatchObject({ status: 503 });
    expect(announcer.problem()).not.toBeNull();
    outside.eventLog.append = append;
    await announcer.announce();
    expect(await outside.counters.version('api-key', 'key')).toBe(1);
  });
});
