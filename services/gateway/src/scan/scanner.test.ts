import { emptyProfile, compileProfile } from '@countersign/policy-engine';
import type { BehaviorProfile } from '@countersign/contracts';
import type { KnownAgent } from '../follow/known-facts.js';
import { Scanner } from './scanner.js';

const AGENT = '0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77';
const rules = { blocked_pii: ['email'], block_secrets: false, blocked_topics: [], max_length: null } as const;

function scannerOf(
  patch: Partial<BehaviorProfile>,
  {
    status = 'active',
    version = 1,
    arrives = true,
  }: { status?: string; version?: number | null; arrives?: boolean } = {},
): Scanner {
  const profile = { ...emptyProfile(AGENT), ...patch };
  const agent = { version: 1, facts: { accountId: 'a', status, profile }, profile: compileProfile(profile) };
  return new Scanner(
    {
      agents: { waitFor: () => Promise.resolve(arrives) },
      agent: (id: string) => (id === AGENT ? (agent as unknown as KnownAgent) : undefined),
    } as unknown as ConstructorParameters<typeof Scanner>[0],
    { version: () => Promise.resolve(version) },
  );
}
const text = 'write to someone@shop.example please';

describe('a scan', () => {
  it('judges a text by the output rules alone, and quotes nothing', async () => {
    const strict = scannerOf({ output_rules: rules, allowed_actions: ['nothing'], spending_limit: 0 });
    const denial = await strict.scan('a', { agentId: AGENT.toUpperCase(), text });
    expect(denial).toMatchObject({
      allowed: false,
      severity: 'P1',
      violation_type: 'unsafe_output',
      category: 'pii',
      pii_kind: 'email',
    });
    expect(JSON.stringify(denial)).not.toContain('shop');
    expect(await strict.scan('a', { agentId: AGENT, text: 'hello' })).toEqual({ allowed: true });
  });

  it('allows all without output rules, and while they are only observed', async () => {
    expect(await scannerOf({}).scan('a', { agentId: AGENT, text })).toEqual({ allowed: true });
    const observed = scannerOf({ output_rules: rules, mode: 'observe' });
    expect(await observed.scan('a', { agentId: AGENT, text })).toEqual({ allowed: true });
  });

  it('is 404 for what is not there, another account, or inactive, and judges what is frozen', async () => {
    for (const [one, account] of [
      [scannerOf({}, { status: 'inactive' }), 'a'],
      [scannerOf({}), 'b'],
    ] as const) {
      await expect(one.scan(account, { agentId: AGENT, text })).rejects.toMatchObject({ status: 404 });
    }
    const missing = scannerOf({}, { version: null }).scan('a', { agentId: AGENT.replace('0', '1'), text });
    await expect(missing).rejects.toMatchObject({ status: 404 });
    expect(await scannerOf({}, { status: 'frozen' }).scan('a', { agentId: AGENT, text })).toEqual({ allowed: true });
  });

  it('waits for the profile that is in force, else 503', async () => {
    const late = scannerOf({ output_rules: rules }, { version: 2, arrives: false });
    await expect(late.scan('a', { agentId: AGENT, text })).rejects.toMatchObject({ status: 503 });
  });

  it('takes so much text of an account and no more at once, and again once that is judged', async () => {
    const one = scannerOf({ output_rules: rules });
    const long = { agentId: AGENT, text: 'a'.repeat(1024 * 1024 - 1) };
    const scans = await Promise.allSettled(Array.from({ length: 9 }, () => one.scan('a', long)));
    const refused = scans.filter(({ status }) => status === 'rejected');
    expect(refused).toMatchObject([{ reason: { status: 503, headers: { 'retry-after': '1' } } }]);
    expect(await one.scan('a', long)).toEqual({ allowed: true });
  });
});
