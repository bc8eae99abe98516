import type { Instance } from '../instance/instance.js';
import { onEachProfile } from '../instance/profiles.js';
import { eventually } from '../instance/request.js';

onEachProfile('a restart', (start) => {
  let instance: Instance;
  beforeAll(async () => {
    instance = await start();
  }, 90_000);
  afterAll(() => instance.discard());

  it('keeps accounts, agents, events, spending, idempotency keys, anchors and credentials', async () => {
    const session = await instance.session();
    const { agentId } = instance.bootstrap;
    const before = instance.bootstrap;
    await instance.request('PATCH', `/v1/agents/${agentId}/profile`, { headers: session, body: { spending_limit: 3 } });
    const headers = { 'idempotency-key': 'over-the-restart' };
    const first = await instance.check({ type: 'pay', estimatedCost: 2 }, { headers });
    expect(first.text).toBe('{"allowed":true}');
    const anchored = await eventually('an anchor', 30, async () => {
      const { json } = await instance.request('GET', `/v1/agents/${agentId}/anchors`, { headers: session });
      const { anchors } = json as { anchors: unknown[] };
      return anchors.length > 0 ? anchors : null;
    });

    expect(await instance.stop()).toEqual({ code: 0, signal: null });
    instance = await instance.startAgain();

    expect(instance.bootstrap).toEqual({
      ...before,
      baseUrl: instance.bootstrap.baseUrl,
      mcpUrl: instance.bootstrap.mcpUrl,
      solanaRpcUrl: instance.bootstrap.solanaRpcUrl,
    });
    // The session, too: its record is in the log.
    const again = await instance.request('GET', `/v1/agents/${agentId}/anchors`, { headers: session });
    expect((again.json as { anchors: unknown[] }).anchors).toEqual(expect.arrayContaining(anchored));
    const repeated = await instance.check({ type: 'pay', estimatedCost: 2 }, { headers });
    expect([repeated.text, repeated.headers['x-event-id']]).toEqual([first.text, first.headers['x-event-id']]);
    expect((await instance.check({ type: 'pay', estimatedCost: 2 })).json).toMatchObject({
      violation_type: 'spending_limit_exceeded',
    });
    expect((await instance.check({ type: 'pay', estimatedCost: 1 })).text).toBe('{"allowed":true}');
  }, 90_000);
});
