import type { AccountFacts } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/service-kit';
import type { Projected } from '@countersign/service-kit';
import type { PolicyStore } from '../store/port.js';

/** As many as the checks of a sandbox. Where registration is open anybody has one, and every gateway holds every agent. */
export const MOST_AGENTS_OF_SANDBOX = 1000;

/** How many agents an account may have: about so many, where several are made at once. */
export class AgentAllowance {
  constructor(
    private readonly accounts: { get(id: string): Projected<AccountFacts> | undefined },
    private readonly store: Pick<PolicyStore, 'list'>,
    private readonly most = MOST_AGENTS_OF_SANDBOX,
  ) {}

  /** @throws HttpRefusal 409 where the account may not have another */
  async another(accountId: string): Promise<void> {
    if (this.accounts.get(accountId)?.value.plan !== 'sandbox') return;
    const { total } = await this.store.list(accountId, 1, 0);
    if (total >= this.most) {
      throw new HttpRefusal(
        409,
        `a sandbox has at most ${this.most} agents: upgrade the plan, or use one that is there`,
      );
    }
  }
}
