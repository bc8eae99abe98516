import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccountFacts, AgentFacts, AnchorFacts, SessionFacts } from '@countersign/contracts';
import { toHex } from '@countersign/evidence';
import { loadConfig } from '@countersign/process';
import { run, sessionTokens } from '@countersign/service-kit';
import type { RunningProcess, ServiceContext, ServiceDefinition } from '@countersign/service-kit';
import { versionedRecord } from '@countersign/topics';
import { definition } from './index.js';
import { ACCOUNT, agentId, denied, envelope, eventId, other } from './testing/envelopes.js';

/** Plays the services that audit-log listens to. */
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

const USERS: Readonly<Record<SessionFacts['role'], string>> = {
  admin: 'aaaaaaaa-0000-4000-8000-000000000001',
  member: 'aaaaaaaa-0000-4000-8000-000000000002',
  auditor: 'aaaaaaaa-0000-4000-8000-000000000003',
};

interface Answer {
  readonly status: number;
  /** Whatever the route answers; the assertions say what it must be. */
  readonly body: ReturnType<typeof JSON.parse>;
}

interface Head {
  readonly id: string;
  readonly version: number;
}

const idsOf = (events: readonly { readonly eventId: string }[]): string[] => events.map(({ eventId: id }) => id);

describe('audit-log in a process', () => {
  const directory = mkdtempSync(join(tmpdir(), 'audit-log-service-'));
  let running: RunningProcess;
  let context: ServiceContext;
  const tokens: Record<string, string> = {};

  async function start(): Promise<void> {
    const config = loadConfig({
      COUNTERSIGN_DATA_DIR: directory,
      COUNTERSIGN_PORT: '0',
      COUNTERSIGN_LOG_LEVEL: 'silent',
    });
    running = await run([definition, probe((seen) => (context = seen))], config);
  }

  async function session(role: SessionFacts['role'], accountId: string): Promise<string> {
    const sid = `${accountId}-${role}`;
    const expiresAt = new Date(Date.now() + 3_600_000);
    await context.eventLog.append([
      versionedRecord<SessionFacts>('sessions', sid, 1, {
        accountId,
        userId: USERS[role],
        email: `${role}@example.com`,
        role,
        expiresAt: expiresAt.toISOString(),
        revokedAt: null,
      }),
    ]);
    return (await sessionTokens(context)).sign({ sid, accountId }, expiresAt);
  }

  async function ask(token: string | null, path: string, method = 'GET'): Promise<Answer> {
    const response = await fetch(`${running.address}${path}`, {
      method,
      headers: token === null ? {} : { authorization: `Bearer ${token}` },
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? null : JSON.parse(text) };
  }

  async function until<T>(look: () => Promise<T>, good: (value: T) => boolean): Promise<T> {
    for (let tries = 0; ; tries += 1) {
      const value = await look();
      if (good(value) || tries > 100) return value;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  beforeAll(async () => {
    await start();
    for (const role of ['auditor', 'admin'] as const) tokens[role] = await session(role, ACCOUNT);
    tokens['stranger'] = await session('admin', 'account-b');
    const facts = { accountId: ACCOUNT } as AgentFacts;
    await context.eventLog.append([
      versionedRecord<AgentFacts>('agents', agentId(1), 1, facts),
      versionedRecord<AccountFacts>('accounts', ACCOUNT, 1, {
        name: 'A',
        plan: 'enterprise',
        actionCap: null,
        sandboxExpiresAt: null,
        cadenceSeconds: 1,
      }),
      ...[envelope(1), denied(2), other(3, 'agent.frozen'), envelope(4, { agent: 2, accountId: 'account-b' })].map(
        (one) => ({
          topic: 'agent-events' as const,
          key: one.leaf.agentId,
          value: JSON.stringify(one),
        }),
      ),
      { topic: 'agent-events', key: agentId(1), value: '{"v":1,"leaf":{}}' },
    ]);
    await until(
      () => ask(tokens['auditor']!, '/v1/events'),
      ({ body }) => body.total === 3,
    );
  }, 60_000);
  afterAll(async () => {
    await running.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('lists the events of the caller', async () => {
    const { status, body } = await ask(tokens['auditor']!, '/v1/events?limit=2');
    expect(status).toBe(200);
    expect(body).toMatchObject({ total: 3, limit: 2, offset: 0 });
    expect(idsOf(body.events)).toEqual([eventId(3), eventId(2)]);
    expect(body.events[1]).toMatchObject({ sequence: 2, outcome: 'denied', allowed: false, anchored: false });
    const filtered = await ask(tokens['auditor']!, `/v1/events?agentId=${agentId(1).toUpperCase()}&allowed=false`);
    expect(filtered.body).toMatchObject({ total: 1, limit: 50, offset: 0 });
    expect(idsOf((await ask(tokens['stranger']!, '/v1/events')).body.events)).toEqual([eventId(4)]);
  });

  it.each([
    ['/v1/events?limit=0', 400],
    ['/v1/events?limit=1001', 400],
    ['/v1/events?from=2026-02-30T00:00:00Z', 400],
    ['/v1/events?type=nothing', 400],
    ['/v1/events?agentId=unknown', 400],
    ['/v1/agents/unknown/anchors', 400],
  ])('refuses %s with %i', async (path, status) => {
    const answer = await ask(tokens['auditor']!, path);
    expect(answer.status).toBe(status);
    expect(Object.keys(answer.body)).toEqual(['error']);
    expect((await ask(null, path)).status).toBe(401);
  });

  it('has an inbox that an acknowledge empties', async () => {
    expect((await ask(tokens['auditor']!, '/v1/alerts/open-count')).body).toEqual({ openCount: 1 });
    const { body } = await ask(tokens['auditor']!, '/v1/alerts');
    expect(body).toMatchObject({ openCount: 1, acknowledgedAt: null });
    expect(idsOf(body.alerts)).toEqual([eventId(2)]);
    expect((await ask(tokens['auditor']!, '/v1/alerts/acknowledge', 'POST')).status).toBe(403);
    const done = await ask(tokens['admin']!, '/v1/alerts/acknowledge', 'POST');
    expect(done.body).toEqual({ openCount: 0, acknowledgedAt: expect.any(String) });
    expect((await ask(tokens['auditor']!, '/v1/alerts')).body.alerts).toEqual([]);
  });

  it('shows anchors to the owner of the agent alone', async () => {
    const window: AnchorFacts = {
      kind: 'window',
      windowId: '1-1',
      cadenceSeconds: 1,
      windowStart: '2026-03-01T09:30:00.000Z',
      windowEnd: '2026-03-01T09:30:01.000Z',
      merkleRoot: 'ab'.repeat(32),
      prev: '0',
      agentCount: 1,
      eventCount: 2,
      txSignature: 'signature',
      slot: 5,
      blockHeight: 5,
      anchoredAt: '2026-03-01T09:30:02.000Z',
      network: 'solana:localnet',
      authority: 'authority',
      chunk: 0,
      chunks: 1,
      agents: [
        {
          agentId: agentId(1),
          agentKey: toHex(new Uint8Array(32)),
          count: 2,
          firstSequence: 1,
          lastSequence: 2,
          agentRoot: 'cd'.repeat(32),
          leafIndex: 0,
        },
      ],
    };
    await context.eventLog.append([versionedRecord('anchors', 'window:1-1:0', 1, window)]);
    const path = `/v1/agents/${agentId(1)}/anchors`;
    const { body } = await until(
      () => ask(tokens['auditor']!, path),
      (answer) => answer.body.total === 1,
    );
    expect(body).toEqual({
      anchors: [
        {
          event_ids: [eventId(1), eventId(2)],
          merkle_root: 'ab'.repeat(32),
          chain_tx_signature: 'signature',
          chain_block_height: 5,
          anchored_at: '2026-03-01T09:30:02.000Z',
          window_start: '2026-03-01T09:30:00.000Z',
          window_end: '2026-03-01T09:30:01.000Z',
          event_count: 2,
        },
      ],
      total: 1,
      limit: 50,
      offset: 0,
    });
    expect((await ask(tokens['auditor']!, `${path}?offset=1`)).body).toEqual({
      anchors: [],
      total: 1,
      limit: 50,
      offset: 1,
    });
    expect((await ask(tokens['stranger']!, path)).status).toBe(404);
    const { body: list } = await ask(tokens['auditor']!, '/v1/events?kind=agents');
    expect(list.events.map((event: { anchored: boolean }) => event.anchored)).toEqual([false, true, true]);
  });

  async function startAgain(): Promise<void> {
    await start();
    await until(
      () => ask(tokens['admin']!, '/v1/events'),
      ({ status }) => status === 200,
    );
  }

  /** Acts as the keeper of copies: acknowledges each order as soon as it is there. */
  async function tellWhile<T>(asked: () => Promise<T>): Promise<T> {
    const erasures = await context.peer('erasures');
    let done = false;
    const telling = (async () => {
      while (!done) {
        const pending = await erasures.pending(100);
        if (pending.length > 0) await erasures.acknowledge(pending.map(({ eventId: id }) => id));
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })();
    try {
      return await asked();
    } finally {
      done = true;
      await telling;
    }
  }

  it('erases content for an admin, keeps the leaf, and says so in an event', async () => {
    const path = `/v1/events/${eventId(1)}/content`;
    expect((await ask(tokens['auditor']!, path, 'DELETE')).status).toBe(403);
    expect((await ask(tokens['stranger']!, path, 'DELETE')).status).toBe(404);
    const erase = (): Promise<Answer> => tellWhile(() => ask(tokens['admin']!, path, 'DELETE'));
    expect(await erase()).toEqual({ status: 204, body: null });
    expect((await erase()).status).toBe(204);
    const { body } = await ask(tokens['auditor']!, '/v1/events?type=content.erased');
    expect(body.events).toMatchObject([{ refersTo: eventId(1), action: { by: { kind: 'user', id: USERS.admin } } }]);
    const archive = await context.peer('event-archive');
    const [erased] = await archive.range(agentId(1), 1, 1, 1);
    expect(erased).toMatchObject({ erased: true, envelope: { leaf: envelope(1).leaf, openings: {} } });
    expect(await (await context.peer('erasures')).among(agentId(1), 1, 99)).toEqual([1]);
  });

  it('answers 204 only when no copy is left, and for an event without content at once', async () => {
    const path = `/v1/events/${eventId(2)}/content`;
    const unfinished = await ask(tokens['admin']!, path, 'DELETE');
    expect(unfinished).toEqual({ status: 503, body: { error: expect.stringContaining('still to be withdrawn') } });
    expect((await tellWhile(() => ask(tokens['admin']!, path, 'DELETE'))).status).toBe(204);
    const without = envelope(90, { openings: {} });
    await context.eventLog.append([
      { topic: 'agent-events', key: without.leaf.agentId, value: JSON.stringify(without) },
    ]);
    expect((await ask(tokens['admin']!, `/v1/events/${eventId(90)}/content`, 'DELETE')).status).toBe(204);
    const { body } = await ask(tokens['auditor']!, '/v1/events?type=content.erased');
    expect(body.events.map(({ refersTo }: { refersTo: string }) => refersTo)).toEqual([eventId(2), eventId(1)]);
  });

  it('erases again where an older copy of the archive is put back', async () => {
    const place = join(directory, 'audit-log');
    const salt = Buffer.alloc(16).toString('base64url');
    const target = envelope(91, { openings: { action: { salt, value: 'a marker of 4711' } } });
    await context.eventLog.append([{ topic: 'agent-events', key: target.leaf.agentId, value: JSON.stringify(target) }]);
    const archived = (): Promise<readonly { readonly erased: boolean }[]> =>
      context.peer('event-archive').then((archive) => archive.range(agentId(1), 1, 99, 99));
    const holding = (): boolean => readdirSync(place).some((name) => readFileSync(join(place, name)).includes('4711'));
    await until(archived, (events) => events.length === 7);
    await running.stop();
    const copy = mkdtempSync(join(tmpdir(), 'audit-log-copy-'));
    cpSync(place, copy, { recursive: true });
    await startAgain();
    const path = `/v1/events/${eventId(91)}/content`;
    expect((await tellWhile(() => ask(tokens['admin']!, path, 'DELETE'))).status).toBe(204);
    expect(holding()).toBe(false);

    await running.stop();
    rmSync(place, { recursive: true });
    cpSync(copy, place, { recursive: true });
    rmSync(copy, { recursive: true });
    expect(holding()).toBe(true);
    await startAgain();
    const again = await until(archived, (events) => events[6]?.erased === true);
    expect(again.map(({ erased }) => erased)).toEqual([true, true, false, false, false, false, true, false]);
    expect(holding()).toBe(false);
    expect(await (await context.peer('erasures')).pending(9)).toMatchObject([{ eventId: eventId(91) }]);
  });

  it('dead-letters what is no leaf, publishes heads, and keeps all over a restart', async () => {
    expect(await context.eventLog.read('dead-letters', 0, 0, 10)).toHaveLength(1);
    const heads = async (): Promise<Head[]> =>
      (await context.eventLog.read('agent-heads', 0, 0, 100)).map(({ value }) =>
        JSON.parse(Buffer.from(value).toString()),
      );
    const published = await until(heads, (found) =>
      found.some(({ id, version }) => id === agentId(1) && version === 8),
    );
    // Other agents' heads may come before or after it.
    expect(published).toContainEqual(
      expect.objectContaining({ id: agentId(1), version: 8, value: { lastSequence: 8, checks: 4 } }),
    );
    await running.stop();
    await startAgain();
    const { body } = await ask(tokens['auditor']!, '/v1/events?kind=agents');
    expect(body.total).toBe(8);
    expect((await ask(tokens['auditor']!, '/v1/events?kind=account')).body).toMatchObject({
      total: 1,
      events: [{ type: 'account.alerts_acknowledged', action: { by: { kind: 'user', id: USERS.admin } } }],
    });
    expect(await context.eventLog.read('dead-letters', 0, 0, 10)).toHaveLength(1);
  }, 60_000);
});
