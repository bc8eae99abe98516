import { hash } from 'node:crypto';
import { powersOf } from '@countersign/contracts';
import type { AccountFacts, AgentFacts, ApiKeyFacts, ApiKeyPowers, TrustedIssuer } from '@countersign/contracts';
import type { CheckTrip } from '@countersign/counters';
import { compileProfile, profileProblem } from '@countersign/policy-engine';
import type { CompiledProfile } from '@countersign/policy-engine';
import { askingRules } from '../domain/asking-rules.js';
import type { AskingRules } from '../domain/asking-rules.js';
import type { ContextPlan } from '../domain/check-context.js';
import { Projection } from '@countersign/topics';
import type { ServiceContext } from '@countersign/service-kit';
import type { Projected } from '@countersign/topics';
import { packAgent, profileOf } from './packed-agent.js';
import type { PackedAgent } from './packed-agent.js';
import { RecentlyUsed } from './recently-used.js';

/** An API key that is not revoked. */
export interface KnownKey extends ApiKeyPowers {
  readonly id: string;
  readonly version: number;
  readonly accountId: string;
}

export interface KnownAccount {
  readonly version: number;
  readonly plan: CheckTrip['plan'];
  /** The plan as the context of a check has it. */
  readonly contextPlan: ContextPlan;
  readonly cadenceSeconds: number;
  /** `null`: none. */
  readonly trustedIssuers: readonly TrustedIssuer[] | null;
}

export interface KnownAgent {
  readonly version: number;
  readonly facts: PackedAgent;
  readonly profile: CompiledProfile;
  /** `null`: no rule asks for an approval. */
  readonly asking: AskingRules | null;
}

/** Text of the profiles that are held compiled; a compiled one takes some six times its text. */
const COMPILED_CHARACTERS = 16 * 1024 * 1024;
/** Weight of a compiled profile without any rule. */
const OVERHEAD_CHARACTERS = 512;
/** Maximum number of remembered keys, more than a gateway sees at a time; then the cache is cleared. */
const MAX_REMEMBERED_KEYS = 10_000;

type FollowContext = Pick<ServiceContext, 'name' | 'eventLog' | 'config'>;

/** The gateway's read model of accounts, keys, agents and profiles: local copies, without look-ups elsewhere. */
export class ReadModel {
  readonly accounts: Projection<AccountFacts>;
  readonly apiKeys: Projection<ApiKeyFacts>;
  readonly agents: Projection<PackedAgent>;
  readonly #cadence: number | null;
  /** By the key as sent, so that a key in use is hashed once. Cleared whenever any key changes. */
  readonly #keys = new Map<string, KnownKey>();
  readonly #accounts = new Map<string, KnownAccount>();
  /** Compiled at first use, weighed by the text of their profiles. */
  readonly #agents = new RecentlyUsed<KnownAgent>(COMPILED_CHARACTERS);

  private constructor(
    config: FollowContext['config'],
    accounts: Projection<AccountFacts>,
    apiKeys: Projection<ApiKeyFacts>,
    agents: Projection<PackedAgent>,
  ) {
    this.#cadence = config.anchorWindowSeconds;
    this.accounts = accounts;
    this.apiKeys = apiKeys;
    this.agents = agents;
    apiKeys.onChange(() => this.#keys.clear());
    accounts.onChange((id) => this.#accounts.delete(id));
    agents.onChange((id) => this.#agents.delete(id));
  }

  /** Starts to read; `problem()` is not null until all three topics were read. */
  static async follow(context: FollowContext): Promise<ReadModel> {
    return new ReadModel(
      context.config,
      await Projection.follow<AccountFacts>(context, 'accounts'),
      await Projection.follow<ApiKeyFacts>(context, 'api-keys', { indexes: { sha256: (_id, key) => key.sha256 } }),
      // A profile with an unknown rule, or a damaged one, stops the projection: it must not allow anything.
      await Projection.follow<AgentFacts, PackedAgent>(context, 'agents', {
        accepts: (agent) => profileProblem(agent.profile) === null,
        keep: packAgent,
      }),
    );
  }

  /** The key if it is known and not revoked. */
  key(text: string): KnownKey | undefined {
    const remembered = this.#keys.get(text);
    if (remembered !== undefined) return remembered;
    const found = this.apiKeys.find('sha256', keySha256(text));
    const key = found === undefined ? undefined : readKey(found.id, found);
    if (key === undefined) return undefined;
    if (this.#keys.size >= MAX_REMEMBERED_KEYS) this.#keys.clear();
    this.#keys.set(text, key);
    return key;
  }

  /** The facts of a key by its whole text, also of one that is not in force. */
  factsOf(text: string): ApiKeyFacts | undefined {
    return this.apiKeys.find('sha256', keySha256(text))?.value;
  }

  /** As {@link key}, of one that was accepted before. */
  keyOfId(id: string): KnownKey | undefined {
    return readKey(id, this.apiKeys.get(id));
  }

  account(id: string): KnownAccount | undefined {
    const known = this.#accounts.get(id);
    const entry = known === undefined ? this.accounts.get(id) : undefined;
    if (entry === undefined) return known;
    const read = this.#readAccount(entry);
    this.#accounts.set(id, read);
    return read;
  }

  /** @param id in lower case */
  agent(id: string): KnownAgent | undefined {
    const inUse = this.#agents.get(id);
    if (inUse !== undefined) return inUse;
    const entry = this.agents.get(id);
    if (entry === undefined) return undefined;
    const agent = readAgent(entry);
    this.#agents.set(id, agent, entry.value.profileLength + OVERHEAD_CHARACTERS);
    return agent;
  }

  /** Number of profiles that are held compiled. */
  get compiledProfiles(): number {
    return this.#agents.size;
  }

  /** The reason why nothing can be judged by the read model, or `null`. */
  problem(): string | null {
    return this.agents.problem() ?? this.apiKeys.problem() ?? this.accounts.problem();
  }

  async stop(): Promise<void> {
    await Promise.all([this.accounts.stop(), this.apiKeys.stop(), this.agents.stop()]);
  }

  readonly #readAccount = ({ version, value }: Projected<AccountFacts>): KnownAccount => ({
    version,
    plan: {
      plan: value.plan,
      actionCap: value.actionCap,
      sandboxExpiresAtMs: value.sandboxExpiresAt === null ? null : Date.parse(value.sandboxExpiresAt),
    },
    contextPlan: { cap: value.actionCap, expires: value.sandboxExpiresAt },
    cadenceSeconds: this.#cadence ?? value.cadenceSeconds,
    trustedIssuers: value.trustedIssuers ?? null,
  });
}

function readKey(id: string, found: Projected<ApiKeyFacts> | undefined): KnownKey | undefined {
  if (found === undefined || found.value.revokedAt !== null) return undefined;
  return { id, version: found.version, accountId: found.value.accountId, ...powersOf(found.value) };
}

function readAgent({ version, value }: Projected<PackedAgent>): KnownAgent {
  const profile = profileOf(value);
  return { version, facts: value, profile: compileProfile(profile), asking: askingRules(profile.rules ?? []) };
}

/** SHA-256 of an API key as in `api-keys`. */
export function keySha256(text: string): string {
  return hash('sha256', text);
}
