import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccountFacts, EventEnvelope, SessionFacts } from '@countersign/contracts';
import { loadConfig } from '@countersign/process';
import { openDatabase } from '@countersign/document-store';
import { run, sessionTokens } from '@countersign/service-kit';
import type { RunningProcess, ServiceContext, ServiceDefinition } from '@countersign/service-kit';
import { versionedRecord } from '@countersign/topics';
import { definition } from '../index.js';
import { MIGRATIONS } from '../store/schema.js';
import { ACCOUNT, agentId, denied, envelope, eventId, other } from '../testing/envelopes.js';

const DAMAGED = 'account-damaged';
/** More than one page. */
const MANY = 600;

function probe(seen: (context: ServiceContext) => void): ServiceDefinition {
  return {
    name: 'policy',
    routes: [],
    reads: ['agent-heads'],
    writes: ['agent-events', 'agents', 'accounts', 'sessions', 'anchors'],
    after: ['audit-log'],
    start: async (context) => {
      seen(context);
      return { notReady: () => [], stop: async () => undefined };
    },
  };
}

describe('GET /v1/events/export', () => {
  const directory = mkdtempSync(join(tmpdir(), 'audit-log-export-'));
  const tokens: Record<string, string> = {};
  let running: RunningProcess;
  let context: ServiceContext;

  async function session(accountId: string): Promise<string> {
    const sid = `${accountId}-auditor`;
    const expiresAt = new Date(Date.now() + 3_600_000);
    const facts = { accountId, userId: 'u', email: 'a@example.com', role: 'auditor', revokedAt: null } as const;
    await context.eventLog.append([
      versionedRecord<SessionFacts>('sessions', sid, 1, { ...facts, expiresAt: expiresAt.toISOString() }),
      versionedRecord<AccountFacts>('accounts', accountId, 1, {
        name: 'A',
        // The plan without signed packages: this is no signed package.
        plan: 'sandbox',
        actionCap: null,
        sandboxExpiresAt: null,
        cadenceSeconds: 1,
      }),
    ]);
    return (await sessionTokens(context)).sign({ sid, accountId }, expiresAt);
  }

  const ask = (account: string | null, query: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${running.address}/v1/events/export${query}`, {
      ...init,
      headers: account === null ? {} : { authorization: `Bearer ${tokens[account]}` },
    });
  const stored = async (account: string, count: number): Promise<void> => {
    for (let tries = 0; tries < 600; tries += 1) {
      const headers = { authorization: `Bearer ${tokens[account]}` };
      const answer = await fetch(`${running.address}/v1/events?limit=1`, { headers });
      if (((await answer.json()) as { total: number }).total === count) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${count} events of ${account} were never listed`);
  };
  const append = (...events: EventEnvelope[]): Promise<unknown> =>
    context.eventLog.append(
      events.map((one) => ({ topic: 'agent-events' as const, key: one.leaf.agentId, value: JSON.stringify(one) })),
    );

  beforeAll(async () => {
    const config = loadConfig({
      COUNTERSIGN_DATA_DIR: directory,
      COUNTERSIGN_PORT: '0',
      COUNTERSIGN_LOG_LEVEL: 'silent',
    });
    running = await run([definition, probe((seen) => (context = seen))], config);
    for (const account of [ACCOUNT, DAMAGED]) tokens[account] = await session(account);
    await append(envelope(1), denied(2), other(3, 'agent.frozen'));
    const many = Array.from({ length: MANY }, (_, n) => envelope(1000 + n, { agent: 2, accountId: DAMAGED }));
    await append(...many);
    await stored(ACCOUNT, 3);
    await stored(DAMAGED, MANY);
  }, 60_000);
  afterAll(async () => {
    await running.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('gives the account’s events, newest first, in either form', async () => {
    const lines = await ask(ACCOUNT, '?format=ocsf');
    expect(lines.headers.get('content-type')).toBe('application/x-ndjson');
    expect(lines.headers.get('content-disposition')).toBe('attachment; filename="events.ocsf.jsonl"');
    const events = (await lines.text()).trimEnd().split('\n');
    const parsed = events.map((line) => JSON.parse(line) as { metadata: { uid: string } });
    expect(parsed.map(({ metadata }) => metadata.uid)).toEqual([eventId(3), eventId(2), eventId(1)]);
    const table = await ask(ACCOUNT, `?format=csv&agentId=${agentId(1).toUpperCase()}&allowed=false`);
    expect(table.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    const bytes = Buffer.from(await table.arrayBuffer());
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    const rows = bytes.toString('utf8').trimEnd().split('\r\n');
    expect(rows.map((row) => row.split(',')[0])).toEqual(['\u{feff}eventId', eventId(2)]);
    expect(await (await ask(ACCOUNT, '?format=ocsf&outcome=skipped')).text()).toBe('');
  });

  it.each([
    ['', 400],
    ['?format=xml', 400],
    ['?format=csv&from=2026-02-30T00:00:00Z', 400],
    ['?format=csv&agentId=unknown', 400],
  ])('refuses %j with %i, and 401 without a session', async (query, status) => {
    const answer = await ask(ACCOUNT, query);
    expect([answer.status, Object.keys((await answer.json()) as object)]).toEqual([status, ['error']]);
    expect((await ask(null, query)).status).toBe(401);
  });

  it('answers HEAD with the head alone', async () => {
    const answer = await ask(ACCOUNT, '?format=csv', { method: 'HEAD' });
    expect([answer.status, answer.headers.get('content-type')?.slice(0, 8)]).toEqual([200, 'text/csv']);
  });

  it('ends no answer that it could not finish', async () => {
    const whole = await (await ask(DAMAGED, '?format=ocsf')).text();
    expect(whole.split('\n')).toHaveLength(MANY + 1);
    const database = openDatabase(join(directory, 'audit-log', 'events.db'), MIGRATIONS);
    database
      .prepare('UPDATE events SET leaf = ? WHERE event_id = ?')
      .run('{', Buffer.from(eventId(1000).replaceAll('-', ''), 'hex'));
    database.close();
    const answer = await ask(DAMAGED, '?format=ocsf');
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
  });
});
