import { randomUUID } from 'node:crypto';
import { distributedInstallation, missingServers } from '../instance/distributed.js';
import type { Installation } from '../instance/installation.js';
import { sendBytes } from '../instance/raw-request.js';
import { eventually, send } from '../instance/request.js';
import { EdgeProcess } from './edge-process.js';
import { Topology } from './topology.js';

const missing = [...missingServers(), ...(EdgeProcess.isInstalled() ? [] : ['nginx'])];
if (missing.length > 0 && process.env['COUNTERSIGN_TEST_INFRA'] === 'required') {
  throw new Error(`COUNTERSIGN_TEST_INFRA=required, and these are missing: ${missing.join(', ')}`);
}
const on = missing.length === 0 ? describe : describe.skip;
const CALL = { type: 'http_call', url: 'https://api.example.com/v1/orders' };

on(`every service in processes of its own${missing.length === 0 ? '' : ` (needs ${missing.join(', ')})`}`, () => {
  let installation: Installation;
  let topology: Topology;
  beforeAll(async () => {
    installation = await distributedInstallation();
    topology = await Topology.start(installation, {
      instances: { gateway: 2, identity: 2, policy: 2, 'audit-log': 2, anchoring: 2, mcp: 1 },
    });
  }, 300_000);
  afterAll(async () => {
    await topology?.end();
    await installation?.discard();
  }, 60_000);

  it('works from a check to a report that verifies', async () => {
    const session = await topology.session();
    const sent = await Promise.all(Array.from({ length: 40 }, () => topology.check(CALL)));
    expect(sent.map(({ status }) => status)).toEqual(sent.map(() => 200));
    const ids = new Set(sent.map(({ headers }) => headers['x-event-id']));
    expect(ids.size).toBe(40);
    const total = await eventually('all are listed', 30, async () => {
      const { json } = await topology.request('GET', '/v1/events?limit=1000', { headers: session });
      const { events } = json as { events: { eventId: string; anchor: unknown }[] };
      const listed = events.filter(({ eventId }) => ids.has(eventId));
      return listed.length === 40 ? listed.length : null;
    });
    expect(total).toBe(40);
    const { agentId } = topology.bootstrap;
    await eventually('a window is anchored', 60, async () => {
      const { json } = await topology.request('GET', `/v1/agents/${agentId}/anchors`, { headers: session });
      return (json as { anchors: unknown[] }).anchors.length > 0 ? true : null;
    });
    const tried = await topology.request('POST', `/v1/agents/${agentId}/profile/dry-run`, {
      headers: session,
      body: {
        profile: { blocked_apis: ['api.example.com'] },
        from: new Date(Date.now() - 600_000).toISOString(),
        to: new Date(Date.now() + 60_000).toISOString(),
      },
    });
    expect([tried.status, tried.json]).toEqual([
      200,
      expect.objectContaining({ flips: { toDenied: 40, toAllowed: 0 } }),
    ]);
    const report = await topology.request('POST', '/v1/events/export-signed', {
      headers: session,
      body: {
        agentIds: [agentId],
        from: new Date(Date.now() - 600_000).toISOString(),
        to: new Date(Date.now() + 60_000).toISOString(),
        format: 'json',
        frameworks: ['soc2', 'nydfs'],
      },
    });
    expect({ status: report.status, text: report.status === 200 ? '' : report.text }).toEqual({
      status: 200,
      text: '',
    });
    const verified = await topology.request('POST', '/v1/inclusion/verify', { body: { package: report.json } });
    expect(verified.json).toMatchObject({ ok: true });
  }, 150_000);

  it('applies a freeze to the next check, whichever gateway answers it', async () => {
    const session = await topology.session();
    for (let round = 0; round < 5; round += 1) {
      const made = await topology.request('POST', '/v1/agents', { headers: session, body: { name: `a${round}` } });
      const { id } = made.json as { id: string };
      expect((await topology.check(CALL, { agentId: id })).status).toBe(200);
      expect((await topology.request('POST', `/v1/agents/${id}/freeze`, { headers: session, body: {} })).status).toBe(
        200,
      );
      const after = await Promise.all(Array.from({ length: 6 }, () => topology.check(CALL, { agentId: id })));
      expect(after.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
    }
  }, 60_000);

  it('refuses, in each process, a head that two servers could parse differently', async () => {
    const cases = [
      ['Host: a\r\nHost: a', 400],
      ['Host: a\r\nTransfer-Encoding: gzip, chunked', 501],
    ] as const;
    for (const { service, url } of topology.processes) {
      for (const path of ['/v1/check', '/readyz', '/internal/event-archive/span']) {
        for (const [headers, status] of cases) {
          const { statuses } = await sendBytes(url, `POST ${path} HTTP/1.1\r\n${headers}\r\n\r\n0\r\n\r\n`);
          expect([service, path, statuses]).toEqual([service, path, [status]]);
        }
      }
    }
  });

  it('refuses a session that has logged out, and a removed role, at once in every process', async () => {
    const DASHBOARD = {
      identity: '/v1/api-keys',
      policy: '/v1/agents',
      'audit-log': '/v1/events',
      reporting: '/v1/reports',
    };
    const askAll = (headers: { readonly authorization: string }): Promise<readonly (readonly [string, number])[]> =>
      Promise.all(
        (Object.keys(DASHBOARD) as (keyof typeof DASHBOARD)[]).flatMap((service) =>
          topology.of(service).map(async ({ url }) => {
            return [service, (await send(url, 'GET', DASHBOARD[service], { headers })).status] as const;
          }),
        ),
      );
    const admin = await topology.session();
    const body = { email: `${randomUUID()}@example.com`, password: 'a password that is long enough', role: 'admin' };
    const made = await topology.request('POST', '/v1/users', { headers: admin, body });
    const { id } = made.json as { id: string };
    const logIn = async (): Promise<{ readonly authorization: string }> => {
      const { email, password } = body;
      const { json } = await topology.request('POST', '/v1/auth/login', { body: { email, password } });
      return { authorization: `Bearer ${(json as { token: string }).token}` };
    };
    for (let round = 0; round < 3; round += 1) {
      const session = await topology.session();
      const before = await askAll(session);
      expect(before.map(([, status]) => status)).toEqual(before.map(() => 200));
      expect((await topology.request('POST', '/v1/auth/logout', { headers: session })).status).toBe(204);
      expect((await askAll(session)).map(([, status]) => status)).toEqual(before.map(() => 401));
    }
    const other = await logIn();
    const demoted = await topology.request('PATCH', `/v1/users/${id}`, { headers: admin, body: { role: 'auditor' } });
    expect(demoted.status).toBe(200);
    const asAuditor = await askAll(other);
    expect(asAuditor.map(([, status]) => status)).toEqual(
      asAuditor.map(([service]) => (service === 'identity' ? 403 : 200)),
    );
    expect((await topology.request('DELETE', `/v1/users/${id}`, { headers: admin })).status).toBe(204);
    expect((await askAll(other)).map(([, status]) => status)).toEqual(asAuditor.map(() => 401));
  }, 90_000);

  it('serves the tool protocol from a separate process', async () => {
    const { agentId, apiKey } = topology.bootstrap;
    const call = { name: 'check_action', arguments: { agentId, action: { type: 'tool_use' } } };
    const answer = await topology.request('POST', '/mcp', {
      headers: { authorization: `Bearer ${apiKey}` },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call },
    });
    const structuredContent = { allowed: true, eventId: expect.any(String) };
    expect([answer.status, answer.json]).toMatchObject([200, { id: 1, result: { structuredContent } }]);
  });

  it('shows every route as a page, identically through the edge and from each service', async () => {
    const ask = async (base: string): Promise<unknown> => {
      const page = await send(base, 'GET', '/docs', {});
      const files = [...page.text.matchAll(/"(docs\/[^"]+)"/g)].map(([, name]) => name!);
      const statuses = await Promise.all(files.map(async (file) => (await send(base, 'GET', `/${file}`, {})).status));
      const { json } = await send(base, 'GET', '/v1/openapi.json', {});
      return [page.status, page.headers['etag'], statuses, Object.keys((json as { paths: object }).paths)];
    };
    const throughEdge = await ask(topology.edge.url);
    expect(throughEdge).toEqual([200, expect.any(String), [200, 200, 200, 200, 200], expect.any(Array)]);
    const names = new Set(topology.processes.flatMap(({ services }) => services));
    const alone = [...names].map((name) => ask(`http://127.0.0.1:${topology.of(name)[0]!.port}`));
    for (const one of await Promise.all(alone)) expect(one).toEqual(throughEdge);
  }, 60_000);

  it('exposes no internal route outside', async () => {
    expect((await topology.request('POST', '/internal/event-archive/span', { body: [] })).status).toBe(404);
    const [archive] = topology.of('audit-log');
    const direct = await fetch(`${archive?.url}/internal/event-archive/span`, { method: 'POST', body: '[]' });
    expect(direct.status).toBe(401);
  });

  it('ends in order, and answers the public routes from verification alone', async () => {
    const session = await topology.session();
    const { agentId } = topology.bootstrap;
    const issued = await topology.request('POST', '/v1/events/export-signed', {
      headers: session,
      body: {
        agentIds: [agentId],
        from: new Date(Date.now() - 600_000).toISOString(),
        to: new Date(Date.now() + 60_000).toISOString(),
        format: 'json',
        frameworks: ['soc2'],
      },
    });
    const path = `/v1/reports/${String(issued.headers['x-report-id'])}`;
    expect((await topology.request('PATCH', path, { headers: session, body: { public: true } })).status).toBe(200);
    await eventually('the report is public', 30, async () =>
      (await topology.request('GET', `${path}/public`)).status === 200 ? true : null,
    );
    const others = topology.processes.filter(({ services }) => !services.includes('verification'));
    const ends = await Promise.all(others.map((other) => other.stop()));
    expect(ends.map(({ code }) => code)).toEqual(ends.map(() => 0));

    expect((await topology.request('GET', '/v1/account', { headers: session })).status).toBe(503);
    const { status, text, json } = await topology.request('GET', `${path}/public`);
    expect([status, text]).toEqual([200, issued.text]);
    const { keys } = (await topology.request('GET', '/v1/keys')).json as { keys: { id: string }[] };
    expect((await topology.request('GET', `/v1/keys/${keys[0]?.id}`)).text).toContain('PUBLIC KEY');
    expect((await topology.request('GET', '/v1/verify/CSN-0000-0000-0000-0000')).status).toBe(404);
    const verified = await topology.request('POST', '/v1/inclusion/verify', { body: { report: json } });
    expect(verified.json).toMatchObject({ ok: true, signature: { valid: true } });
    const { sha256, signature } = json as { sha256: string; signature: string };
    const body = { sha256, signature, anchor_tx_signature: '1'.repeat(64) };
    expect((await topology.request('POST', '/v1/chain/verify', { body })).json).toMatchObject({ confirmed: false });
    const rest = await topology.stop();
    expect(rest).toEqual([{ service: 'verification', code: 0 }]);
  }, 120_000);
});
