import type { WalletRegistration } from '@countersign/contracts';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { HttpRefusal } from '@countersign/http-edge';
import type { ServiceContext } from '@countersign/service-kit';
import type { Announcer } from '@countersign/topics';
import type { ProfilePatch, RulePatch } from '@countersign/policy-engine';
import type { Agent, AgentFields } from '../domain/agent.js';
import type { Actor, Change } from '../domain/change.js';
import { createAgent, deactivateAgent, freezeAgent, unfreezeAgent, updateAgent } from '../domain/life-cycle.js';
import type { Beginning } from '../domain/life-cycle.js';
import { applyPackage, changeProfile, profileChanged, putProfile } from '../domain/profile.js';
import { registerAgent, TAKEN } from '../domain/registration.js';
import { changeSigning } from '../domain/signing.js';
import type { SigningChange } from '../domain/signing.js';
import { AgentsFull, ClientTaken, TransactionTaken } from '../store/port.js';
import type { AgentWrite, PolicyStore } from '../store/port.js';
import { agentWrite } from './agent-write.js';
import type { ChangeBounds } from './change-bounds.js';

/** The account and the user, key or system that a change is made for. */
export interface Caller {
  readonly accountId: string;
  readonly actor: Actor;
  readonly apiKeyId: string | null;
}

interface Judged {
  readonly change: Change;
  readonly occurredAtMs: number;
}

/** Attempts to change an agent that others change at the same time; then the answer is 503. */
const MAX_TRIES = 50;

const NOT_FOUND = 'no such agent';

/**
 * Changes agents. A change is one durable write (agent and messages), then it is announced: once the method resolves, the
 * next check on any gateway follows it. Throws HttpRefusal: 404, 409, or 503 while the log or the counters are unavailable;
 * a change that was stored before a 503 is announced later, and the call can be repeated.
 */
export class AgentChanges {
  readonly #store: PolicyStore;
  readonly #announcer: Announcer;
  readonly #counters: ServiceContext['counters'];
  readonly #log: ServiceContext['log'];
  readonly #cadenceOf: (accountId: string) => Promise<number>;
  readonly #bounds: ChangeBounds;

  /** @param cadenceOf seconds between anchors, recorded in the account's events */
  constructor(
    context: Pick<ServiceContext, 'counters' | 'log'>,
    store: PolicyStore,
    announcer: Announcer,
    cadenceOf: (accountId: string) => Promise<number>,
    bounds: ChangeBounds,
  ) {
    this.#store = store;
    this.#announcer = announcer;
    this.#counters = context.counters;
    this.#log = context.log;
    this.#cadenceOf = cadenceOf;
    this.#bounds = bounds;
  }

  /**
   * Creates an agent; returns the stored one where an agent of that id exists.
   * @param beginning rules that apply from its first version on
   */
  async create(id: string, caller: Caller, fields: AgentFields, beginning: Beginning = {}): Promise<Agent> {
    const cadenceSeconds = await this.#cadenceOf(caller.accountId);
    const occurredAtMs = await this.#reach(() => this.#counters.now());
    const { accountId, actor, apiKeyId } = caller;
    const made = createAgent(id, accountId, fields, actor, occurredAtMs, nodeCrypto.sha256, beginning);
    const { agent, event, ruled } = made;
    const { profile, profileSha256 } = agent.facts;
    this.#bounds.take(accountId, ruled ? profile : null);
    // An empty profile follows from its version; one with rules is recorded in the log.
    const events = ruled ? [event, profileChanged(profile, profileSha256, actor)] : event;
    const write = agentWrite(agent, events, { occurredAtMs, cadenceSeconds, apiKeyId });
    const created = await this.#insert(write, accountId);
    await this.#announce();
    return created ? agent : this.find(caller.accountId, id);
  }

  /** @throws HttpRefusal 409 where the account has as many agents as its plan allows, or another has a client id */
  async #insert(write: AgentWrite, accountId: string): Promise<boolean> {
    const most = await this.#bounds.mostAgents(accountId);
    try {
      return await takingClients(() => this.#store.create(write, most));
    } catch (error) {
      if (!(error instanceof AgentsFull)) throw error;
      this.#bounds.refused('agents');
      throw new HttpRefusal(409, `the account has ${most} agents, inactive ones included: its plan allows no more`);
    }
  }

  /** @throws HttpRefusal 404, also for an agent of another account */
  async find(accountId: string, id: string): Promise<Agent> {
    const agent = await this.#store.findOf(accountId, id);
    if (agent === null) throw new HttpRefusal(404, NOT_FOUND);
    return agent;
  }

  update(caller: Caller, id: string, fields: Partial<AgentFields>): Promise<Agent> {
    return this.#change(caller, id, (agent) =>
      this.#now((now) => this.#counted(updateAgent(agent, fields, caller.actor, now))),
    );
  }

  changeProfile(caller: Caller, id: string, patch: ProfilePatch): Promise<Agent> {
    return this.#change(caller, id, (agent) =>
      this.#now((now) => this.#counted(changeProfile(agent, patch, caller.actor, now, nodeCrypto.sha256))),
    );
  }

  /** Replaces the whole profile: fields that the patch does not name take their defaults. */
  putProfile(caller: Caller, id: string, patch: ProfilePatch): Promise<Agent> {
    return this.#change(caller, id, (agent) =>
      this.#now((now) => this.#counted(putProfile(agent, patch, caller.actor, now, nodeCrypto.sha256))),
    );
  }

  applyPackage(caller: Caller, id: string, rules: RulePatch): Promise<Agent> {
    return this.#change(caller, id, (agent) =>
      this.#now((now) => this.#counted(applyPackage(agent, rules, caller.actor, now, nodeCrypto.sha256))),
    );
  }

  /** Changes how the agent signs its checks. */
  changeSigning(caller: Caller, id: string, change: SigningChange): Promise<Agent> {
    return this.#change(caller, id, (agent) =>
      this.#now((now) => this.#counted(changeSigning(agent, change, caller.actor, now))),
    );
  }

  /** Registers an agent by a checked transaction. @throws HttpRefusal 409 where it registered another agent meanwhile */
  async register(caller: Caller, id: string, registration: WalletRegistration): Promise<Agent> {
    try {
      return await this.#change(caller, id, (agent) =>
        this.#now((now) => registerAgent(agent, registration, caller.actor, now, nodeCrypto.sha256)),
      );
    } catch (error) {
      throw error instanceof TransactionTaken ? new HttpRefusal(409, TAKEN) : error;
    }
  }

  async freeze(caller: Caller, id: string, reason: string | null): Promise<Agent> {
    const agent = await this.#change(caller, id, (current) =>
      this.#now((now) => freezeAgent(current, reason, caller.actor, now, now)),
    );
    // Also when it was frozen before: the flag in the counters must agree with the answer.
    await this.#reach(() => this.#counters.freeze(id, agent.frozenAtMs));
    return agent;
  }

  unfreeze(caller: Caller, id: string, reason: string | null): Promise<Agent> {
    return this.#change(caller, id, async (agent) => {
      const { status } = agent.facts;
      const flagSet = status === 'frozen' || (status === 'active' && (await this.#counters.isFrozen(id)));
      // The flag first, because the record has its time: until then gateways refuse by the record that they have.
      const at = flagSet ? await this.#counters.unfreeze(id) : 0;
      return { change: unfreezeAgent(agent, reason, caller.actor, flagSet, at), occurredAtMs: at };
    });
  }

  deactivate(caller: Caller, id: string, reason: string | null): Promise<Agent> {
    return this.#change(caller, id, (agent) => this.#now((now) => deactivateAgent(agent, reason, caller.actor, now)));
  }

  async #change(caller: Caller, id: string, judge: (agent: Agent) => Promise<Judged>): Promise<Agent> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const before = await this.find(caller.accountId, id);
      const { change, occurredAtMs } = await this.#reach(() => judge(before));
      if (change.kind === 'refused') {
        if (change.status === 413) this.#bounds.refused('profile_bytes');
        throw new HttpRefusal(change.status, change.words);
      }
      if (change.kind === 'unchanged') {
        // A change that was answered with 503 may have stored it: it is announced before it is answered.
        await this.#announce();
        return change.agent;
      }
      const cadenceSeconds = await this.#cadenceOf(caller.accountId);
      const occurrence = { occurredAtMs, cadenceSeconds, apiKeyId: caller.apiKeyId };
      const write = agentWrite(change.agent, change.event, occurrence);
      if (await takingClients(() => this.#store.replace(write))) {
        await this.#announce();
        return change.agent;
      }
    }
    throw notNow('the agent is being changed by too many others at once: try again');
  }

  async #now(rule: (nowMs: number) => Change): Promise<Judged> {
    const occurredAtMs = await this.#counters.now();
    return { change: rule(occurredAtMs), occurredAtMs };
  }

  /** Counts a change against the account's allowance. @throws HttpRefusal 429 */
  #counted(change: Change): Change {
    if (change.kind !== 'changed') return change;
    const { accountId, profile } = change.agent.facts;
    this.#bounds.take(accountId, change.event.type === 'profile.changed' ? profile : null);
    return change;
  }

  #announce(): Promise<void> {
    return this.#reach(() => this.#announcer.announce());
  }

  /** Keeps the messages of drivers from callers; the log has them. */
  async #reach<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof HttpRefusal) throw error;
      this.#log.error({ err: error }, 'a change of an agent was not made durable or announced');
      throw notNow('the change cannot be made durable or announced at the moment: try again');
    }
  }
}

/** @throws HttpRefusal 409 where another agent of the account has a client id that is written */
async function takingClients<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!(error instanceof ClientTaken)) throw error;
    const { clientId, agentId } = error;
    throw new HttpRefusal(409, `agent ${agentId} has the OAuth client id ${clientId}: remove it there first`);
  }
}

export function notNow(words: string): HttpRefusal {
  return new HttpRefusal(503, words, { 'Retry-After': '1' });
}
