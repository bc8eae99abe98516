import { accountStream } from '@countersign/contracts';
import type { AccountFacts, AgentFacts, AgentHeadFacts } from '@countersign/contracts';
import { Projection } from '@countersign/topics';
import type { ServiceContext } from '@countersign/service-kit';

/**
 * The sequence of the last archived event of each agent, and of the account's trail, by account: from the topics `accounts`,
 * `agents` and `agent-heads`.
 */
export class AgentHeads {
  readonly #accounts: Projection<true>;
  /** Account by the id of its trail. */
  readonly #trails = new Map<string, string>();
  readonly #agents: Projection<string>;
  readonly #heads: Projection<number>;
  readonly #byAccount = new Map<string, Map<string, number>>();
  readonly #moved: ((accountId: string) => void)[] = [];

  private constructor(accounts: Projection<true>, agents: Projection<string>, heads: Projection<number>) {
    this.#accounts = accounts;
    this.#agents = agents;
    this.#heads = heads;
    accounts.onChange((accountId) => this.#trail(accountId));
    agents.onChange((agentId) => this.#put(agentId));
    heads.onChange((agentId) => this.#put(agentId));
  }

  static async follow(context: ServiceContext): Promise<AgentHeads> {
    const accounts = await Projection.follow<AccountFacts, true>(context, 'accounts', { keep: () => true });
    const agents = await Projection.follow<AgentFacts, string>(context, 'agents', {
      keep: ({ accountId }) => accountId,
    });
    const heads = await Projection.follow<AgentHeadFacts, number>(context, 'agent-heads', {
      keep: ({ lastSequence }) => lastSequence,
    });
    const all = new AgentHeads(accounts, agents, heads);
    for (const { id } of accounts.values()) all.#trail(id);
    for (const { id } of heads.values()) all.#put(id);
    return all;
  }

  /** Calls the listener with the account whose events became more. */
  onMove(listener: (accountId: string) => void): void {
    this.#moved.push(listener);
  }

  /** Last sequences by agent. */
  of(accountId: string): ReadonlyMap<string, number> {
    return this.#byAccount.get(accountId) ?? NONE;
  }

  /** Why it does not follow its topics; `null`: it does. */
  problem(): string | null {
    return this.#accounts.problem() ?? this.#agents.problem() ?? this.#heads.problem();
  }

  async stop(): Promise<void> {
    await this.#heads.stop();
    await this.#agents.stop();
    await this.#accounts.stop();
  }

  #trail(accountId: string): void {
    const id = accountStream(accountId);
    if (this.#trails.has(id)) return;
    this.#trails.set(id, accountId);
    this.#put(id);
  }

  #put(agentId: string): void {
    const accountId = this.#agents.get(agentId)?.value ?? this.#trails.get(agentId);
    const last = this.#heads.get(agentId)?.value;
    if (accountId === undefined || last === undefined) return;
    let agents = this.#byAccount.get(accountId);
    if (agents === undefined) this.#byAccount.set(accountId, (agents = new Map<string, number>()));
    if (agents.get(agentId) === last) return;
    agents.set(agentId, last);
    for (const listener of this.#moved) listener(accountId);
  }
}

const NONE: ReadonlyMap<string, number> = new Map();
