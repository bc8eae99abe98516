import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Instance } from '../instance/instance.js';
import { eventually } from '../instance/request.js';

interface Denial {
  readonly allowed: boolean;
  readonly code?: string;
  readonly approval_id?: string;
}

/** One installation for all cases; its process is killed and started again. */
describe('approvals over a kill of the process, decided in a terminal', () => {
  let instance: Instance;
  beforeAll(async () => {
    instance = await Instance.start();
    const rule = {
      id: 'large-refund',
      effect: 'approve',
      tools: ['refund'],
      severity: 'P2',
      reason: 'A person approves.',
    };
    const saved = await instance.request('PATCH', `/v1/agents/${instance.bootstrap.agentId}/profile`, {
      headers: await instance.session(),
      body: { store_payload: true, rules: [{ ...rule, expires_seconds: 600 }] },
    });
    expect(saved.status).toBe(200);
  }, 120_000);
  afterAll(() => instance?.discard());

  const refund = async (amount: number, key?: string): Promise<Denial> => {
    const action = { type: 'tool_call', toolName: 'refund', payload: { amount, note: '\u001b[2J\u202Egnp' } };
    const { status, json } = await instance.check(
      action,
      key === undefined ? {} : { headers: { 'idempotency-key': key } },
    );
    expect(status).toBe(200);
    return json as Denial;
  };
  const approvals = (...args: readonly string[]) => instance.command('approvals', ...args);
  const shown = (id: string): Promise<string> =>
    eventually('the approval is known', 60, async () => {
      const { code, stdout } = await approvals('show', id, '--json');
      return code === 0 ? (JSON.parse(stdout) as { shown_sha256: string }).shown_sha256 : null;
    });
  const again = async (): Promise<void> => {
    await instance.kill();
    instance = await instance.startAgain();
  };
  /** Until the decision has reached the counters. */
  const passes = (amount: number, key: string): Promise<Denial> =>
    eventually('the approval is used', 30, async () => {
      const answer = await refund(amount, `${key}-${randomUUID()}`);
      return answer.allowed ? answer : null;
    });

  async function asked(amount: number): Promise<string> {
    const { allowed, code, approval_id: id } = await refund(amount);
    expect([allowed, code]).toEqual([false, 'approval_pending']);
    return id!;
  }

  /** Erases the content of the event of a decision: its comment is then shown nowhere, and the event is proven as before. */
  async function erased(id: string, comment: string): Promise<void> {
    const headers = await instance.session();
    const read = async (path: string) => instance.request('GET', path, { headers });
    const eventId = await eventually('the decision is anchored', 60, async () => {
      const { json } = await read('/v1/events?type=approval.decided');
      const [event] = (json as { events: { eventId: string; anchored: boolean; action: unknown }[] }).events;
      return event?.anchored === true && JSON.stringify(event.action).includes(comment) ? event.eventId : null;
    });
    const proof = () => read(`/v1/events/${eventId}/proof`);
    const before = await proof();
    expect(before.status).toBe(200);
    const { status } = await instance.request('DELETE', `/v1/events/${eventId}/content`, { headers });
    expect(status).toBe(204);
    await eventually('the record has no comment', 30, async () =>
      (await read(`/v1/approvals/${id}`)).text.includes(comment) ? null : true,
    );
    const { text, json } = await read(`/v1/events/${eventId}`);
    expect([text.includes(comment), (json as { outcome: string }).outcome]).toEqual([false, 'denied']);
    const after = await proof();
    expect(after.json).toEqual(before.json);
    expect((await instance.request('POST', '/v1/inclusion/verify', { body: after.json })).json).toMatchObject({
      ok: true,
    });
    const { json: record } = await read(`/v1/approvals/${id}`);
    expect(record).toMatchObject({ state: 'denied', decisions: [{ decision: 'deny', comment: null }] });
  }

  it('lists, shows and decides, with exit codes', async () => {
    const id = await asked(1);
    const digest = await shown(id);
    const { stdout, code } = await approvals('show', id);
    expect([code, stdout.includes('"amount": 1'), stdout.includes(`shown      ${digest}`)]).toEqual([0, true, true]);
    expect(stdout).toContain('\\u001b[2J\\u202egnp');
    expect((await approvals('list', '--status', 'pending')).stdout).toMatch(
      new RegExp(`^${id} .*you may decide$`, 'm'),
    );
    const listed = JSON.parse((await approvals('list', '--most', '1', '--json')).stdout) as { approvals: unknown[] };
    expect(listed.approvals).toHaveLength(1);
    for (const [args, ended, says] of [
      [['decide', id, '--deny'], 64, 'no terminal'],
      [['decide', id, '--approve', '--deny', '--shown', digest], 64, 'one of --approve and --deny'],
      [['decide', id, '--approve', '--shown', '0'.repeat(64)], 1, 'shown_sha256'],
      [['decide', 'apr_1', '--approve'], 64, 'no id of an approval'],
      [['show', `apr_${randomUUID()}`], 1, '404'],
      [['list', '--status', 'open'], 64, 'Allowed choices'],
    ] as const) {
      const ran = await approvals(...args);
      expect([args, ran.code, ran.stderr]).toEqual([args, ended, expect.stringContaining(says)]);
    }
    const denied = await approvals('decide', id, '--deny', '--comment', 'not this one', '--shown', digest);
    expect([denied.code, denied.stdout]).toEqual([0, `${id}: denied\n`]);
    expect((await approvals('decide', id, '--approve', '--shown', digest)).stderr).toContain('you have decided');
    expect((await approvals('show', id)).stdout).toContain('not this one');
    await erased(id, 'not this one');
    const wrong = join(instance.dataDir, 'wrong-password');
    writeFileSync(wrong, 'not the password');
    expect((await approvals('list', '--password-file', wrong)).code).toBe(1);
  }, 120_000);

  it('are not lost where the process is killed right after the decision', async () => {
    const id = await asked(2);
    const { code } = await approvals('decide', id, '--approve', '--shown', await shown(id));
    expect(code).toBe(0);
    await again();
    expect((await passes(2, 'granted')).allowed).toBe(true);
    const next = await refund(2);
    expect([next.allowed, next.code, next.approval_id === id]).toEqual([false, 'approval_pending', false]);
  }, 120_000);

  it('are used once where the process is killed while retries are under way', async () => {
    const id = await asked(3);
    expect((await approvals('decide', id, '--approve', '--shown', await shown(id))).code).toBe(0);
    const keys = Array.from({ length: 8 }, () => randomUUID());
    const firsts = keys.map((key) => refund(3, key).catch(() => null));
    await Promise.race(firsts);
    await instance.kill();
    const before = (await Promise.all(firsts)).map((answer) => answer?.allowed === true);
    instance = await instance.startAgain();
    // The same keys again: the check that used the approval keeps its answer, whether or not it reached the caller.
    const allowed = new Set<string>(keys.filter((_, index) => before[index]));
    const answers = await eventually('one is allowed', 30, async () => {
      for (const key of keys) if ((await refund(3, key)).allowed) allowed.add(key);
      if (allowed.size === 0 && (await refund(3)).allowed) allowed.add('new');
      return allowed.size > 0 ? allowed : null;
    });
    expect(answers.size).toBe(1);
    for (let n = 0; n < 3; n += 1) expect((await refund(3)).allowed).toBe(false);
    const { stdout } = await eventually('its use is known', 30, async () => {
      const ran = await approvals('show', id, '--json');
      return ran.stdout.includes('"consumed"') ? ran : null;
    });
    expect((JSON.parse(stdout) as { used_by: unknown[] }).used_by).toHaveLength(1);
  }, 120_000);
});
