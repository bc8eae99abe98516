import { Countersign, type CheckResult } from './index.js';

const AGENT = '0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77';
const PENDING = {
  allowed: false,
  reason: 'a person has to approve this',
  severity: 'P2',
  violation_type: 'approval_required',
  rule: 'rules:night',
  decision: 'step_up',
  code: 'approval_pending',
  next_action: 'retry',
  approval_id: 'apr_1',
  approval_url: 'https://console.example/#/approvals/apr_1',
  expires_at: '2026-11-26T12:00:00.000Z',
};

interface Asked {
  readonly method: string | undefined;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

type Reply = readonly [number, unknown] | Error;

/** A service that answers checks and questions for the approval in the given order; the last answer of each repeats. */
function service(checks: unknown[], states: Reply[]): { client: Countersign; asked: Asked[] } {
  const asked: Asked[] = [];
  const fetch = (url: string, { method, headers, body }: RequestInit): Promise<Response> => {
    const { pathname, search } = new URL(url);
    const path = pathname + search;
    asked.push({ method, path, headers: headers as Record<string, string>, body });
    if (pathname === '/v1/check') {
      const answer = checks.length > 1 ? checks.shift() : checks[0];
      return Promise.resolve(new Response(JSON.stringify(answer), { headers: { 'retry-after': '5' } }));
    }
    const reply = states.length > 1 ? states.shift()! : states[0]!;
    if (reply instanceof Error) return Promise.reject(reply);
    return Promise.resolve(new Response(JSON.stringify(reply[1]), { status: reply[0] }));
  };
  return { client: new Countersign({ apiKey: 'k', agentId: AGENT, fetch, retries: 0 }), asked };
}

const pay = { actionType: 'pay', amount: 5000 };

describe('a check that needs an approval', () => {
  it('returns the request, and does not wait by default', async () => {
    const { client, asked } = service([PENDING], []);
    expect(await client.check(pay)).toEqual({
      allowed: false,
      reason: PENDING.reason,
      severity: 'P2',
      violationType: 'approval_required',
      rule: 'rules:night',
      decision: 'step_up',
      code: 'approval_pending',
      nextAction: 'retry',
      approvalId: 'apr_1',
      approvalUrl: PENDING.approval_url,
      expiresAt: PENDING.expires_at,
      retryAfterMs: 5000,
    });
    expect(asked).toHaveLength(1);
  });

  it('waits where the caller says so, and checks the same action again under another key once it is approved', async () => {
    const unavailable: Reply = [503, { reason: 'no log' }];
    const { client, asked } = service(
      [PENDING, { allowed: true }],
      [new Error('reset'), unavailable, [200, { id: 'apr_1', state: 'approved' }]],
    );
    const result = await client.check(pay, { waitForApprovalMs: 20_000, idempotencyKey: 'refund-7' });
    expect(result).toMatchObject({ allowed: true });
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/check',
      'GET /v1/approvals/apr_1?wait=20',
      'GET /v1/approvals/apr_1?wait=20',
      expect.stringMatching(/^GET .v1.approvals.apr_1\?wait=1[89]$/u),
      'POST /v1/check',
    ]);
    const [first, question, , , second] = asked;
    expect(question?.body).toBeUndefined();
    expect(second?.body).toBe(first?.body);
    expect(first?.headers).toMatchObject({ 'idempotency-key': 'refund-7' });
    expect(second?.headers).toMatchObject({ 'idempotency-key': 'apr_1.1.refund-7', 'x-approval-id': 'apr_1' });
  });

  it('checks again under another key while a gateway does not know of the approval yet', async () => {
    const { client, asked } = service([PENDING, PENDING, PENDING, { allowed: true }], [[200, { state: 'approved' }]]);
    const options = { waitForApprovalMs: 5000, idempotencyKey: 'refund-7' };
    expect(await client.check(pay, options)).toMatchObject({ allowed: true });
    const keys = asked.filter(({ method }) => method === 'POST').map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual(['refund-7', 'apr_1.1.refund-7', 'apr_1.2.refund-7', 'apr_1.3.refund-7']);
  });

  it.each([
    ['denied', 'none'],
    ['expired', 'request'],
  ])('says that its approval is %s, and does not check again', async (state, nextAction) => {
    const { client, asked } = service([PENDING], [[200, { id: 'apr_1', state }]]);
    const result = await client.check(pay, { waitForApprovalMs: 5000 });
    expect(result).toMatchObject({ allowed: false, code: `approval_${state}`, nextAction, approvalId: 'apr_1' });
    expect(result.retryAfterMs).toBeUndefined();
    expect(asked).toHaveLength(2);
  });

  it('gets the answer of its own check again where that has used the approval', async () => {
    const { client, asked } = service([PENDING, { allowed: true }], [[200, { state: 'consumed' }]]);
    const options = { waitForApprovalMs: 5000, idempotencyKey: 'refund-7' };
    expect(await client.check(pay, options)).toMatchObject({ allowed: true });
    expect(asked.at(-1)?.headers['idempotency-key']).toBe('apr_1.1.refund-7');
  });

  it('ends with its time: the denial is the result, and a service that answers at once is not asked in a loop', async () => {
    const { client, asked } = service([PENDING], [[200, { id: 'apr_1', state: 'pending' }]]);
    const result = await client.check(pay, { waitForApprovalMs: 900 });
    expect(result).toMatchObject({ allowed: false, code: 'approval_pending' });
    expect(asked.length).toBeLessThanOrEqual(4);
  });

  it.each([
    [404, { error: 'no such approval' }],
    [401, { error: 'no such key' }],
  ])('does not wait where the service refuses to say the state: %i', async (status, body) => {
    const { client, asked } = service([PENDING], [[status, body]]);
    expect(await client.check(pay, { waitForApprovalMs: 5000 })).toMatchObject({ code: 'approval_pending' });
    expect(asked).toHaveLength(2);
  });

  it('never takes an unknown state for an approval', async () => {
    for (const answer of [{ state: 'granted' }, {}, { state: ['approved'] }]) {
      const { client, asked } = service([PENDING, { allowed: true }], [[200, answer]]);
      expect(await client.check(pay, { waitForApprovalMs: 300 })).toMatchObject({ allowed: false });
      expect(asked.filter(({ path }) => path === '/v1/check')).toHaveLength(1);
    }
  });

  it('stops when the caller cancels', async () => {
    const { client } = service([PENDING], [[200, { state: 'pending' }]]);
    const ended = new AbortController();
    const waiting = client.check(pay, { waitForApprovalMs: 60_000, signal: ended.signal });
    setTimeout(() => ended.abort(new Error('shut down')), 50);
    await expect(waiting).rejects.toThrow('shut down');
  });

  it('takes the wait of the client unless the call says another, and refuses one that is no time', async () => {
    const { client } = service([PENDING], []);
    await expect(client.check(pay, { waitForApprovalMs: -1 })).rejects.toThrow(/waitForApprovalMs/u);
    expect(() => new Countersign({ apiKey: 'k', agentId: AGENT, waitForApprovalMs: Number.NaN })).toThrow(
      /waitForApprovalMs/u,
    );
    const denied: CheckResult[] = [];
    const answers = [PENDING, { allowed: true }];
    const fetch = (url: string): Promise<Response> =>
      Promise.resolve(
        new Response(JSON.stringify(url.includes('/v1/approvals/') ? { state: 'approved' } : answers.shift())),
      );
    const options = { apiKey: 'k', agentId: AGENT, fetch, onDenied: (one: CheckResult) => void denied.push(one) };
    const waits = new Countersign({ ...options, waitForApprovalMs: 1000 });
    expect(await waits.guard(pay, () => 'paid')).toBe('paid');
    expect(denied).toEqual([]);
  });
});
