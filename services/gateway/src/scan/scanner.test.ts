import { emptyProfile, compileProfile } from '@countersign/policy-engine';
import { powersOf } from '@countersign/contracts';
import type { ApiKeyFacts, BehaviorProfile } from '@countersign/contracts';
import type { KnownAgent } from '../follow/read-model.js';
import type { KeyHolder } from './agent-in-force.js';
import { Scanner } from './scanner.js';

const AGENT = '0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77';
const rules = { blocked_pii: ['email'], block_secrets: false, blocked_topics: [], max_length: null } as const;

function scannerOf(
  patch: Partial<BehaviorProfile>,
  {
    status = 'active',
    version = 1,
    arrives = true,
    registeredByKey,
  }: { status?: string; version?: number | null; arrives?: boolean; registeredByKey?: string } = {},
): Scanner {
  const profile = { ...emptyProfile(AGENT), ...patch };
  const agent = {
    version: 1,
    facts: { accountId: 'a', status, registeredByKey, profile },
    profile: compileProfile(profile),
  };
  return new Scanner(
    {
      agents: { waitFor: () => Promise.resolve(arrives) },
      agent: (id: string) => (id === AGENT ? (agent as unknown as KnownAgent) : undefined),
    } as unknown as ConstructorParameters<typeof Scanner>[0],
    { version: () => Promise.resolve(version) },
  );
}
const holder = (accountId = 'a', facts: Partial<ApiKeyFacts> = {}): KeyHolder => ({
  accountId,
  powers: powersOf(facts),
});
const text = 'write to someone@shop.example please';

describe('a scan', () => {
  it('judges a text by the output rules alone, and quotes nothing', async () => {
    const strict = scannerOf({ output_rules: rules, allowed_actions: ['nothing'], spending_limit: 0 });
    const denial = await strict.scan(holder(), { agentId: AGENT.toUpperCase(), text });
    expect(denial).toMatchObject({
      allowed: false,
      severity: 'P1',
      violation_type: 'unsafe_output',
      category: 'pii',
      pii_kind: 'email',
    });
    expect(JSON.stringify(denial)).not.toContain('shop');
    expect(await strict.scan(holder(), { agentId: AGENT, text: 'hello' })).toEqual({ allowed: true });
  });

  it('allows all without output rules, and while they are only observed', async () => {
    expect(await scannerOf({}).scan(holder(), { agentId: AGENT, text })).toEqual({ allowed: true });
    const observed = scannerOf({ output_rules: rules, mode: 'observe' });
    expect(await observed.scan(holder(), { agentId: AGENT, text })).toEqual({ allowed: true });
  });

  it('is 404 for a missing or inactive agent or one of another account, and judges a frozen one', async () => {
    for (const [one, account] of [
      [scannerOf({}, { status: 'inactive' }), 'a'],
      [scannerOf({}), 'b'],
    ] as const) {
      await expect(one.scan(holder(account), { agentId: AGENT, text })).rejects.toMatchObject({ status: 404 });
    }
    const missing = scannerOf({}, { version: null }).scan(holder(), { agentId: AGENT.replace('0', '1'), text });
    await expect(missing).rejects.toMatchObject({ status: 404 });
    expect(await scannerOf({}, { status: 'frozen' }).scan(holder(), { agentId: AGENT, text })).toEqual({
      allowed: true,
    });
  });

  it('requires a key that names the agent, or the first, where a key registered the agent', async () => {
    const one = scannerOf({}, { registeredByKey: 'k' });
    const by = (facts: Partial<ApiKeyFacts>) => one.scan(holder('a', facts), { agentId: AGENT.toUpperCase(), text });
    await expect(by({})).rejects.toMatchObject({ status: 404, message: expect.stringContaining(AGENT) });
    for (const facts of [{ agentIds: [AGENT] }, { first: true }] as const)
      expect(await by(facts)).toEqual({ allowed: true });
  });

  it('waits for the profile that is in force, else 503', async () => {
    const late = scannerOf({ output_rules: rules }, { version: 2, arrives: false });
    await expect(late.scan(holder(), { agentId: AGENT, text })).rejects.toMatchObject({ status: 503 });
  });

  it('takes a bounded amount of text of an account at once, and more once that is judged', async () => {
    const one = scannerOf({ output_rules: rules });
    const long = { agentId: AGENT, text: 'a'.repeat(1024 * 1024 - 1) };
    const scans = await Promise.allSettled(Array.from({ length: 9 }, () => one.scan(holder(), long)));
    const refused = scans.filter(({ status }) => status === 'rejected');
    expect(refused).toMatchObject([{ reason: { status: 503, headers: { 'retry-after': '1' } } }]);
    expect(await one.scan(holder(), long)).toEqual({ allowed: true });
  });
});
