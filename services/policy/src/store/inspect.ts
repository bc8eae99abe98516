import type { AgentFacts, TopicName } from '@countersign/contracts';
import { InspectedDocuments, inspectDocuments } from '@countersign/document-store';
import type { Collection, InspectionSource, Keys, OwnedDocument, StoreInspection } from '@countersign/document-store';
import { claimedClients } from '../domain/agent.js';
import { approvalFacts, recordVersion, wasDecided } from '../domain/approval.js';
import { claimKey, claimRecord, claimVersion } from '../domain/usage-records.js';
import type { AccountTotals, AgentTotals } from '../domain/usage.js';
import {
  ACCOUNT_TOTALS,
  accountTotalsId,
  AGENT_TOTALS,
  AGENTS,
  APPROVALS,
  CLAIMS,
  COLLECTIONS,
  OAUTH_CLIENTS,
  oauthClientDocumentId,
  SEEN_EVENTS,
  seenInterval,
} from './documents.js';
import type { UsageBody } from './documents.js';
import { SERVICE } from './open.js';

/** Totals, with how far the topic `usage` has them. */
export interface InspectedTotals<T> {
  readonly totals: T;
  readonly revision: number;
  readonly published: number;
}

/** A claim, as its record in the topic `usage`. */
export interface InspectedClaim {
  readonly key: string;
  readonly revision: number;
  readonly published: number;
  /** `null`: it has ended. */
  readonly value: object | null;
}

/** The store of policy as it is read to be checked. */
export interface PolicyInspection extends StoreInspection {
  /** Of an account and one partition each. */
  accountTotals(): AsyncIterable<InspectedTotals<AccountTotals>>;
  agentTotals(): AsyncIterable<InspectedTotals<AgentTotals>>;
  claims(): AsyncIterable<InspectedClaim>;
  /** Ids of events that were followed; those of a partition in the order of their bytes. */
  seenEvents(): AsyncIterable<string>;
}

/**
 * Opens the store of a stopped instance by its file, or of an installation that may run by its database.
 * @throws OtherLayout
 */
export async function inspectPolicy(source: InspectionSource): Promise<PolicyInspection> {
  const documents = await inspectDocuments(source, SERVICE, COLLECTIONS);
  return new Inspection(documents, 'agent-events', 'file' in source);
}

class Inspection extends InspectedDocuments implements PolicyInspection {
  async *owned(topic: TopicName): AsyncIterable<OwnedDocument> {
    if (topic === 'approvals') {
      for await (const { id, body } of this.documents.documents(APPROVALS)) {
        // The record of one that is over is removed; it has a version all the same.
        if (wasDecided(body)) yield { id, version: recordVersion(body), value: approvalFacts(body) ?? {} };
      }
    }
    if (topic !== 'agents') return;
    for await (const { id, version, body } of this.documents.documents(AGENTS)) {
      yield { id, version, value: body.facts ?? {} };
    }
  }

  accountTotals(): AsyncIterable<InspectedTotals<AccountTotals>> {
    return this.#totals(ACCOUNT_TOTALS);
  }

  agentTotals(): AsyncIterable<InspectedTotals<AgentTotals>> {
    return this.#totals(AGENT_TOTALS);
  }

  async *claims(): AsyncIterable<InspectedClaim> {
    for await (const { id: key, body } of this.documents.documents(CLAIMS)) {
      const { claim = null, revision, published } = body;
      yield { key, revision, published, value: claim === null ? null : (claimRecord(claim).value as object) };
    }
  }

  async *seenEvents(): AsyncIterable<string> {
    for await (const { body } of this.documents.documents(SEEN_EVENTS)) if (Array.isArray(body.ids)) yield* body.ids;
  }

  /** Documents whose totals are none are left out; `problems` names them. */
  async *#totals<T, K extends Keys>(collection: Collection<UsageBody<T>, K>): AsyncIterable<InspectedTotals<T>> {
    for await (const { body } of this.documents.documents(collection)) if (isObject(body.totals)) yield body;
  }

  /** By place: what documents say of themselves that cannot be. */
  protected async disagreements(): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for await (const { id, body } of this.documents.documents(ACCOUNT_TOTALS)) {
      const { accountId, offsets } = body.totals ?? {};
      const [partition, ...others] = Object.keys(offsets ?? {});
      if (others.length > 0 || id !== accountTotalsId(accountId, Number(partition)))
        found.set(`account_totals ${id}`, NOT_ITSELF);
      else if (body.published > body.revision) found.set(`account_totals ${id}`, TOO_MUCH);
    }
    for await (const { id, body } of this.documents.documents(AGENT_TOTALS)) {
      if (id !== body.totals?.agentId) found.set(`agent_totals ${id}`, NOT_ITSELF);
      else if (body.published > body.revision) found.set(`agent_totals ${id}`, TOO_MUCH);
    }
    for await (const { id, body } of this.documents.documents(CLAIMS)) {
      const { claim, revision, published } = body;
      if (isObject(claim) && id !== claimKey(claim)) found.set(`claims ${id}`, NOT_ITSELF);
      else if (isObject(claim) ? revision !== claimVersion(claim.occurredAtMs, false) : revision % 2 === 0)
        found.set(`claims ${id}`, 'its version is not the one of its time');
      else if (published > revision) found.set(`claims ${id}`, TOO_MUCH);
    }
    for await (const { id, body } of this.documents.documents(APPROVALS)) {
      const { decisions = [], state, isOver } = body;
      const isPending = state === 'pending' || state === 'expired' || state === 'consumed';
      if (id !== body.id) found.set(`approvals ${id}`, NOT_ITSELF);
      else if (isOver !== true && (state === 'expired' || state === 'consumed'))
        found.set(`approvals ${id}`, `it is ${state} and not over`);
      else if (!isPending && decisions.length === 0) found.set(`approvals ${id}`, `it is ${state} by no decision`);
    }
    await this.#clients(found);
    if (!this.isStopped) return found;
    for await (const { id, body } of this.documents.documents(SEEN_EVENTS)) {
      const { ids = [] } = body;
      if (ids.some((each) => id !== seenInterval(0, each))) found.set(`seen_events ${id}`, NOT_ITSELF);
      else if (!id.startsWith('00000/')) found.set(`seen_events ${id}`, 'the topic has no such partition');
    }
    return found;
  }

  /** Client ids of agents against the documents that keep them unique. */
  async #clients(found: Map<string, string>): Promise<void> {
    const claims = new Map<string, string>();
    for await (const { id, body } of this.documents.documents(OAUTH_CLIENTS)) {
      const { accountId, clientId, agentId } = body;
      if (id !== oauthClientDocumentId(accountId, clientId)) found.set(`oauth_clients ${id}`, NOT_ITSELF);
      else claims.set(id, agentId);
    }
    for await (const { id: agentId, body } of this.documents.documents(AGENTS)) {
      // A document of another form is reported as such.
      const facts = body.facts as AgentFacts | undefined;
      if (!Array.isArray(facts?.oauthClientIds)) continue;
      for (const clientId of claimedClients(facts)) {
        const id = oauthClientDocumentId(facts.accountId, clientId);
        if (claims.get(id) === agentId) claims.delete(id);
        else
          found.set(`agents ${agentId}`, `it has the OAuth client id ${clientId}, which is stored for another or none`);
      }
    }
    for (const [id, agentId] of claims) found.set(`oauth_clients ${id}`, `agent ${agentId} does not have it`);
  }
}

const NOT_ITSELF = 'it is stored under another id than its own';
const TOO_MUCH = 'more of it was published than there is';

function isObject<T>(value: T): value is T & object {
  return typeof value === 'object' && value !== null;
}
