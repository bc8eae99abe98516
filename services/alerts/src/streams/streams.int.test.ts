import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalize } from 'json-canonicalize';
import { accountStream } from '@countersign/contracts';
import { ObjectStore } from '../testing/object-store.js';
import { Receiver, type Received } from '../testing/receiver.js';
import { StreamProcess, until } from '../testing/stream-process.js';
import { SyslogReceiver } from '../testing/syslog-receiver.js';
import { TestAuthority } from '../testing/test-authority.js';

const SECRET = 'a-token-that-no-one-may-see';

const linesOf = ({ body }: Received): ReturnType<typeof JSON.parse>[] =>
  body
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);

describe('streams in a process', () => {
  const receiver = new Receiver();
  const service = new StreamProcess();
  const { archive, directory } = service;

  const ask: StreamProcess['ask'] = (...given) => service.ask(...given);
  const made: StreamProcess['made'] = (body) => service.made(body);
  const remove: StreamProcess['remove'] = (id) => service.remove(id);
  const happen: StreamProcess['happen'] = (...given) => service.happen(...given);
  const newAgent = (): string => service.newAgent();
  const to = (path: string): string => `${receiver.origin}${path}`;

  beforeAll(async () => {
    await receiver.start();
    await service.start([new URL(receiver.origin).host]);
  });
  beforeEach(() => {
    receiver.accepted.length = 0;
    receiver.answer = () => ({ status: 200 });
  });
  afterAll(async () => {
    await service.discard();
    await receiver.stop();
  });

  const SYSLOG = { kind: 'syslog', url: 'tls://siem.example.com', format: 'ocsf' };
  const BUCKET = { bucket: 'abc', region: 'eu-central-1', lock: { mode: 'COMPLIANCE', days: 30 } };
  const KEY = { accessKeyId: 'id', secretAccessKey: SECRET };
  const OBJECTS = { kind: 's3', url: 'https://s3.example.com/', format: 'ocsf', settings: BUCKET, credentials: KEY };
  const GOOD = { kind: 'https', url: 'https://siem.example.com/in', format: 'ocsf' };
  it.each<[string, object, string]>([
    ['a kind that there is not', { ...GOOD, kind: 'kafka' }, 'kind'],
    ['no format', { kind: 'https', url: GOOD.url }, 'format'],
    ['plain http', { ...GOOD, url: 'http://siem.example.com/' }, 'https'],
    ['a private address', { ...GOOD, url: 'https://10.0.0.1/' }, 'url must be publicly reachable'],
    ['a collector without a token', { ...GOOD, kind: 'splunk_hec' }, 'credentials.token'],
    ['a bulk API without an index', { ...GOOD, kind: 'elastic', url: 'https://siem.example.com/' }, 'index'],
    ['a bulk API without credentials', { ...GOOD, kind: 'elastic' }, 'credentials.apiKey'],
    ['credentials of another kind', { ...GOOD, credentials: { apiKey: 'x' } }, 'credentials.apiKey'],
    [
      'a token with a line break',
      { ...GOOD, credentials: { token: 'a\nb' } },
      'credentials.token must be visible ASCII',
    ],
    [
      'a key of other characters',
      { ...GOOD, kind: 'elastic', credentials: { apiKey: 'ключ' } },
      'credentials.apiKey must be visible ASCII',
    ],
    ['a time that there is not', { ...GOOD, from: '2026-02-30T00:00:00Z' }, 'calendar'],
    ['syslog without TLS', { ...SYSLOG, url: 'tcp://siem.example.com:514' }, 'url must be tls://host:port'],
    ['syslog to a private address', { ...SYSLOG, url: 'tls://10.0.0.1' }, 'url must be publicly reachable'],
    ['an address of syslog for https', { ...GOOD, url: 'tls://siem.example.com' }, 'url must be an https URL'],
    ['a token for syslog', { ...SYSLOG, credentials: { token: 'x' } }, 'credentials.token is not of this kind'],
    ['an authority that is none', { ...SYSLOG, credentials: { ca: 'x' } }, 'credentials.ca must be certificates'],
    ['messages that are too short', { ...SYSLOG, settings: { maxMessageBytes: 2047 } }, 'settings.maxMessageBytes'],
    ['the number of examples', { ...SYSLOG, settings: { enterpriseId: 32473 } }, 'RFC 5612'],
    ['settings of another kind', { ...GOOD, settings: { enterpriseId: 9 } }, 'settings.enterpriseId is not of this'],
    ['unknown settings', { ...SYSLOG, settings: { facility: 4 } }, 'settings'],
    ['a store without a bucket', { ...OBJECTS, settings: {} }, 'settings.bucket is required'],
    ['a store without a lock', { ...OBJECTS, settings: { bucket: 'abc', region: 'x' } }, 'settings.lock is required'],
    ['a lock without days', { ...OBJECTS, settings: { lock: { mode: 'COMPLIANCE' } } }, 'settings.lock'],
    ['a lock of a mode that there is not', { ...OBJECTS, settings: { lock: { mode: 'x', days: 1 } } }, 'settings.lock'],
    ['a lock of no day', { ...OBJECTS, settings: { lock: { mode: 'COMPLIANCE', days: 0 } } }, 'settings.lock'],
    ['a bucket that there cannot be', { ...OBJECTS, settings: { bucket: 'A_b' } }, 'settings.bucket'],
    ['a prefix with a query', { ...OBJECTS, settings: { ...BUCKET, prefix: 'a?b' } }, 'settings.prefix'],
    ['a store without a key', { ...OBJECTS, credentials: {} }, 'credentials.accessKeyId'],
    ['a store by http', { ...OBJECTS, url: 'http://s3.example.com/' }, 'url must be an https URL'],
    ['a store in a private network', { ...OBJECTS, url: 'https://169.254.169.254/' }, 'url must be publicly reachable'],
    ['an unknown filter', { ...GOOD, filter: { agent: 'x' } }, 'filter'],
  ])('refuses %s', async (_what, body, words) => {
    const answer = await ask('admin', 'POST', '/v1/streams', body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toContain(words);
  });

  it('lets an admin write, an auditor read, and no one see another account’s', async () => {
    const id = await made({ ...GOOD, enabled: false, credentials: { token: SECRET } });
    for (const who of ['auditor', 'member']) {
      expect((await ask(who, 'POST', '/v1/streams', GOOD)).status).toBe(403);
      expect((await ask(who, 'PATCH', `/v1/streams/${id}`, { enabled: true })).status).toBe(403);
      expect((await ask(who, 'DELETE', `/v1/streams/${id}`)).status).toBe(403);
      expect((await ask(who, 'POST', `/v1/streams/${id}/test`)).status).toBe(403);
      expect((await ask(who, 'GET', `/v1/streams/${id}`)).status).toBe(200);
    }
    expect((await ask('stranger', 'GET', '/v1/streams')).body).toEqual({ streams: [] });
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { enabled: true } : undefined;
      expect((await ask('stranger', method, `/v1/streams/${id}`, body)).status).toBe(404);
    }
    expect((await ask('stranger', 'POST', `/v1/streams/${id}/test`)).status).toBe(404);
    expect((await remove(id)).status).toBe(204);
    expect((await remove(id)).status).toBe(404);
  });

  it('never shows credentials, and stores them sealed', async () => {
    const created = await ask('admin', 'POST', '/v1/streams', {
      ...GOOD,
      enabled: false,
      credentials: { token: SECRET },
    });
    expect(Object.keys(created.body).sort()).toEqual(
      ['createdAt', 'enabled', 'filter', 'format', 'id', 'kind', 'settings', 'trail', 'url'].sort(),
    );
    const id = String(created.body.id);
    const elsewhere = { url: 'https://evil.example.com/' };
    expect((await ask('admin', 'PATCH', `/v1/streams/${id}`, elsewhere)).status).toBe(400);
    const moved = await ask('admin', 'PATCH', `/v1/streams/${id}`, { ...elsewhere, credentials: {} });
    expect(moved).toMatchObject({ status: 200, body: elsewhere });
    await ask('admin', 'PATCH', `/v1/streams/${id}`, { credentials: { token: SECRET } });
    const shown = [
      created,
      moved,
      await ask('admin', 'GET', `/v1/streams/${id}`),
      await ask('admin', 'GET', '/v1/streams'),
    ];
    expect(JSON.stringify(shown)).not.toContain(SECRET);
    for (const file of readdirSync(join(directory, 'alerts'))) {
      expect(readFileSync(join(directory, 'alerts', file)).includes(SECRET)).toBe(false);
    }
    await remove(id);
  });

  it('sends what happens from its making on, as JSON lines of OCSF that a reader of OCSF verifies', async () => {
    const agent = newAgent();
    await happen(agent, 3, Date.now() - 60_000);
    const id = await made({ kind: 'https', url: to('/in'), format: 'ocsf', credentials: { token: SECRET } });
    const ids = [...(await happen(agent, 2)), ...(await happen(agent, 3))];
    const events = await until(
      () => receiver.accepted.flatMap(linesOf),
      ({ length }) => length >= 5,
    );
    expect(events.map(({ metadata }) => metadata.uid)).toEqual(ids);
    expect(receiver.accepted[0]!.headers).toMatchObject({
      'content-type': 'application/x-ndjson',
      authorization: `Bearer ${SECRET}`,
      'x-countersign-stream': id,
    });
    for (const [n, event] of events.entries()) {
      const { fingerprint, ...rest } = event.attestation_list[0];
      const text = canonicalize({ ...event, attestation_list: [rest] });
      expect(fingerprint.value).toBe(createHash('sha256').update(text).digest('hex'));
      expect(rest.chain_uid).toBe(`${id}/${agent}`);
      expect(rest.prev_event?.fingerprint).toEqual(events[n - 1]?.attestation_list[0].fingerprint);
    }
    const { body } = await until(
      () => service.state(id),
      (answer) => answer.body.lag.events === 0 && answer.body.lag.seconds === 0,
    );
    expect(body).toMatchObject({ lastError: null, lastDeliveredAt: expect.stringMatching(/Z$/) });
    await remove(id);
  });

  it('begins at `from`, and sends what its filter lets through', async () => {
    const agent = newAgent();
    const at = Date.now() - 3_600_000;
    await happen(agent, 2, at - 1_000);
    const ids = await happen(agent, 7, at);
    const filter = { agentId: agent, outcome: 'denied' };
    const from = new Date(at).toISOString();
    const id = await made({ kind: 'https', url: to('/in'), format: 'ecs', from, filter });
    const events = await until(
      () => receiver.accepted.flatMap(linesOf),
      ({ length }) => length >= 3,
    );
    expect(events.map(({ event }) => event.id)).toEqual(ids.filter((_id, n) => n % 3 === 0));
    await remove(id);
  });

  it('sends the trail of the people from where that is asked for', async () => {
    const trail = accountStream(newAgent());
    const agent = newAgent();
    const id = await made({ kind: 'https', url: to('/in'), format: 'ecs' });
    const named = await made({ kind: 'https', url: to('/named'), format: 'ecs', filter: { agentId: trail } });
    const first = await happen(trail, 2);
    const second = await happen(agent, 1);
    const sent = (path: string): string[] =>
      receiver.accepted
        .filter((received) => received.path === path)
        .flatMap(linesOf)
        .map(({ event }) => event.id);
    await until(
      () => [...sent('/in'), ...sent('/named')],
      ({ length }) => length >= 3,
    );
    const { body } = await until(
      () => service.state(id),
      (answer) => answer.body.lag.events === 0,
    );
    expect([body.trail, (await ask('auditor', 'GET', `/v1/streams/${named}`)).body.trail]).toEqual([false, true]);
    expect([sent('/in'), sent('/named')]).toEqual([second, first]);
    const changed = await ask('admin', 'PATCH', `/v1/streams/${id}`, { trail: true });
    expect(changed.body.trail).toBe(true);
    const third = await happen(trail, 1);
    await until(
      () => sent('/in'),
      ({ length }) => length >= 2,
    );
    expect(sent('/in')).toEqual([...second, ...third]);
    await remove(id);
    await remove(named);
  });

  it('sends to a collector of Splunk, and again when it answers with an error', async () => {
    const agent = newAgent();
    let refusals = 0;
    receiver.answer = () => {
      if ((refusals += 1) > 1) return { status: 200, body: '{"text":"Success","code":0}' };
      return { status: 200, body: '{"text":"Server is busy","code":9}' };
    };
    const id = await made({ kind: 'splunk_hec', url: receiver.origin, format: 'cef', credentials: { token: SECRET } });
    const ids = await happen(agent, 3);
    await until(
      () => refusals,
      (count) => count >= 2,
    );
    const [refused, accepted] = receiver.accepted;
    expect(accepted).toMatchObject({ path: '/services/collector/event', body: refused!.body });
    expect(accepted!.headers.authorization).toBe(`Splunk ${SECRET}`);
    const events = linesOf(accepted!);
    expect(events.map(({ fields }) => fields.event_id)).toEqual(ids);
    expect(events[0]).toMatchObject({ source: 'countersign', sourcetype: 'countersign:cef', time: expect.any(Number) });
    expect(events[0].event).toMatch(/^CEF:0\|Countersign\|.* externalId=/);
    await remove(id);
  });

  it('sends to a bulk API until each document is there once', async () => {
    const agent = newAgent();
    const index = new Map<string, unknown>();
    let isFull = true;
    receiver.answer = ({ path, body }) => {
      expect(path).toBe('/logs/_bulk');
      const lines = body.trimEnd().split('\n');
      expect(body.endsWith('\n')).toBe(true);
      const items = Array.from({ length: lines.length / 2 }, (_, n) => {
        const { _id } = (JSON.parse(lines[2 * n]!) as { create: { _id: string } }).create;
        if (index.has(_id)) return { create: { status: 409, error: { type: 'version_conflict_engine_exception' } } };
        if (isFull && n === 1) return { create: { status: 429, error: { type: 'es_rejected_execution_exception' } } };
        index.set(_id, JSON.parse(lines[2 * n + 1]!));
        return { create: { status: 201 } };
      });
      return { status: 200, body: JSON.stringify({ errors: true, items }) };
    };
    const credentials = { apiKey: SECRET };
    const id = await made({ kind: 'elastic', url: to('/logs'), format: 'ocsf', credentials });
    const ids = await happen(agent, 4);
    const failing = await until(
      () => service.state(id),
      ({ body }) => body.lastError !== null,
    );
    expect(failing.body).toMatchObject({
      lag: { events: 4 },
      lastError: { status: 200, message: expect.stringContaining(`${ids[1]}: 429 es_rejected_execution_exception`) },
    });
    isFull = false;
    await until(
      () => index.size,
      (size) => size === 4,
    );
    expect([...index.keys()].sort()).toEqual([...ids].sort());
    const document = index.get(ids[0]!) as ReturnType<typeof JSON.parse>;
    expect(document).toMatchObject({
      '@timestamp': expect.any(String),
      event: { id: ids[0] },
      ocsf: { class_uid: 6003 },
    });
    expect(JSON.parse(document.event.original).metadata.uid).toBe(ids[0]);
    expect(document.ocsf).not.toHaveProperty('unmapped');
    await until(
      () => service.state(id),
      ({ body }) => body.lastError === null,
    );
    await remove(id);
  });

  it('delivers a test event at once, also while it is off, and not more than ten a minute', async () => {
    const id = await made({ kind: 'https', url: to('/in'), format: 'ocsf', enabled: false });
    expect(await ask('admin', 'POST', `/v1/streams/${id}/test`)).toEqual({
      status: 200,
      body: { delivered: true, status: 200, error: null },
    });
    expect(linesOf(receiver.accepted[0]!)).toMatchObject([{ metadata: { event_code: 'stream.test' } }]);
    receiver.answer = () => ({ status: 403, body: 'no' });
    expect((await ask('admin', 'POST', `/v1/streams/${id}/test`)).body).toMatchObject({
      delivered: false,
      status: 403,
    });
    for (let n = 0; n < 8; n += 1) await ask('admin', 'POST', `/v1/streams/${id}/test`);
    expect((await ask('admin', 'POST', `/v1/streams/${id}/test`)).status).toBe(429);
    await remove(id);
  });

  it('says how far a stream is behind whose receiver is down, reads nothing meanwhile, and catches up', async () => {
    const agent = newAgent();
    receiver.answer = () => ({ status: 503 });
    const id = await made({ kind: 'https', url: to('/in'), format: 'ecs' });
    const ids = await happen(agent, 5);
    const state = () => service.state(id);
    const down = await until(state, ({ body }) => body.lastError !== null && body.lag.seconds >= 1);
    expect(down.body).toMatchObject({ lag: { events: 5 }, lastError: { status: 503 } });
    const metrics = await (await fetch(`${service.address}/metrics`)).text();
    expect(metrics).toMatch(/countersign_stream_lag_events\{[^}]*kind="https"[^}]*\} 5\n/);
    expect(metrics).toMatch(/countersign_stream_lag_seconds\{[^}]*kind="https"[^}]*\} [1-9]/);
    const reads = archive.reads;
    await happen(agent, 1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(archive.reads - reads).toBeLessThanOrEqual(2);
    receiver.answer = () => ({ status: 200 });
    await until(
      () => receiver.accepted.flatMap(linesOf).length,
      (length) => length >= 6,
    );
    expect(
      receiver.accepted
        .flatMap(linesOf)
        .map(({ event }) => event.id)
        .slice(0, 5),
    ).toEqual(ids);
    await remove(id);
  });

  it('sends to a receiver of syslog over TLS, changes its settings, and asks for credentials at another host', async () => {
    const authority = new TestAuthority(directory, 'authority');
    const syslog = new SyslogReceiver(authority.issue('server', 'IP:127.0.0.1'));
    await syslog.start();
    await service.stop();
    await service.start([new URL(receiver.origin).host, syslog.host]);
    const agent = newAgent();
    const url = `tls://${syslog.host}`;
    const id = await made({ kind: 'syslog', url, format: 'cef', credentials: { ca: authority.cert } });
    const path = `/v1/streams/${id}`;
    expect(await ask('admin', 'POST', `${path}/test`)).toEqual({
      status: 200,
      body: { delivered: true, status: null, error: null },
    });
    expect(syslog.messages.map(({ type }) => type)).toEqual(['stream.test']);
    const changed = await ask('admin', 'PATCH', path, { settings: { enterpriseId: 9, maxMessageBytes: 4096 } });
    expect(changed).toMatchObject({ status: 200, body: { url, settings: { enterpriseId: 9, maxMessageBytes: 4096 } } });
    expect((await ask('admin', 'PATCH', path, { url: 'tls://evil.example.com:6514' })).body.error).toContain(
      'send the credentials for it as well',
    );
    const ids = await happen(agent, 3);
    await until(
      () => syslog.messages.length,
      (length) => length >= 4,
    );
    const sent = syslog.messages.slice(1);
    expect(sent.map(({ data }) => /eventId="([^"]*)"/.exec(data)?.[1])).toEqual(ids);
    expect(sent[0]!.text).toMatch(/^CEF:0\|Countersign\|/);
    await until(
      () => service.state(id),
      ({ body }) => body.lag.events === 0 && body.lastDeliveredAt !== null,
    );

    syslog.behave = (socket) => void socket.end();
    await happen(agent, 1);
    const failing = await until(
      () => service.state(id),
      ({ body }) => body.lastError !== null,
    );
    expect(failing.body).toMatchObject({
      lag: { events: 1 },
      lastError: { status: null, message: 'the receiver closed the connection before the batch was over' },
    });
    expect(await (await fetch(`${service.address}/metrics`)).text()).toMatch(
      /countersign_stream_lag_events\{[^}]*kind="syslog"[^}]*\} 1\n/,
    );
    expect((await ask('admin', 'POST', `${path}/test`)).body).toMatchObject({ delivered: false, status: null });
    syslog.behave = (_socket, read) => read();
    await until(
      () => service.state(id),
      ({ body }) => body.lastError === null && body.lag.events === 0,
    );
    await remove(id);
    await syslog.stop();
  });

  it('writes locked objects, changes the lock, and shows the code of a store that refuses', async () => {
    const store = new ObjectStore(BUCKET.bucket, BUCKET.region, KEY);
    await store.start();
    await service.stop();
    await service.start([new URL(receiver.origin).host, new URL(store.origin).host]);
    const agent = newAgent();
    const created = await ask('admin', 'POST', '/v1/streams', { ...OBJECTS, url: store.origin });
    expect(created).toMatchObject({ status: 201, body: { kind: 's3', settings: BUCKET } });
    expect(JSON.stringify(created)).not.toContain(SECRET);
    const id = String(created.body.id);
    const path = `/v1/streams/${id}`;
    expect((await ask('admin', 'POST', `${path}/test`)).body).toEqual({ delivered: true, status: 200, error: null });
    expect(JSON.parse(store.lines()[0]!)).toMatchObject({ metadata: { event_code: 'stream.test' } });
    const days = 60;
    const changed = { settings: { ...BUCKET, prefix: 'p', lock: { mode: 'GOVERNANCE', days } } };
    expect(await ask('admin', 'PATCH', path, changed)).toMatchObject({ status: 200, body: changed });
    expect((await ask('admin', 'PATCH', path, { settings: {} })).body.error).toContain('settings.bucket is required');

    const at = Date.now();
    store.refuse = () => ({ status: 503, code: 'SlowDown' });
    const ids = [...(await happen(agent, 2))];
    const failing = await until(
      () => service.state(id),
      ({ body }) => body.lastError !== null,
    );
    expect(failing.body).toMatchObject({
      lag: { events: 2 },
      lastError: { status: 503, message: 'the host answered 503 (SlowDown)' },
    });
    ids.push(...(await happen(agent, 1)));
    store.refuse = () => null;
    await until(
      () => service.state(id),
      ({ body }) => body.lastError === null && body.lag.events === 0,
    );
    const objects = [...store.versions].filter(([key]) => key.startsWith('p/'));
    expect(objects.map(([key]) => Number(/-(\d+)-[0-9a-f]{16}\.jsonl$/.exec(key)?.[1]))).toEqual([2, 1]);
    for (const [, [version]] of objects) {
      expect(version!.mode).toBe('GOVERNANCE');
      expect(version!.retainUntilMs).toBeGreaterThanOrEqual(at + days * 86_400_000);
    }
    expect(store.lines().map((line) => (JSON.parse(line) as { metadata: { uid: string } }).metadata.uid)).toEqual([
      expect.any(String),
      ...ids,
    ]);
    await remove(id);
    await store.stop();
  });
});
