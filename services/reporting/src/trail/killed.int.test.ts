import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccountFacts, EventEnvelope } from '@countersign/contracts';
import { openSqliteLog, type EventLog } from '@countersign/event-log';
import { createLogger } from '@countersign/process';
import { actRecorder } from '@countersign/service-kit';
import { killAt } from '@countersign/test-kit';
import { OutboxRelay, type Projection } from '@countersign/topics';
import type { Directory } from '../directory.js';
import type { Issuer } from '../issue-report/issue.js';
import { Reports } from '../reports.js';
import { ReportShares } from '../sharing/report-shares.js';
import { openSqliteReportStore } from '../store/open.js';
import type { ReportStore } from '../store/port.js';
import { report } from '../store/store.contract.js';

const ACCOUNT = '2b0c1f5e-6f0a-4c1d-8a3e-5d7f9b1c2e4a';
const CALLER = {
  accountId: ACCOUNT,
  userId: 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa',
  email: 'ana@example.com',
  role: 'admin',
} as const;
const NOW = Date.parse('2026-03-02T12:00:00.000Z');
const MOST_LINES = 30;
const log = createLogger('silent');

interface Parts {
  readonly reports: Reports;
  readonly shares: ReportShares;
}

function partsOf(store: ReportStore, eventLog: EventLog): Parts {
  const context = { counters: { now: async () => NOW }, config: { anchorWindowSeconds: 1 }, log } as never;
  const relay = new OutboxRelay({ eventLog, log }, store);
  const issuer = {
    ...{ store, blobs: {}, publicUrl: () => 'https://countersign.example', now: async () => NOW },
    flush: () => relay.flush(),
    recorded: actRecorder(context, {} as Projection<AccountFacts>),
  } as unknown as Issuer;
  return { reports: new Reports(issuer, {} as Directory), shares: new ReportShares(issuer, log) };
}

type Step = (parts: Parts, id: string) => Promise<unknown>;
/** True if the stored state shows the change. */
type Look = (store: ReportStore, id: string) => Promise<boolean>;

const share: Step = ({ shares }, id) => shares.create(CALLER, id, { expiresIn: 60 });
const linksOf = async (store: ReportStore, id: string) => (await store.shares(ACCOUNT, id, 9, 0)).shares;

const changes: readonly (readonly [type: string, before: Step, change: Step, isMade: Look])[] = [
  [
    'account.report_published',
    async () => undefined,
    ({ reports }, id) => reports.setPublic(CALLER, id, true),
    async (store, id) => (await store.anyReport(id))!.facts.public,
  ],
  ['account.report_shared', async () => undefined, share, async (store, id) => (await linksOf(store, id)).length === 1],
  [
    'account.report_share_revoked',
    share,
    async ({ shares }, id) => {
      const { shares: links } = (await shares.list(CALLER, id, 1, 0)) as { shares: readonly { readonly id: string }[] };
      await shares.revoke(CALLER, id, links[0]!.id);
    },
    async (store, id) => (await linksOf(store, id))[0]!.revokedAt !== null,
  ],
];

describe.each(changes)('killed between any two lines of %s', (type, before, change, isMade) => {
  let directory: string;
  let eventLog: EventLog;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'trail-killed-'));
    eventLog = await openSqliteLog({ file: join(directory, 'log.db') });
  });
  afterAll(async () => {
    await eventLog.close();
    rmSync(directory, { recursive: true });
  });

  /** Ids of the events of this type about a report, each once. */
  async function eventsOf(id: string): Promise<ReadonlySet<string>> {
    const records = await eventLog.read('agent-events', 0, 0, 10_000);
    const events = records.map(({ value }) => JSON.parse(Buffer.from(value).toString()) as EventEnvelope);
    const own = events.filter((event) => event.leaf.type === type && JSON.stringify(event.openings).includes(id));
    return new Set(own.map(({ leaf }) => leaf.eventId));
  }

  it.each(['before', 'after'] as const)('%s a line: the event is there if the change is, once', async (moment) => {
    let lines = 0;
    for (let n = 1; n < MOST_LINES; n += 1) {
      const id = randomUUID();
      const file = join(directory, `${id}.db`);
      const store = await openSqliteReportStore(file);
      await store.addReport(report(id, ACCOUNT, '2026-01-02T00:00:00.000Z'));
      await before(partsOf(store, eventLog), id);
      const kill = killAt(n, moment);
      await change(partsOf(kill.wrap(store), kill.wrap(eventLog)), id).catch(() => undefined);
      await new Promise((resolve) => setImmediate(resolve));
      const { happened } = kill;
      await store.close();
      const restarted = await openSqliteReportStore(file);
      const relay = new OutboxRelay({ eventLog, log }, restarted);
      await relay.flush();
      expect((await eventsOf(id)).size).toBe((await isMade(restarted, id)) ? 1 : 0);
      expect(await restarted.pending(9)).toEqual([]);
      await relay.stop();
      await restarted.close();
      if (!happened) break;
      lines = n;
    }
    expect(lines).toBeGreaterThan(2);
    expect(lines).toBeLessThan(MOST_LINES - 1);
  });
});
