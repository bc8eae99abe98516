import { canonicalBytes, toHex } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { needsOwnKey } from '@countersign/contracts';
import type { ApiKeyFacts, ApprovalState, DecisionBody, JsonValue } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import type { ApiKeyCaller, SessionCaller } from '@countersign/http-edge';
import type { ServiceContext } from '@countersign/service-kit';
import type { Announcer, Projection } from '@countersign/topics';
import { notNow } from '../change-agent/agent-changes.js';
import type { Agent } from '../domain/agent.js';
import { decided } from '../domain/approval.js';
import type { Approval, Decision } from '../domain/approval.js';
import { whyNot } from '../domain/approvers.js';
import type { Involved, Person } from '../domain/approvers.js';
import type { ApprovalFilter } from '../store/approvals-port.js';
import type { PolicyStore } from '../store/port.js';
import { approvalWrite } from './approval-write.js';
import { ApprovalWaits } from './approval-waits.js';

/** Read model of API keys: who issued them. */
export type KeyIssuers = Pick<Projection<Pick<ApiKeyFacts, 'createdBy'>>, 'get' | 'caughtUp' | 'problem'>;

/** Requests that wait for a decision at a time, on this instance. */
const MOST_WAITS = { all: 2_000, account: 200 };
/** The first check of an approval may be answered a moment before its event is read here. */
const UNKNOWN_MS = 5_000;
/** Attempts to write a decision about an agent that others change at the same time. */
const MAX_TRIES = 50;

const NOT_FOUND = 'no such approval';
const over = (state: ApprovalState): string => `the approval is ${state}: it can no longer be decided`;

/** Approvals, for the routes. Every method throws HttpRefusal. */
export class Approvals {
  readonly waits: ApprovalWaits;
  readonly #counters: ServiceContext['counters'];
  readonly #log: ServiceContext['log'];
  readonly #store: PolicyStore;
  readonly #announcer: Pick<Announcer, 'announce'>;
  readonly #apiKeys: KeyIssuers;

  constructor(
    context: Pick<ServiceContext, 'counters' | 'log'>,
    store: PolicyStore,
    announcer: Pick<Announcer, 'announce'>,
    apiKeys: KeyIssuers,
  ) {
    this.#counters = context.counters;
    this.#log = context.log;
    this.#store = store;
    this.#announcer = announcer;
    this.#apiKeys = apiKeys;
    this.waits = new ApprovalWaits((ids) => store.approvals.many(ids), MOST_WAITS);
  }

  /**
   * @param accountId of the caller
   * @param sees the caller may know of it
   * @param waitMs how long the decision is waited for
   * @throws HttpRefusal 404
   */
  async get(accountId: string, id: string, sees: (approval: Approval) => boolean, waitMs: number): Promise<Approval> {
    const isSeen = (approval: Approval | null): boolean => approval?.accountId === accountId && sees(approval);
    const endsAtMs = performance.now() + waitMs;
    let found = (await this.#store.approvals.find(id))?.approval ?? null;
    // That of another account takes as long as one that is not known.
    if (!isSeen(found)) {
      await this.waits.until(accountId, id, isSeen, Math.min(waitMs, UNKNOWN_MS));
      found = (await this.#store.approvals.find(id))?.approval ?? null;
    }
    if (found === null || !isSeen(found)) throw new HttpRefusal(404, NOT_FOUND);
    if (found.state !== 'pending' || waitMs === 0) return found;
    const isOver = (approval: Approval | null): boolean => approval === null || approval.state !== 'pending';
    await this.waits.until(accountId, id, isOver, endsAtMs - performance.now());
    return (await this.#store.approvals.find(id))?.approval ?? found;
  }

  /**
   * As `get`, for an API key: one of its agents.
   * @throws HttpRefusal 404
   */
  async getByKey({ accountId, powers }: ApiKeyCaller, id: string, waitMs: number): Promise<Approval> {
    const { agents, first } = powers;
    const isOfKey = ({ agentId }: Approval): boolean => agents === null || agents.has(agentId);
    const approval = await this.get(accountId, id, isOfKey, waitMs);
    const agent = await this.agentOf(approval);
    if (needsOwnKey({ registeredByKey: agent?.facts.registeredByKey }, { agents, first })) {
      throw new HttpRefusal(404, NOT_FOUND);
    }
    return approval;
  }

  /** Waits a moment for an approval whose check was answered just now. */
  async known(accountId: string, id: string): Promise<void> {
    if ((await this.#store.approvals.find(id)) !== null) return;
    await this.waits.until(accountId, id, (approval) => approval !== null, UNKNOWN_MS);
  }

  list(accountId: string, filter: ApprovalFilter, limit: number): Promise<readonly Approval[]> {
    return this.#store.approvals.list(accountId, filter, limit);
  }

  /** Why the caller cannot decide about each of these now, in their order; `null`: the caller can. */
  async refusals(approvals: readonly Approval[], caller: Person): Promise<readonly (string | null)[]> {
    const agents = new Map<string, Agent | null>();
    const refusals: (string | null)[] = [];
    for (const approval of approvals) {
      const { agentId, state } = approval;
      if (!agents.has(agentId)) agents.set(agentId, await this.agentOf(approval));
      const refusal = whyNot(approval, caller, await this.involved(approval, agents.get(agentId)!));
      refusals.push(refusal ?? (state === 'pending' ? null : over(state)));
    }
    return refusals;
  }

  /** The agent of an approval. */
  agentOf({ accountId, agentId }: Approval): Promise<Agent | null> {
    return this.#store.findOf(accountId, agentId);
  }

  /** @throws HttpRefusal 403, 404, 409; 503 while the counters or the store cannot be used */
  async decide(caller: SessionCaller, id: string, body: DecisionBody): Promise<Approval> {
    const person: Person = caller;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const stored = await this.#store.approvals.find(id);
      if (stored?.approval.accountId !== caller.accountId) throw new HttpRefusal(404, NOT_FOUND);
      const { approval, revision } = stored;
      const agent = await this.#store.findOf(caller.accountId, approval.agentId);
      if (agent === null) throw new HttpRefusal(404, NOT_FOUND);
      const refusal = whyNot(approval, person, await this.involved(approval, agent));
      if (refusal !== null) throw new HttpRefusal(403, refusal);
      const nowMs = await this.#now();
      await this.#requireOpen(approval, agent, body, nowMs);
      const after = decided(approval, decisionOf(person, body, nowMs));
      const event = { type: 'approval.decided', refersTo: approval.eventId, occurredAtMs: nowMs } as const;
      const write = approvalWrite(after, after.state === 'pending' ? [] : [event]);
      if (!(await this.#store.approvals.replace(write, revision))) continue;
      // It is stored: an announcement that fails now is repeated by itself.
      await this.#announcer.announce().catch((err: unknown) => {
        this.#log.warn({ err }, 'the decision about an approval reaches the gateways later');
      });
      this.waits.changed(after);
      return after;
    }
    throw notNow('the agent is being changed by too many others at once: try again');
  }

  /** Who must not decide where the rule says so. @throws HttpRefusal 503 while API keys cannot be read */
  async involved({ requester }: Pick<Approval, 'requester'>, agent: Agent | null): Promise<Involved> {
    if (this.#apiKeys.problem() !== null) throw notNow('API keys cannot be read at the moment: try again');
    const editor = agent?.facts.profileEditor;
    return {
      keyIssuer: await this.#issuerOf(requester.apiKeyId),
      policyEditor: editor?.kind === 'api_key' ? await this.#issuerOf(editor.id) : (editor?.id ?? null),
    };
  }

  async #issuerOf(apiKeyId: string): Promise<string | null> {
    // A key that was issued a moment ago may be on its way.
    if (this.#apiKeys.get(apiKeyId) === undefined) await this.#apiKeys.caughtUp();
    return this.#apiKeys.get(apiKeyId)?.value.createdBy ?? null;
  }

  async #requireOpen(approval: Approval, agent: Agent, body: DecisionBody, nowMs: number): Promise<void> {
    const { state, expiresAtMs } = approval;
    if (state !== 'pending') throw new HttpRefusal(409, over(state));
    if (nowMs >= expiresAtMs) throw new HttpRefusal(409, 'the approval has expired: it can no longer be decided');
    if (body.shown_sha256 !== undefined && body.shown_sha256 !== shownSha256(approval)) {
      throw new HttpRefusal(409, 'shown_sha256 is not that of this approval: read it again before you decide');
    }
    if (body.decision === 'deny') return;
    const { status } = agent.facts;
    if (status === 'inactive') throw new HttpRefusal(409, 'the agent is inactive, which is final: deny the action');
    if (status === 'frozen' || (await this.#isFrozen(agent.id))) {
      throw new HttpRefusal(409, 'the agent is frozen: unfreeze it before you approve an action of it');
    }
  }

  async #now(): Promise<number> {
    try {
      return await this.#counters.now();
    } catch {
      throw notNow('the time of the decision cannot be read at the moment: try again');
    }
  }

  async #isFrozen(agentId: string): Promise<boolean> {
    try {
      return await this.#counters.isFrozen(agentId);
    } catch {
      throw notNow('whether the agent is frozen cannot be read at the moment: try again');
    }
  }
}

/**
 * SHA-256 over the canonical JSON of what a person decides about, lower-case hex. The action is in it by the commitment of
 * the check's leaf, so that the digest says nothing about an action that is erased later.
 */
export function shownSha256(approval: Approval): string {
  const { id, agentId, eventId, actionSha256, ruleId, ruleSha256, bindingSha256, expiresAtMs } = approval;
  const shown: { readonly [member: string]: JsonValue } = {
    approval_id: id,
    agent_id: agentId,
    event_id: eventId,
    action: actionSha256,
    rule: ruleId,
    rule_sha256: ruleSha256,
    binding_sha256: bindingSha256,
    expires_at: new Date(expiresAtMs).toISOString(),
  };
  return toHex(nodeCrypto.sha256(canonicalBytes(shown)));
}

function decisionOf({ userId, role }: Person, body: DecisionBody, atMs: number): Decision {
  const { decision, comment, shown_sha256: shown } = body;
  return {
    decision,
    userId,
    role,
    atMs,
    ...(comment === undefined || comment === '' ? {} : { comment }),
    ...(shown === undefined ? {} : { shownSha256: shown }),
  };
}
