import type { EvaluationParts, EvaluationSemantic } from '@countersign/contracts';
import { ReadingBudget } from '@countersign/policy-engine';
import { TimeSlice } from '@countersign/async';
import type { NamedHeaders, ParsedChecks } from '../check/parsed-checks.js';
import type { KnownKey } from '../follow/read-model.js';
import { itemOf, endsAt, UNKNOWN_CLIENT } from './outcome.js';
import type { Decision, Evaluated } from './outcome.js';
import { actingEvaluation } from './acting-agent.js';
import type { ActingEvaluation } from './acting-agent.js';
import type { ClientAgents, FoundClient } from './client-agents.js';
import { readEvaluation } from './read-evaluation.js';
import { isUseless, keyOfNext } from './requestable.js';
import type { Requestable } from './requestable.js';
import { withArgumentsAsPayload } from './tool-arguments.js';

interface Shared {
  readonly budget?: ReadingBudget;
  /** Those that were looked up. */
  readonly clients: ReadonlyMap<string, FoundClient>;
}

const NONE: Shared['clients'] = new Map();

const UNKNOWN_YET: Evaluated = {
  kind: 'undecided',
  code: 'unavailable',
  reason: 'The agent of context.agent cannot be known at the moment. Do not act; try again.',
  eventId: null,
};

/** Makes evaluations: each is a check like any other. */
export class Evaluator {
  constructor(
    private readonly checks: ParsedChecks,
    private readonly clients: Pick<ClientAgents, 'find'>,
    private readonly requestable: Requestable,
  ) {}

  /** @throws HttpRefusal 401 where the key was revoked meanwhile */
  callerKey(id: string): Promise<KnownKey> {
    return this.checks.callerKey(id);
  }

  /**
   * Rejects only where a denial cannot be signed. Where the approval that the evaluation presents is of no use, it is made
   * once more without it: the second is the decision, and names an access request where a person can allow it.
   * @param shared by the evaluations of a request that asks about several
   */
  async evaluate(
    parts: EvaluationParts,
    key: KnownKey,
    idempotencyKey: string | null,
    headers: NamedHeaders,
    shared: Shared = { clients: NONE },
  ): Promise<Evaluated> {
    const acting = actingEvaluation(parts, key.agents);
    if (typeof acting === 'string') return { kind: 'refused', status: 400, error: acting };
    if (acting.client === null) return this.#check(acting, parts, key, idempotencyKey, headers, shared.budget);
    const found = shared.clients.get(acting.client) ?? (await this.clients.find(key, acting.client));
    if (found === 'unavailable') return UNKNOWN_YET;
    const { agentId } = found;
    if (agentId === null) return { kind: 'denied', decision: UNKNOWN_CLIENT };
    const named = agentId === acting.client.toLowerCase() ? acting.parts : withArgumentsAsPayload(acting.parts);
    if (typeof named === 'string') return { kind: 'refused', status: 400, error: named };
    const as = { ...acting, parts: { ...named, subject: { type: 'agent', id: agentId } } };
    const outcome = await this.#check(as, parts, key, idempotencyKey, headers, shared.budget);
    const isOther = outcome.kind === 'refused' && outcome.status === 404;
    return isOther ? { kind: 'denied', decision: UNKNOWN_CLIENT } : outcome;
  }

  /** Each client is looked up once, and before the first evaluation starts: then they start in their order. */
  async #clientsOf(all: readonly EvaluationParts[], key: KnownKey): Promise<Shared['clients']> {
    const named = new Set<string>();
    for (const parts of all) {
      const acting = actingEvaluation(parts, key.agents);
      if (typeof acting !== 'string' && acting.client !== null) named.add(acting.client);
    }
    const found = [...named].map(async (client) => [client, await this.clients.find(key, client)] as const);
    return new Map(await Promise.all(found));
  }

  /** @param parts as they were sent */
  async #check(
    { parts: own, onBehalfOf, approvalId, isTimed }: ActingEvaluation,
    parts: EvaluationParts,
    key: KnownKey,
    idempotencyKey: string | null,
    headers: NamedHeaders,
    budget: ReadingBudget | undefined,
  ): Promise<Evaluated> {
    const asked = readEvaluation(own);
    if (typeof asked === 'string') return { kind: 'refused', status: 400, error: asked };
    const about = { isTimed, ...(budget === undefined ? {} : { budget }) };
    const body = onBehalfOf === null ? asked : { ...asked, action: { ...asked.action, subject: onBehalfOf } };
    const named = { ...headers, ...(onBehalfOf?.id === undefined ? {} : { subject: onBehalfOf.id }) };
    const first = await this.checks.check(
      body,
      key,
      idempotencyKey,
      { ...named, approvalId: approvalId ?? headers.approvalId },
      about,
    );
    if (first.kind !== 'decided') return first;
    if (approvalId === null || !isUseless(first.answer)) {
      return { ...first, decision: await this.requestable.decision(first.answer, parts, approvalId, null) };
    }
    const { code } = JSON.parse(first.answer.body) as { readonly code: string };
    const again = await this.checks.check(body, key, keyOfNext(idempotencyKey), { ...named, approvalId: null }, about);
    if (again.kind !== 'decided') return again;
    return { ...again, decision: await this.requestable.decision(again.answer, parts, approvalId, code) };
  }

  /**
   * One after the other where one may end the rest, else concurrently, recorded in their order: a hundred of them may
   * share one large payload, so they are started a few milliseconds at a time. They share the path budget of one call.
   */
  async evaluateAll(
    all: readonly EvaluationParts[],
    semantic: EvaluationSemantic,
    key: KnownKey,
    headers: NamedHeaders,
  ): Promise<readonly Decision[]> {
    const budget = new ReadingBudget();
    if (semantic === 'execute_all') {
      const shared = { budget, clients: await this.#clientsOf(all, key) };
      const outcomes: Promise<Evaluated>[] = [];
      const slice = new TimeSlice();
      for (const parts of all) {
        if (slice.over) await slice.next();
        outcomes.push(this.evaluate(parts, key, null, headers, shared));
      }
      return (await Promise.all(outcomes)).map(itemOf);
    }
    const decisions: Decision[] = [];
    for (const parts of all) {
      const item = itemOf(await this.evaluate(parts, key, null, headers, { budget, clients: NONE }));
      decisions.push(item);
      if (endsAt(item.decision, semantic)) break;
    }
    return decisions;
  }
}
