import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApprovalFacts, BehaviorProfile, EventEnvelope } from '@countersign/contracts';
import { readContext } from '@countersign/evidence';
import { versionedRecord } from '@countersign/topics';
import { decisionOf, requestOf } from './approvals.test-setup.js';
import { GatewayBench } from './gateway.test-setup.js';
import type { Answer } from './gateway.test-setup.js';

const WIRE: Partial<BehaviorProfile> = {
  rules: [{ id: 'large', tools: ['wire'], effect: 'approve', expires_seconds: 600, ignore: ['payload.note'] }],
  freeze_on_violation: true,
  spending_limit: 10,
};
const wire = (payload: object, tool_name = 'wire') => ({ type: 'tool_use', tool_name, payload, estimatedCost: 4 });

describe('approvals at the gateway', () => {
  const bench = new GatewayBench();
  beforeAll(() => bench.open());
  afterAll(() => bench.close());

  const addAgent = async (profile = WIRE): Promise<string> => {
    const id = randomUUID();
    await bench.putAgent(id, profile);
    return id;
  };
  const check = (agentId: string, action: object, headers: Record<string, string> = {}): Promise<Answer> =>
    bench.check(action, { headers }, agentId);
  const newest = async (): Promise<EventEnvelope> => (await bench.events()).at(-1)!;
  const decide = async (agentId: string, state?: ApprovalFacts['state']): Promise<void> => {
    await bench.log.append([decisionOf(bench.accountId, agentId, requestOf(await newest()), state)]);
    await sleep(300);
  };

  it('are asked for in the answer and in the message, and counted as nothing', async () => {
    const agentId = await addAgent();
    const answer = await check(agentId, wire({ to: 'a' }), { 'x-countersign-principal': 'ann' });
    const { approval_id: id, expires_at: expiresAt } = answer.body as { approval_id: string; expires_at: string };
    expect([answer.status, answer.headers['retry-after']]).toEqual([200, '5']);
    expect(answer.body).toEqual({
      allowed: false,
      reason: expect.stringContaining('approval of a person'),
      severity: 'P2',
      violation_type: 'approval_required',
      rule: 'rules:large',
      decision: 'step_up',
      code: 'approval_pending',
      next_action: 'retry',
      approval_id: expect.stringMatching(/^apr_[0-9a-f-]{36}$/),
      approval_url: `https://example.com/console#approvals/${id}`,
      expires_at: expect.any(String),
    });
    const { leaf, openings, approvals, costMicros, freezesAgent } = await newest();
    expect([costMicros, freezesAgent, await bench.gateway.counters.isFrozen(agentId)]).toEqual([0, false, false]);
    expect(approvals).toEqual([
      {
        ...{ state: 'requested', id, ruleId: 'large', expiresSeconds: 600, expiresAt },
        ruleSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        bindingSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        requester: { apiKeyId: bench.keyId, principal: 'ann' },
      },
    ]);
    expect(readContext(openings.context?.value, true, leaf)).toMatchObject({ ok: true });
    expect(openings.context?.value).toMatchObject({
      effect: 'approve',
      approval: { id: id.slice(4), rule: 'large', state: 'pending' },
    });
    const again = await check(agentId, wire({ to: 'a' }));
    expect(again.body).toMatchObject({ approval_id: id, expires_at: expiresAt });
    expect(requestOf(await newest())).toMatchObject({ id, expiresAt });
  });

  it('let the action pass once, and one with another ignored member', async () => {
    const agentId = await addAgent();
    const { body } = await check(agentId, wire({ to: 'a', note: 'first' }));
    await decide(agentId);
    const headers = { 'x-approval-id': String(body.approval_id) };
    expect((await check(agentId, wire({ to: 'b' }), headers)).body).toMatchObject({
      code: 'out_of_scope',
      next_action: 'request',
    });
    expect((await check(agentId, wire({ to: 'b' }), headers)).body).not.toHaveProperty('approval_id');
    expect((await check(agentId, wire({ to: 'a', note: 'second' }), headers)).body).toEqual({ allowed: true });
    const { leaf, openings, approvals, costMicros } = await newest();
    expect([leaf.violation_type, costMicros]).toEqual([null, 4_000_000]);
    expect(readContext(openings.context?.value, true, leaf)).toMatchObject({ ok: true });
    expect(openings.context?.value).toMatchObject({ effect: 'allow', approval: { rule: 'large', state: 'consumed' } });
    expect(approvals).toMatchObject([{ state: 'consumed', id: body.approval_id, ruleId: 'large' }]);
    const over = await check(agentId, wire({ to: 'a' }), headers);
    expect(over.body).toMatchObject({ code: 'approval_consumed', next_action: 'request' });
    const next = await check(agentId, wire({ to: 'a' }));
    expect(next.body).toMatchObject({ code: 'approval_pending' });
    expect(next.body.approval_id).not.toBe(body.approval_id);
  });

  it('are judged by the profile of the retry: a change of another rule leaves them valid, and denies', async () => {
    const agentId = await addAgent();
    await check(agentId, wire({ to: 'a' }));
    await decide(agentId);
    await bench.putAgent(agentId, { ...WIRE, spending_limit: 1 });
    const denied = await check(agentId, wire({ to: 'a' }));
    expect(denied.body).toMatchObject({ violation_type: 'spending_limit_exceeded' });
    expect((await newest()).openings.context?.value).toMatchObject({ approval: { state: 'approved' } });
    await bench.gateway.counters.unfreeze(agentId);
    await bench.putAgent(agentId, { ...WIRE, rules: [{ ...WIRE.rules![0]!, expires_seconds: 601 }] });
    expect((await check(agentId, wire({ to: 'a' }))).body).toMatchObject({ code: 'approval_pending' });
    await bench.putAgent(agentId, WIRE);
    expect((await check(agentId, wire({ to: 'a' }))).body).toEqual({ allowed: true });
  });

  it('that were refused stay refused', async () => {
    const agentId = await addAgent();
    await check(agentId, wire({ to: 'a' }));
    await decide(agentId, 'denied');
    const { body, headers } = await check(agentId, wire({ to: 'a' }));
    expect(body).toMatchObject({ code: 'approval_denied', next_action: 'none', approval_id: expect.any(String) });
    expect(headers['retry-after']).toBeUndefined();
    expect((await newest()).approvals).toBeUndefined();
  });

  it('are for every action of the tool where the rule says so', async () => {
    const reuse = { until_seconds: 600, scope: 'tool' as const };
    const agentId = await addAgent({ rules: [{ id: 'tool', tools: ['w*'], effect: 'approve', reuse }] });
    await check(agentId, wire({ to: 'a' }));
    const [record] = [decisionOf(bench.accountId, agentId, requestOf(await newest()))];
    const { value } = JSON.parse(String(record.value)) as { value: ApprovalFacts };
    await bench.log.append([versionedRecord('approvals', record.key, 1, { ...value, reusable: true })]);
    await sleep(300);
    for (const to of ['b', 'c']) expect((await check(agentId, wire({ to }))).body).toEqual({ allowed: true });
    expect((await newest()).approvals).toMatchObject([{ state: 'used' }]);
    expect((await check(agentId, wire({ to: 'a' }, 'wire2'))).body).toMatchObject({ code: 'approval_pending' });
  });

  it('survive a restart: what waits, what was given, and what is used', async () => {
    const [waits, given, used] = [await addAgent(), await addAgent(), await addAgent()];
    const ids: unknown[] = [];
    for (const agentId of [waits, given, used]) {
      ids.push((await check(agentId, wire({ to: 'a' }))).body.approval_id);
      if (agentId !== waits) await decide(agentId);
    }
    expect((await check(used, wire({ to: 'a' }))).body).toEqual({ allowed: true });
    await bench.stop();
    await bench.open();
    await sleep(300);
    expect((await check(waits, wire({ to: 'a' }))).body).toMatchObject({ approval_id: ids[0] });
    expect((await check(used, wire({ to: 'a' }))).body).toMatchObject({ code: 'approval_pending' });
    expect((await check(given, wire({ to: 'a' }))).body).toEqual({ allowed: true });
    expect((await check(given, wire({ to: 'a' }))).body).toMatchObject({ code: 'approval_pending' });
  });
});
