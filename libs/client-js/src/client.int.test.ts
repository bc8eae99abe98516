import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ActionDeniedError, Countersign } from './index.js';
import type { CountersignOptions } from './index.js';

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;
interface Seen {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: { readonly action?: Record<string, unknown>; readonly outcome?: string } & Record<string, unknown>;
}

const AGENT = '0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77';
const EVENT = '01890a5d-ac96-774b-bcce-b302099a8057';
const ALLOWED = { allowed: true };
const DENIED = { allowed: false, reason: 'off limits', severity: 'P1', violation_type: 'off_limits_action', rule: 'r' };

describe('a client, when the service', () => {
  let server: Server;
  let handle: Handler;
  let seen: Seen[];
  let sockets: number;
  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        seen.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(body) as Seen['body'] });
        handle(request, response, body);
      });
    }).on('connection', () => (sockets += 1));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    seen = [];
    sockets = 0;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const baseUrl = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = (options: Partial<CountersignOptions> = {}) =>
    new Countersign({ apiKey: 'csn_live_key', agentId: AGENT, baseUrl: baseUrl(), ...options });
  const answers =
    (status: number, body: unknown, headers: Record<string, string> = {}): Handler =>
    (_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json', 'x-event-id': EVENT, ...headers });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
  const act = { actionType: 'tool_use', toolName: 'crm.lookup', estimatedCost: 0.5 };

  it('allows: sends both headers and the action in the form of the service, and keeps the connection', async () => {
    handle = answers(200, ALLOWED, { 'x-policy-coverage': 'governed' });
    const one = client();
    for (let n = 0; n < 20; n++) {
      expect(await one.check(act)).toEqual({ allowed: true, eventId: EVENT, coverage: 'governed' });
    }
    expect(sockets).toBeLessThan(3);
    expect(seen[0]?.body).toEqual({
      agentId: AGENT,
      action: { type: 'tool_use', toolName: 'crm.lookup', estimatedCost: 0.5 },
    });
    expect(seen[0]?.headers).toMatchObject({ 'x-service-key': 'csn_live_key', authorization: 'Bearer csn_live_key' });
    expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(20);
  });

  it('returns what observe mode would have denied, and marks a repeated decision', async () => {
    const wouldDeny = 'off_limits_action; rule=off_limits_actions:wire';
    handle = answers(200, ALLOWED, { 'x-would-deny': wouldDeny, 'x-idempotent-replay': 'true' });
    expect(await client().check(act)).toEqual({ allowed: true, eventId: EVENT, wouldDeny, idempotentReplay: true });
  });

  it('denies: returns the rule, and no violations, which are for refusals', async () => {
    handle = answers(200, DENIED);
    const denied: unknown[] = [];
    const result = await client({ onDenied: (one) => void denied.push(one) }).check(act);
    expect(result).toEqual({
      allowed: false,
      reason: 'off limits',
      severity: 'P1',
      violationType: 'off_limits_action',
      rule: 'r',
      eventId: EVENT,
    });
    expect(denied).toEqual([result]);
  });

  it.each([
    [400, { error: 'action.type: 1 character at least' }, 'invalid_request'],
    [401, { error: 'no valid API key' }, 'unauthorized'],
    [
      402,
      { allowed: false, reason: 'over', severity: 'P3', code: 'sandbox_action_cap', upgrade_url: 'u' },
      'sandbox_action_cap',
    ],
    [402, { allowed: false, reason: 'over', severity: 'P3', code: 'sandbox_expired' }, 'sandbox_expired'],
    [403, { allowed: false, reason: 'frozen', severity: 'P1', code: 'agent_frozen' }, 'agent_frozen'],
    [404, { error: 'no such agent' }, 'agent_not_found'],
    [413, { error: 'too large' }, 'refused'],
    [429, { allowed: false, reason: 'cap', severity: 'P3', code: 'plan_action_cap' }, 'plan_action_cap'],
  ])('refuses with %i: a result by code, once, whatever the fail mode', async (status, body, code) => {
    handle = answers(status, body);
    for (const failMode of ['closed', 'open', 'throw'] as const) {
      const result = await client({ failMode }).check(act);
      expect(result).toMatchObject({ allowed: false, violations: [code] });
      expect(result.error).toMatchObject({ code, isUnavailable: false, details: { status } });
      expect(result.reason).not.toBe('');
    }
    expect(seen.length).toBe(3);
  });

  const cutOff: Handler = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
    response.write('{"allowed":tr');
    setTimeout(() => response.destroy(), 10);
  };
  const undecided: [string, Handler, string][] = [
    [
      'answers 503',
      answers(503, { allowed: false, reason: 'starting', severity: 'P1', code: 'unavailable' }),
      'unavailable',
    ],
    ['passes its deadline', answers(503, { allowed: false, code: 'deadline_exceeded' }), 'deadline_exceeded'],
    ['answers 502 in HTML', answers(502, '<html>Bad gateway</html>'), 'unavailable'],
    ['answers 200 in HTML', answers(200, '<html>Sign in</html>'), 'invalid_response'],
    ['answers 403 in HTML', answers(403, '<html>Forbidden</html>'), 'invalid_response'],
    ['answers something else', answers(200, { ok: true }), 'invalid_response'],
    ['says "true" in quotes', answers(200, { allowed: 'true' }), 'invalid_response'],
    ['answers a list', answers(200, [ALLOWED]), 'invalid_response'],
    ['answers 204', (_request, response) => response.writeHead(204).end(), 'invalid_response'],
    ['sends elsewhere', answers(307, '', { location: 'http://127.0.0.1:1/v1/check' }), 'invalid_response'],
    ['cuts its answer off', cutOff, 'unreachable'],
    ['ends the connection', (request) => request.socket.destroy(), 'unreachable'],
    ['says nothing', () => undefined, 'timeout'],
  ];
  it.each(undecided)('%s: is never allowed by mistake', async (_what, handler, code) => {
    handle = handler;
    const quick = code === 'timeout' ? { attemptTimeoutMs: 150, retries: 1 } : { retries: 1 };
    const closed = await client(quick).check(act);
    expect(closed).toMatchObject({ allowed: false, severity: 'P1', violations: [code] });
    expect(closed.error).toMatchObject({ code, isUnavailable: true });
    const keys = seen.map(({ headers }) => headers['idempotency-key']);
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    await expect(client({ ...quick, failMode: 'throw' }).check(act)).rejects.toMatchObject({ code });
    const open = await client({ ...quick, failMode: 'open' }).check(act);
    expect(open).toMatchObject({ allowed: true, failedOpen: true, violations: [code] });
  });

  it('is down: unreachable', async () => {
    const gone = client({ baseUrl: 'http://127.0.0.1:1', retries: 0 });
    expect(await gone.check(act)).toMatchObject({ allowed: false, violations: ['unreachable'] });
  });

  it('speaks http although the address is https: the reason says so', async () => {
    const secure = client({ baseUrl: baseUrl().replace('http:', 'https:'), retries: 0 });
    const { allowed, error } = await secure.check(act);
    expect([allowed, error?.message]).toEqual([false, expect.stringContaining('the service speaks http here')]);
  });

  it('fails once, then decides: retries with the same key', async () => {
    let n = 0;
    handle = (...call) => (n++ === 0 ? answers(503, { allowed: false }) : answers(200, ALLOWED))(...call);
    expect(await client().check(act)).toMatchObject({ allowed: true });
    expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('asks for a longer delay than there is time: does not wait', async () => {
    handle = answers(503, { allowed: false, reason: 'busy' }, { 'retry-after': '30' });
    expect(await client().check(act)).toMatchObject({ violations: ['unavailable'] });
    expect(seen.length).toBe(1);
  });

  it('does not decide several times in a row: opens the circuit, then sends one trial call', async () => {
    handle = answers(500, { error: 'failed' });
    const one = client({ retries: 0, circuitBreaker: { failures: 2, cooldownMs: 50 } });
    for (const code of ['unavailable', 'unavailable', 'circuit_open']) {
      expect(await one.check(act)).toMatchObject({ allowed: false, violations: [code] });
    }
    expect(seen.length).toBe(2);
    expect((await one.check(act)).reason).toMatch(
      /the last one: the service answered 500\. It is asked again in 0\.\d s/u,
    );
    await new Promise((resolve) => setTimeout(resolve, 60));
    handle = answers(200, ALLOWED);
    expect(await one.check(act)).toMatchObject({ allowed: true });
    expect(await one.check(act)).toMatchObject({ allowed: true });
  });

  it('guards an action: executes and reports it, or neither', async () => {
    handle = (request, ...rest) =>
      (request.url === '/v1/check' ? answers(200, ALLOWED) : answers(201, { eventId: EVENT }))(request, ...rest);
    expect(await client().guard(act, ({ eventId }) => `done ${eventId}`)).toBe(`done ${EVENT}`);
    await expect(client().guard(act, () => Promise.reject(new Error('no luck')))).rejects.toThrow('no luck');
    expect(seen.filter(({ path }) => path === '/v1/mcp/log').map(({ body }) => body)).toEqual([
      { agentId: AGENT, eventId: EVENT, outcome: 'succeeded' },
      { agentId: AGENT, eventId: EVENT, outcome: 'failed' },
    ]);
    handle = answers(200, DENIED);
    let executed = false;
    const guarded = client().guard(act, () => void (executed = true));
    await expect(guarded).rejects.toThrow(ActionDeniedError);
    await expect(guarded).rejects.toMatchObject({ code: 'action_denied', result: { rule: 'r' } });
    expect(executed).toBe(false);
  });

  it('does not accept a report: the result of the action remains, and the failure is reported', async () => {
    handle = (request, ...rest) =>
      (request.url === '/v1/check' ? answers(200, ALLOWED) : answers(404, { error: 'no such event' }))(
        request,
        ...rest,
      );
    const reported: unknown[] = [];
    const one = client({ onReportFailed: (error) => void reported.push(error) });
    expect(await one.guard(act, () => 7)).toBe(7);
    expect(reported).toMatchObject([{ code: 'agent_not_found', message: 'no such event' }]);
    handle = answers(409, { error: 'reported already' });
    await one.reportOutcome({ eventId: EVENT, outcome: 'skipped' });
  });

  it('is slow and the caller cancels: rejects with the reason of the caller', async () => {
    handle = () => undefined;
    const given = new AbortController();
    const asked = client().check(act, { signal: given.signal });
    setTimeout(() => given.abort(new Error('changed my mind')), 20);
    await expect(asked).rejects.toThrow('changed my mind');
    await expect(client().check(act, { signal: given.signal })).rejects.toThrow('changed my mind');
    expect(seen.length).toBe(1);
  });

  it('scans a text', async () => {
    handle = answers(200, { ...DENIED, violation_type: 'unsafe_output', category: 'pii' });
    expect(await client().scan('text')).toMatchObject({ allowed: false, category: 'pii' });
    expect(seen[0]).toMatchObject({ path: '/v1/mcp/scan', body: { agentId: AGENT, text: 'text' } });
  });
});
