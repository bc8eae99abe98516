import type { EvaluationParts, EvaluationSemantic } from '@countersign/contracts';
import { ReadingBudget } from '@countersign/policy-engine';
import { TimeSlice } from '@countersign/async';
import type { NamedHeaders, Outcome, ParsedChecks } from '../check/parsed-checks.js';
import type { KnownKey } from '../follow/read-model.js';
import { itemOf, endsAt } from './outcome.js';
import type { Decision } from './outcome.js';
import { readEvaluation } from './read-evaluation.js';

/** Makes evaluations: each is a check like any other. */
export class Evaluator {
  constructor(private readonly checks: ParsedChecks) {}

  /** @throws HttpRefusal 401 where the key was revoked meanwhile */
  callerKey(id: string): Promise<KnownKey> {
    return this.checks.callerKey(id);
  }

  /** Never rejects. @param budget of the request, where it asks about several */
  evaluate(
    parts: EvaluationParts,
    key: KnownKey,
    idempotencyKey: string | null,
    headers: NamedHeaders,
    budget?: ReadingBudget,
  ): Promise<Outcome> {
    const asked = readEvaluation(parts);
    if (typeof asked === 'string') return Promise.resolve({ kind: 'refused', status: 400, error: asked });
    return this.checks.check(asked, key, idempotencyKey, headers, budget);
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
      const outcomes: Promise<Outcome>[] = [];
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
