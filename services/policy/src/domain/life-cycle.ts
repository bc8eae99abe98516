import { applyProfilePatch, emptyProfile } from '@countersign/policy-engine';
import type { RulePatch } from '@countersign/policy-engine';
import { isoTime, next } from './agent.js';
import type { Agent, AgentFields } from './agent.js';
import { byOf, INACTIVE, refused } from './change.js';
import type { Actor, Change, EventDraft } from './change.js';
import { profileSha256 } from './profile.js';
import type { Digest } from './profile.js';

const NO_PROFILE = { profileVersion: null, profileSha256: null } as const;

function withReason(type: EventDraft['type'], reason: string | null, actor: Actor): EventDraft {
  return { type, committed: { reason, by: byOf(actor) }, ...NO_PROFILE };
}

/** First values of an agent that a key registers. */
export interface Beginning {
  readonly rules?: RulePatch;
  /** Id of the key, where that is not the account's first. */
  readonly registeredByKey?: string;
}

/**
 * A new agent, active, with an empty profile or with the rules that it begins with, either of version 1.
 * Times are ms by the counters' clock.
 */
export function createAgent(
  id: string,
  accountId: string,
  { oauthClientIds = [], ...fields }: AgentFields,
  actor: Actor,
  nowMs: number,
  sha256: Digest,
  { rules = {}, registeredByKey }: Beginning = {},
): Extract<Change, { kind: 'changed' }> & { readonly ruled: boolean } {
  const empty = emptyProfile(id);
  const begun = applyProfilePatch(empty, rules);
  const ruled = begun !== empty;
  const profile = ruled ? { ...begun, version: empty.version } : empty;
  return {
    kind: 'changed',
    ruled,
    agent: {
      id,
      revision: 1,
      frozenAtMs: 0,
      facts: {
        accountId,
        ...fields,
        status: 'active',
        blockchain_ssn: null,
        wallet_address: null,
        chain_tx_signature: null,
        created_at: isoTime(nowMs),
        updated_at: isoTime(nowMs),
        registered_at: null,
        ...(registeredByKey === undefined ? {} : { registeredByKey }),
        unfrozenAtMs: 0,
        profile,
        profileSha256: profileSha256(profile, sha256),
        ...(oauthClientIds.length === 0 ? {} : { oauthClientIds }),
      },
    },
    event: {
      type: 'agent.created',
      committed: {
        ...fields,
        ...(oauthClientIds.length === 0 ? {} : { oauth_client_ids: oauthClientIds }),
        by: byOf(actor),
      },
      ...NO_PROFILE,
    },
  };
}

/** Changes descriptive fields and client ids; only those that differ are committed. */
export function updateAgent(agent: Agent, wanted: Partial<AgentFields>, actor: Actor, nowMs: number): Change {
  if (agent.facts.status === 'inactive') return refused(409, INACTIVE);
  const fields: Partial<Record<'name' | 'type' | 'purpose' | 'version', string | null>> & { name?: string } = {};
  if (wanted.name !== undefined && wanted.name !== agent.facts.name) fields.name = wanted.name;
  for (const field of ['type', 'purpose', 'version'] as const) {
    const value = wanted[field];
    if (value !== undefined && value !== agent.facts[field]) fields[field] = value;
  }
  const { oauthClientIds = [] } = agent.facts;
  const clients = wanted.oauthClientIds ?? oauthClientIds;
  const isSame = clients.length === oauthClientIds.length && clients.every((id, n) => id === oauthClientIds[n]);
  if (Object.keys(fields).length === 0 && isSame) return { kind: 'unchanged', agent };
  const committed = { ...fields, ...(isSame ? {} : { oauth_client_ids: clients }), by: byOf(actor) };
  return {
    kind: 'changed',
    agent: next(agent, { ...fields, ...(isSame ? {} : { oauthClientIds: clients }) }, nowMs),
    event: { type: 'agent.updated', committed, ...NO_PROFILE },
  };
}

/**
 * @param atMs time of the call, or of the denial that freezes. A time at or before the last unfreeze is moved just above
 *   it: otherwise the counters would ignore the freeze as ended.
 */
export function freezeAgent(agent: Agent, reason: string | null, actor: Actor, atMs: number, nowMs: number): Change {
  if (agent.facts.status === 'inactive') return refused(409, INACTIVE);
  if (agent.facts.status === 'frozen') return { kind: 'unchanged', agent };
  return {
    kind: 'changed',
    agent: {
      ...next(agent, { status: 'frozen' }, nowMs),
      frozenAtMs: Math.max(atMs, agent.facts.unfrozenAtMs + 1),
    },
    event: withReason('agent.frozen', reason, actor),
  };
}

/**
 * @param flagSet the counters have the agent as frozen: a gateway that froze it is ahead of the log, and the unfreeze must
 *   outlast the denial that is still to be followed
 * @param unfrozenAtMs when the counters cleared the flag
 */
export function unfreezeAgent(
  agent: Agent,
  reason: string | null,
  actor: Actor,
  flagSet: boolean,
  unfrozenAtMs: number,
): Change {
  if (agent.facts.status === 'inactive') return refused(409, INACTIVE);
  if (agent.facts.status === 'active' && !flagSet) return { kind: 'unchanged', agent };
  return {
    kind: 'changed',
    agent: { ...next(agent, { status: 'active', unfrozenAtMs }, unfrozenAtMs), frozenAtMs: 0 },
    event: withReason('agent.unfrozen', reason, actor),
  };
}

/** Deactivates an agent, for good. */
export function deactivateAgent(agent: Agent, reason: string | null, actor: Actor, nowMs: number): Change {
  if (agent.facts.status === 'inactive') return { kind: 'unchanged', agent };
  return {
    kind: 'changed',
    agent: { ...next(agent, { status: 'inactive' }, nowMs), frozenAtMs: 0 },
    event: withReason('agent.deactivated', reason, actor),
  };
}
