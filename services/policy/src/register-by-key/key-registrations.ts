import type { AccountFacts } from '@countersign/contracts';
import type { Counters } from '@countersign/counters';
import {
  applyProfilePatch,
  emptyProfile,
  profileProblem,
  profileSizeProblem,
  strictestOf,
} from '@countersign/policy-engine';
import type { RulePatch } from '@countersign/policy-engine';
import { randomUUID as uuidV4 } from 'node:crypto';
import { HttpRefusal } from '@countersign/http-edge';
import type { ApiKeyCaller } from '@countersign/http-edge';
import type { Projection } from '@countersign/topics';
import { notNow } from '../change-agent/agent-changes.js';
import type { AgentChanges } from '../change-agent/agent-changes.js';
import type { Agent, AgentFields } from '../domain/agent.js';
import type { PolicyStore } from '../store/port.js';

const PAGE = 500;
const WAIT_MS = 1000;

/** Registers agents by API keys: a new agent does not evade the rules of another (decision record 0057). */
export class KeyRegistrations {
  constructor(
    private readonly changes: Pick<AgentChanges, 'create'>,
    private readonly store: Pick<PolicyStore, 'findOf' | 'list'>,
    private readonly counters: Pick<Counters, 'isFrozen' | 'version'>,
    private readonly accounts: Pick<Projection<AccountFacts>, 'get' | 'waitFor'>,
  ) {}

  /**
   * Creates an agent with the default profile of the account; where none is set, with everything that any agent of the key is
   * denied. Unless the first key creates it, only a key that names it acts as it.
   * @throws HttpRefusal 403 while an agent of the key is frozen, unless it is the first key; 409; 503
   */
  async register({ accountId, apiKeyId, powers }: ApiKeyCaller, fields: AgentFields): Promise<Agent> {
    const agents = await this.#agentsOf(accountId, powers.agents);
    if (!powers.first) await this.#refuseFrozen(agents);
    const set = await this.#defaultOf(accountId);
    if (set === undefined && agents.length === 0 && !powers.first) {
      throw new HttpRefusal(
        409,
        'this API key has no agent whose rules a new one could begin with: an admin sets a default profile by PUT /v1/account/default-profile',
      );
    }
    const rules = set ?? strictestOf(agents.map(({ facts }) => facts.profile));
    const profile = applyProfilePatch(emptyProfile(apiKeyId), rules);
    const problem = profileSizeProblem(profile) ?? profileProblem(profile);
    if (problem !== null) {
      throw new HttpRefusal(
        409,
        `what the agents of this API key are denied does not fit into one profile (${problem}): an admin sets a default profile by PUT /v1/account/default-profile`,
      );
    }
    const caller = { accountId, apiKeyId, actor: { kind: 'api_key', id: apiKeyId } } as const;
    const beginning = powers.first ? { rules } : { rules, registeredByKey: apiKeyId };
    return this.changes.create(uuidV4(), caller, fields, beginning);
  }

  /** With inactive ones: the rules of an agent that was deactivated apply to the next. */
  async #agentsOf(accountId: string, ids: ReadonlySet<string> | null): Promise<readonly Agent[]> {
    const agents: Agent[] = [];
    if (ids !== null) {
      const found = await Promise.all([...ids].map((id) => this.store.findOf(accountId, id)));
      agents.push(...found.filter((agent) => agent !== null));
    } else {
      for (let offset = 0; ; offset += PAGE) {
        const { items } = await this.store.list(accountId, PAGE, offset);
        agents.push(...items);
        if (items.length < PAGE) break;
      }
    }
    return agents;
  }

  /** Reads records and the flags of the counters: a gateway that froze an agent is ahead of its record. */
  async #refuseFrozen(agents: readonly Agent[]): Promise<void> {
    const flags = await Promise.all(
      agents.map(
        async ({ id, facts }) =>
          facts.status !== 'inactive' && (facts.status === 'frozen' || (await this.counters.isFrozen(id))),
      ),
    ).catch(() => {
      throw notNow('it cannot be known at the moment whether an agent of this API key is frozen: try again');
    });
    const frozen = agents.find((_agent, n) => flags[n]);
    if (frozen === undefined) return;
    throw new HttpRefusal(
      403,
      `agent ${frozen.id} of this API key is frozen, so it registers no other: a member unfreezes or deactivates that agent, or creates the new one`,
    );
  }

  async #defaultOf(accountId: string): Promise<RulePatch | undefined> {
    const version = await this.counters.version('account', accountId).catch(() => {
      throw notNow('the default profile of the account cannot be known at the moment: try again');
    });
    if (version !== null && !(await this.accounts.waitFor(accountId, version, WAIT_MS))) {
      throw notNow('a change of the account has not arrived here yet: try again');
    }
    return this.accounts.get(accountId)?.value.defaultProfile;
  }
}
