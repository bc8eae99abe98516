import { canonicalize } from '@countersign/evidence';
import type { EvaluationParts, EvaluationSemantic } from '@countersign/contracts';
import { ReadingBudget } from '@countersign/policy-engine';
import { HttpRefusal } from '@countersign/http-edge';
import { TimeSlice } from '@countersign/async';
import type { CheckHandler } from '../http/check-handler.js';
import type { Credentials } from '../check/credentials.js';
import { isMalformed, prepareParsed } from '../check/prepare.js';
import { idempotencyStamp } from '../domain/idempotency.js';
import type { ReadModel, KnownKey } from '../follow/read-model.js';
import { itemOf, endsAt } from './outcome.js';
import type { Decision, Outcome } from './outcome.js';
import { readEvaluation } from './read-evaluation.js';

/** Makes evaluations: each is a check like any other, with its own event that is durable before its answer. */
export class Evaluator {
  constructor(
    private readonly checkHandler: Pick<CheckHandler, 'ask'>,
    private readonly known: ReadModel,
    private readonly credentials: Pick<Credentials, 'ended'>,
  ) {}

  /**
   * The key that the edge has accepted, which this read model may not have read yet.
   * @throws HttpRefusal 401 where it was revoked meanwhile
   */
  async callerKey(id: string): Promise<KnownKey> {
    if (this.known.keyOfId(id) === undefined) await this.known.apiKeys.caughtUp();
    const key = this.known.keyOfId(id);
    if (key === undefined) throw new HttpRefusal(401, this.credentials.ended(id), { 'www-authenticate': 'Bearer' });
    return key;
  }

  /** Never rejects. @param budget of the request, where it asks about several */
  evaluate(
    parts: EvaluationParts,
    key: KnownKey,
    idempotencyKey: string | null,
    budget?: ReadingBudget,
  ): Promise<Outcome> {
    const asked = readEvaluation(parts);
    if (typeof asked === 'string') return Promise.resolve({ kind: 'refused', status: 400, error: asked });
    const prepared = prepareParsed(asked);
    if (isMalformed(prepared)) return Promise.resolve({ kind: 'refused', ...prepared });
    const stamp =
      idempotencyKey === null ? null : idempotencyStamp(key.accountId, idempotencyKey, canonicalize(prepared.request));
    const bytes = prepared.committed.canonical.length + (prepared.payload?.canonical.length ?? 0);
    return new Promise((resolve) => {
      this.checkHandler.ask(
        { key, prepared, stamp, ...(budget === undefined ? {} : { budget }) },
        {
          answer: (answer, _retryAfter, replayed) => resolve({ kind: 'decided', answer, replayed }),
          refuse: (status, error) => resolve({ kind: 'refused', status, error }),
          unavailable: (code, reason, eventId) => resolve({ kind: 'undecided', code, reason, eventId }),
        },
        bytes,
      );
    });
  }

  /**
   * One after the other where one may end the rest, else concurrently, recorded in their order: a hundred of them may
   * share one large payload, so they are started a few milliseconds at a time. They share the path budget of one call.
   */
  async evaluateAll(
    all: readonly EvaluationParts[],
    semantic: EvaluationSemantic,
    key: KnownKey,
  ): Promise<readonly Decision[]> {
    const budget = new ReadingBudget();
    if (semantic === 'execute_all') {
      const outcomes: Promise<Outcome>[] = [];
      const slice = new TimeSlice();
      for (const parts of all) {
        if (slice.over) await slice.next();
        outcomes.push(this.evaluate(parts, key, null, budget));
      }
      return (await Promise.all(outcomes)).map(itemOf);
    }
    const decisions: Decision[] = [];
    for (const parts of all) {
      const item = itemOf(await this.evaluate(parts, key, null, budget));
      decisions.push(item);
      if (endsAt(item.decision, semantic)) break;
    }
    return decisions;
  }
}
