import { powersOf } from '@countersign/contracts';
import type { BehaviorProfile } from '@countersign/contracts';
import { compileProfile, emptyProfile } from '@countersign/policy-engine';
import { ToolLister } from './tool-lister.js';

const AGENT = '0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77';
const holder = (accountId: string) => ({ accountId, powers: powersOf({}) });
const tools = ['read_file', 'delete_file'];

function listerOf(patch: Partial<BehaviorProfile>, status = 'active'): ToolLister {
  const profile = { ...emptyProfile(AGENT), ...patch };
  const agent = { version: 1, facts: { accountId: 'a', status, profile }, profile: compileProfile(profile) };
  const known = { agents: { waitFor: () => Promise.resolve(true) }, agent: () => agent };
  return new ToolLister(known as unknown as ConstructorParameters<typeof ToolLister>[0], {
    version: () => Promise.resolve(1),
  });
}

describe('tools that an agent may not use', () => {
  it.each([
    [{ off_limits_actions: ['delete_*'] }, 'off_limits_actions:delete_*'],
    [{ allowed_actions: ['read_file'] }, 'allowed_actions:not listed'],
    [{ blocked_apis: ['delete_file'] }, 'blocked_apis:delete_file'],
    [{ allowed_apis: ['read_file'] }, 'allowed_apis:not listed'],
  ])('%j: one of two, and why', async (patch, rule) => {
    const answer = await listerOf(patch).tools(holder('a'), { agentId: AGENT, tools });
    expect(answer.tools).toEqual([
      { name: 'read_file', allowed: true },
      expect.objectContaining({ name: 'delete_file', allowed: false, rule, reason: expect.any(String) }),
    ]);
  });

  it('no tool whose name breaks no rule, none for rules that are only observed, and none for a freeze', async () => {
    const all = tools.map((name) => ({ name, allowed: true }));
    const limits = { spending_limit: 0, rate_limit: { max: 1, per_seconds: 60 }, blocked_data_scopes: ['*'] };
    for (const one of [
      listerOf(limits),
      listerOf({ off_limits_actions: ['*'], mode: 'observe' }),
      listerOf({}, 'frozen'),
    ]) {
      expect(await one.tools(holder('a'), { agentId: AGENT, tools })).toEqual({ tools: all });
    }
  });

  it('nothing for another account’s agent, or an inactive one', async () => {
    await expect(listerOf({}).tools(holder('b'), { agentId: AGENT, tools })).rejects.toMatchObject({ status: 404 });
    await expect(listerOf({}, 'inactive').tools(holder('a'), { agentId: AGENT, tools })).rejects.toMatchObject({
      status: 404,
    });
  });
});
