import { ACCOUNT, FACTS, openBench, OTHER_ACCOUNT } from '../policy.test-context.js';
import type { Bench } from '../policy.test-context.js';
import { AgentAllowance } from './agent-allowance.js';

describe('the agents that an account may have', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await openBench();
  });
  afterEach(() => bench.cleanup());

  it('are bounded in a sandbox alone, and of its own', async () => {
    const plans = new Map([
      [ACCOUNT, 'sandbox'],
      [OTHER_ACCOUNT, 'core'],
    ] as const);
    const accounts = {
      get: (id: string) => ({ version: 1, value: { ...FACTS, plan: plans.get(id as typeof ACCOUNT)! } }),
    };
    const allowance = new AgentAllowance(accounts, bench.store, 2);
    const make = async (accountId: string, n: number): Promise<void> => {
      await allowance.another(accountId);
      const caller = { accountId, actor: { kind: 'user', id: 'u' }, apiKeyId: null } as const;
      const fields = { name: 'a', type: null, purpose: null, version: null };
      await bench.changes.create(`aaaaaaaa-aaaa-4aaa-8aaa-00000000000${n}`, caller, fields);
    };
    for (const n of [1, 2, 3]) await make(OTHER_ACCOUNT, n);
    for (const n of [4, 5]) await make(ACCOUNT, n);
    await expect(make(ACCOUNT, 6)).rejects.toMatchObject({ status: 409 });
    expect((await bench.store.list(ACCOUNT, 10, 0)).total).toBe(2);
  });

  it('are not counted of an account that is not known here yet', async () => {
    const allowance = new AgentAllowance({ get: () => undefined }, bench.store, 0);
    await expect(allowance.another(ACCOUNT)).resolves.toBeUndefined();
  });
});
