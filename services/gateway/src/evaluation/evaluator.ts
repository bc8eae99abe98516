import type { EvaluationParts, EvaluationSemantic } from '@countersign/contracts';
import { ReadingBudget } from '@countersign/policy-engine';
import { TimeSlice } from '@countersign/async';
import type { NamedHeaders, ParsedChecks } from '../check/parsed-checks.js';
import type { KnownKey } from '../follow/read-model.js';
import { itemOf, endsAt } from './outcome.js';
import type { Decision, Evaluated } from './outcome.js';
import { actingEvaluation } from './acting-agent.js';
import { readEvaluation } from './read-evaluation.js';
import { isUseless, keyOfNext } from './requestable.js';
import type { Requestable } from './requestable.js';

/** Makes evaluations: each is a check like any other. */
export class Evaluator {
  constructor(
    private readonly checks: ParsedChecks,
    private readonly requestable: Requestable,
  ) {}

  /** @throws HttpRefusal 401 where the key was revoked meanwhile */
  callerKey(id: string): Promise<KnownKey> {
    return this.checks.callerKey(id);
  }

  /**
   * Rejects only where a denial cannot be signed. Where the approval that the evaluation presents is of no use, it is made
   * once more without it: the second is the decision, and names an access request where a person can allow it.
   * @param budget of the request, where it asks about several
   */
  async evaluate(
    parts: EvaluationParts,
    key: KnownKey,
    idempotencyKey: string | null,
    headers: NamedHeaders,
    budget?: ReadingBudget,
  ): Promise<Evaluated> {
    const acting = actingEvaluation(parts, key.agents);
    if (typeof acting === 'string') return { kind: 'refused', status: 400, error: acting };
    const asked = readEvaluation(acting.parts);
    if (typeof asked === 'string') return { kind: 'refused', status: 400, error: asked };
    const { onBehalfOf, approvalId, isTimed } = acting;
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
      const outcomes: Promise<Evaluated>[] = [];
      const slice = new TimeSlice();
      for (const parts of all) {
        if (slice.over) await slice.next();
        outcomes.push(this.evaluate(parts, key, null, headers, budget));
      }
      return (await Promise.all(outcomes)).map(itemOf);
    }
    const decisions: Decision[] = [];
    for (const parts of all) {
      const item = itemOf(await this.evaluate(parts, key, null, headers, budget));
      decisions.push(item);
      if (endsAt(item.decision, semantic)) break;
    }
    return decisions;
  }
}
