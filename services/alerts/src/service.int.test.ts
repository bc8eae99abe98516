import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { testMessageSchema, violationMessageSchema } from '@countersign/contracts';
import type { DeadLetter, EventEnvelope, SessionFacts } from '@countersign/contracts';
import { compileSchema } from '@countersign/http-edge';
import { loadConfig } from '@countersign/process';
import { run, sessionTokens } from '@countersign/service-kit';
import type { RunningProcess, ServiceContext, ServiceDefinition } from '@countersign/service-kit';
import { versionedRecord } from '@countersign/topics';
import { definition } from './definition.js';
import { ACCOUNT, AGENT, denied, eventId, OTHER_ACCOUNT } from './testing/violations.js';

/** Stands in for the services that alerts depends on. */
function probe(seen: (context: ServiceContext) => void): ServiceDefinition {
  return {
    name: 'policy',
    routes: [],
    reads: ['dead-letters'],
    writes: ['agent-events', 'sessions'],
    after: ['alerts'],
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
  /** Any body; the assertions check its shape. */
  readonly body: ReturnType<typeof JSON.parse>;
  readonly retryAfter?: string;
}

interface Arrived {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describe('alerts in a process', () => {
  const directory = mkdtempSync(join(tmpdir(), 'alerts-service-'));
  const arrived: Arrived[] = [];
  const tokens: Record<string, string> = {};
  let receiver: Server;
  let url: string;
  let running: RunningProcess;
  let context: ServiceContext;

  async function start(): Promise<void> {
    const config = loadConfig({
      COUNTERSIGN_DATA_DIR: directory,
      COUNTERSIGN_PORT: '0',
      COUNTERSIGN_LOG_LEVEL: 'silent',
      COUNTERSIGN_WEBHOOK_ALLOWED_HOSTS: new URL(url).host,
      COUNTERSIGN_ALERT_WINDOW_SECONDS: '1',
      COUNTERSIGN_ANCHOR_WINDOW_SECONDS: '1',
    });
    running = await run([definition, probe((seen) => (context = seen))], config);
  }

  async function session(role: SessionFacts['role'], accountId: string): Promise<string> {
    const sid = `${accountId}-${role}`;
    const expiresAt = new Date(Date.now() + 3_600_000);
    const facts = { accountId, userId: USERS[role], email: `${role}@example.com`, role, revokedAt: null };
    await context.eventLog.append([
      versionedRecord<SessionFacts>('sessions', sid, 1, { ...facts, expiresAt: expiresAt.toISOString() }),
    ]);
    return (await sessionTokens(context)).sign({ sid, accountId }, expiresAt);
  }

  async function ask(who: string, method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${running.address}${path}`, {
      method,
      headers: { authorization: `Bearer ${tokens[who]}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const retryAfter = response.headers.get('retry-after');
    return {
      status: response.status,
      body: text === '' ? null : JSON.parse(text),
      ...(retryAfter === null ? {} : { retryAfter }),
    };
  }

  async function until<T>(look: () => Promise<T> | T, good: (value: T) => boolean): Promise<T> {
    for (const end = Date.now() + 20_000; ;) {
      const value = await look();
      if (good(value)) return value;
      if (Date.now() > end) throw new Error(`it did not arrive: ${JSON.stringify(value)}`);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }

  const append = (...values: readonly unknown[]): Promise<unknown> =>
    context.eventLog.append(
      values.map((value) => ({ topic: 'agent-events' as const, key: AGENT, value: JSON.stringify(value) })),
    );

  /** Events of the account of what its people did, oldest first. */
  async function acts(): Promise<readonly EventEnvelope[]> {
    const records = await context.eventLog.read('agent-events', 0, 0, 10_000);
    const events = records.map(({ value }) => JSON.parse(Buffer.from(value).toString('utf8')) as EventEnvelope);
    return events.filter(({ accountId, leaf }) => accountId === ACCOUNT && leaf.type.startsWith('account.'));
  }

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += chunk));
      request.on('end', () => {
        arrived.push({ headers: request.headers, body });
        response.writeHead(200).end('kept to itself');
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    await start();
    for (const role of ['auditor', 'member'] as const) tokens[role] = await session(role, ACCOUNT);
    tokens['stranger'] = await session('admin', OTHER_ACCOUNT);
  });
  afterAll(async () => {
    await running.stop();
    receiver.closeAllConnections();
    receiver.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it.each<[string, unknown, string]>([
    ['no kind', { destination: 'https://a.example.com/' }, 'kind is required'],
    ['no destination', { kind: 'webhook' }, 'destination is required'],
    ['plain http', { kind: 'webhook', destination: 'http://a.example.com/' }, 'https'],
    ['a private address', { kind: 'webhook', destination: 'https://10.0.0.1/' }, 'publicly reachable'],
    ['another loopback port', { kind: 'webhook', destination: 'https://127.0.0.1:1/' }, 'publicly reachable'],
    ['no mail server', { kind: 'email', destination: 'a@example.com' }, 'SMTP_URL'],
    [
      'an unknown severity',
      { kind: 'webhook', destination: 'https://a.example.com/', minSeverity: 'P9' },
      'minSeverity',
    ],
    ['an unknown field', { kind: 'webhook', destination: 'https://a.example.com/', secret: 'mine' }, 'secret'],
  ])('refuses %s', async (_what, body, message) => {
    const answer = await ask('member', 'POST', '/v1/alert-configs', body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain(message);
  });

  it('creates, changes, tests and removes destinations, for permitted roles and the account alone', async () => {
    const wish = { kind: 'webhook', destination: url, minSeverity: 'P1' };
    expect((await ask('auditor', 'POST', '/v1/alert-configs', wish)).status).toBe(403);
    const { status, body: made } = await ask('member', 'POST', '/v1/alert-configs', wish);
    expect(status).toBe(201);
    const { secret, ...shown } = made;
    expect(shown).toEqual({
      ...wish,
      id: made.id,
      enabled: true,
      createdAt: made.createdAt,
      disabledAt: null,
      disabledReason: null,
    });
    const list = await ask('auditor', 'GET', '/v1/alert-configs');
    expect(list).toEqual({ status: 200, body: { alertConfigs: [shown] } });
    expect((await ask('stranger', 'GET', '/v1/alert-configs')).body).toEqual({ alertConfigs: [] });

    const change = { id: made.id.toUpperCase(), minSeverity: 'P3' };
    const changed = await ask('member', 'POST', '/v1/alert-configs', change);
    expect(changed).toEqual({ status: 200, body: { ...shown, minSeverity: 'P3' } });
    expect((await ask('member', 'POST', '/v1/alert-configs', { id: made.id, kind: 'email' })).status).toBe(400);

    const before = arrived.length;
    const path = `/v1/alert-configs/${made.id}`;
    expect((await ask('member', 'POST', `${path}/test`)).body).toEqual({ delivered: true, status: 200 });
    const test = arrived[before]!;
    const { minSeverity: _severity, ...address } = wish;
    expect((await ask('member', 'POST', '/v1/alert-configs/test', address)).body).toEqual({
      delivered: true,
      status: 200,
    });
    expect(() =>
      new Webhook(secret).verify(arrived[before + 1]!.body, test.headers as Record<string, string>),
    ).toThrow();
    const unsaved = { kind: 'webhook', destination: 'http://10.0.0.1/' };
    expect((await ask('member', 'POST', '/v1/alert-configs/test', unsaved)).status).toBe(400);
    expect((await ask('auditor', 'POST', '/v1/alert-configs/test', address)).status).toBe(403);
    expect((await ask('auditor', 'GET', '/v1/alert-configs')).body).toEqual({
      alertConfigs: [{ ...shown, minSeverity: 'P3' }],
    });

    expect(new Webhook(secret).verify(test.body, test.headers as Record<string, string>)).toMatchObject({
      type: 'alert.test',
    });
    expect(compileSchema(testMessageSchema)(JSON.parse(test.body))).toBeNull();

    for (const [method, of] of [
      ['POST', '/test'],
      ['GET', '/deliveries'],
      ['DELETE', ''],
    ] as const) {
      expect((await ask('stranger', method, `${path}${of}`)).status).toBe(404);
    }
    expect((await ask('stranger', 'POST', '/v1/alert-configs', { id: made.id, enabled: false })).status).toBe(404);
    expect((await ask('auditor', 'DELETE', path)).status).toBe(403);
    expect((await ask('member', 'DELETE', path)).status).toBe(204);
    expect((await ask('member', 'DELETE', path)).status).toBe(404);
  });

  it('records who created, changed, tested and removed a destination, and no path or secret of its address', async () => {
    const destination = `${url}/services/T0KEN?key=s3cret`;
    const { body: made } = await ask('member', 'POST', '/v1/alert-configs', { kind: 'webhook', destination });
    await ask('member', 'POST', '/v1/alert-configs', { id: made.id, enabled: false });
    await ask('member', 'POST', `/v1/alert-configs/${made.id}/test`);
    await ask('member', 'DELETE', `/v1/alert-configs/${made.id}`);
    // Those of tests before this one may still arrive.
    const recorded = await until(
      async () => (await acts()).filter((act) => JSON.stringify(act.openings).includes(made.id)),
      ({ length }) => length >= 5,
    );
    expect(recorded.map(({ leaf }) => [leaf.type, leaf.detail, leaf.outcome])).toEqual(
      [
        ['created', null],
        ['changed', null],
        ['tested', null],
        ['tested', 'succeeded'],
        ['removed', null],
      ].map(([what, outcome]) => [`account.alert_destination_${what}`, `user:${USERS.member}`, outcome]),
    );
    const about = { id: made.id, kind: 'webhook', minSeverity: 'P3' };
    const to = new URL(url).host;
    expect(recorded.slice(0, 4).map(({ openings }) => openings.action?.value)).toMatchObject([
      { destination: { ...about, enabled: true }, to },
      { destination: { ...about, enabled: false }, to, before: { ...about, enabled: true, to } },
      { destination: { ...about, enabled: false }, to },
      { destination: { ...about, enabled: false }, to, status: 200 },
    ]);
    for (const secret of ['T0KEN', 's3cret', made.secret]) expect(JSON.stringify(recorded)).not.toContain(secret);
  });

  it('limits an account to ten test messages a minute, and says when the next one is allowed', async () => {
    const { body: made } = await ask('stranger', 'POST', '/v1/alert-configs', { kind: 'webhook', destination: url });
    const from = arrived.length;
    const answers: Answer[] = [];
    for (let n = 0; n < 12; n += 1) answers.push(await ask('stranger', 'POST', `/v1/alert-configs/${made.id}/test`));
    const sent = answers.filter(({ status }) => status === 200).length;
    expect(sent).toBeLessThanOrEqual(10);
    expect(arrived.length - from).toBe(sent);
    const last = answers.at(-1)!;
    expect([last.status, Object.keys(last.body)]).toEqual([429, ['error']]);
    expect(Number(last.retryAfter)).toBeGreaterThan(0);
    expect(Number(last.retryAfter)).toBeLessThanOrEqual(60);
    // A message of the log that is sent again counts as well.
    const again = await ask('stranger', 'POST', `/v1/alert-configs/${made.id}/deliveries/msg_${'0'.repeat(40)}/retry`);
    expect([again.status, Number(again.retryAfter) > 0]).toEqual([429, true]);
    await ask('stranger', 'DELETE', `/v1/alert-configs/${made.id}`);
  });

  it('stores no secret in plain text', async () => {
    const { body } = await ask('member', 'POST', '/v1/alert-configs', { kind: 'webhook', destination: url });
    const folder = join(directory, 'alerts');
    const files = readdirSync(folder).map((file) => readFileSync(join(folder, file)));
    expect(files.some((bytes) => bytes.includes(body.id))).toBe(true);
    for (const form of [body.secret, body.secret.slice(6), Buffer.from(body.secret.slice(6), 'base64')]) {
      expect(files.some((bytes) => bytes.includes(form))).toBe(false);
    }
    await ask('member', 'DELETE', `/v1/alert-configs/${body.id}`);
  });

  it('reports a denial, sums the following ones, shows both in the log, and continues after a restart', async () => {
    const { body: made } = await ask('member', 'POST', '/v1/alert-configs', { kind: 'webhook', destination: url });
    const from = arrived.length;
    await append(...Array.from({ length: 50 }, (_, n) => denied(n)), denied(900, {}, OTHER_ACCOUNT));
    const counted = (): number =>
      arrived.slice(from).reduce((sum, { body }) => sum + Number(JSON.parse(body).data.count), 0);
    await until(counted, (count) => count === 50);
    const messages = arrived.slice(from);
    expect(messages).toHaveLength(2);
    const problemOf = compileSchema(violationMessageSchema);
    expect(messages.map(({ body }) => problemOf(JSON.parse(body)))).toEqual([null, null]);
    const receiving = new Webhook(made.secret);
    const [first] = messages.map(({ headers, body }) => receiving.verify(body, headers as Record<string, string>));
    expect(first).toMatchObject({
      type: 'violation.blocked',
      data: { eventId: eventId(0), agentId: AGENT, severity: 'P2', violation_type: 'api_not_allowed', count: 1 },
    });
    const path = `/v1/alert-configs/${made.id}/deliveries`;
    const log = await until(
      () => ask('auditor', 'GET', path),
      ({ body }) => body.deliveries.every(({ state }: { state: string }) => state === 'delivered'),
    );
    expect(log.body).toMatchObject({ total: 2, limit: 50, offset: 0 });
    expect(log.body.deliveries.map(({ count }: { count: number }) => count)).toEqual([49, 1]);
    expect(log.body.deliveries.map(({ id }: { id: string }) => id)).toEqual(
      messages.map(({ headers }) => headers['webhook-id']).reverse(),
    );
    expect(log.body.deliveries[1].attempts).toEqual([{ at: expect.any(String), status: 200, error: null }]);
    expect(JSON.stringify(log.body)).not.toContain('kept to itself');

    const retry = `${path}/${String(messages[0]!.headers['webhook-id'])}/retry`;
    expect((await ask('auditor', 'POST', retry)).status).toBe(403);
    expect((await ask('stranger', 'POST', retry)).status).toBe(404);
    expect((await ask('member', 'POST', `${path}/msg_${'0'.repeat(40)}/retry`)).status).toBe(404);
    expect((await ask('member', 'POST', `${path}/msg_1/retry`)).body.error).toContain('must be the id of a message');
    expect((await ask('member', 'POST', '/v1/alert-configs', { id: made.id, destination: url })).status).toBe(200);
    const due = await ask('member', 'POST', retry);
    expect([due.status, due.body.state]).toEqual([202, 'waiting']);
    await until(
      async () => (await acts()).filter(({ leaf }) => leaf.type === 'account.alert_sent_again').length,
      (events) => events === 1,
    );
    expect((await acts()).at(-1)).toMatchObject({
      leaf: { type: 'account.alert_sent_again', detail: `user:${USERS.member}` },
      openings: { action: { value: { message: due.body.id, to: new URL(url).host } } },
    });
    await until(
      () => arrived.length,
      (count) => count === from + 3,
    );
    expect(arrived.at(-1)).toMatchObject({ body: messages[0]!.body, headers: { 'webhook-id': due.body.id } });
    await until(
      async () => (await ask('auditor', 'GET', path)).body.deliveries[1].attempts.length,
      (attempts) => attempts === 2,
    );
    await ask('member', 'POST', '/v1/alert-configs', { id: made.id, destination: `${url}?of=another` });
    const elsewhere = await ask('member', 'POST', retry);
    expect([elsewhere.status, elsewhere.body.error]).toEqual([409, expect.stringContaining('change of the address')]);
    await ask('member', 'POST', '/v1/alert-configs', { id: made.id, enabled: false });
    expect((await ask('member', 'POST', retry)).status).toBe(409);
    await ask('member', 'POST', '/v1/alert-configs', { id: made.id, enabled: true });

    await running.stop();
    await start();
    await append(denied(50, { violation_type: 'unsafe_output', severity: 'P1' }));
    await until(counted, (count) => count === 52);
    expect(JSON.parse(arrived.at(-1)!.body).data).toMatchObject({ eventId: eventId(50), count: 1 });
  });

  it('dead-letters a record that is not a leaf, and continues', async () => {
    const from = arrived.length;
    await append({ v: 1, leaf: {} }, denied(60, { violation_type: 'off_limits_action' }));
    await until(
      () => arrived.length,
      (count) => count > from,
    );
    const letters = (await context.eventLog.read('dead-letters', 0, 0, 100)).map(
      ({ value }) => JSON.parse(Buffer.from(value).toString('utf8')) as DeadLetter,
    );
    expect(letters).toEqual([expect.objectContaining({ topic: 'agent-events', consumer: 'alerts' })]);
  });
});
