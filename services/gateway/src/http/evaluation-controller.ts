import { Controller, Inject } from '@nestjs/common';
import { evaluationRoutes } from '@countersign/contracts';
import type { EvaluationParts, EvaluationsRequest } from '@countersign/contracts';
import { HttpAnswer, HttpRefusal } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { ApiKeyCaller, RouteInput } from '@countersign/http-edge';
import type { Evaluator } from '../evaluation/evaluator.js';
import { undecided } from '../evaluation/outcome.js';
import { IDEMPOTENT_REPLAY } from './answers.js';
import { readCheckHeaders } from './check-headers.js';
import { withDefaults } from '../evaluation/read-evaluation.js';
import type { KnownKey } from '../follow/read-model.js';

export const EVALUATOR = Symbol('evaluator');

type EvaluationInput<B> = RouteInput<B, unknown, ApiKeyCaller>;

@Controller()
export class EvaluationController {
  constructor(@Inject(EVALUATOR) private readonly evaluator: Evaluator) {}

  @HttpRoute(evaluationRoutes.evaluation)
  async evaluation(@Input() { body, headers, caller, sent }: EvaluationInput<EvaluationParts>): Promise<HttpAnswer> {
    const idempotencyKey = headers['idempotency-key'];
    const key = typeof idempotencyKey === 'string' ? idempotencyKey : null;
    return this.#one(body, caller, sent, key);
  }

  @HttpRoute(evaluationRoutes.evaluations)
  async evaluations(
    @Input() { body, headers, caller, sent }: EvaluationInput<EvaluationsRequest>,
  ): Promise<HttpAnswer> {
    if (headers['idempotency-key'] !== undefined) {
      throw new HttpRefusal(400, 'Idempotency-Key is taken by one evaluation at a time: POST /access/v1/evaluation');
    }
    const { evaluations = [], options, ...defaults } = body;
    if (evaluations.length === 0) return this.#one(defaults, caller, sent, null);
    const all = evaluations.map((own) => withDefaults(defaults, own));
    const semantic = options?.evaluations_semantic ?? 'execute_all';
    const named = readCheckHeaders(sent.rawHeaders);
    const decisions = await this.evaluator.evaluateAll(all, semantic, await this.#key(caller), named);
    return new HttpAnswer(200, { evaluations: decisions });
  }

  async #one(
    parts: EvaluationParts,
    caller: ApiKeyCaller,
    { rawHeaders }: RouteInput['sent'],
    idempotencyKey: string | null,
  ): Promise<HttpAnswer> {
    const named = readCheckHeaders(rawHeaders);
    const outcome = await this.evaluator.evaluate(parts, await this.#key(caller), idempotencyKey, named);
    switch (outcome.kind) {
      case 'decided': {
        const { answer, decision, replayed } = outcome;
        const again = replayed ? { [IDEMPOTENT_REPLAY]: 'true' } : {};
        const traced = named.trace === null ? {} : { traceparent: named.trace };
        return new HttpAnswer(200, decision, { 'x-event-id': answer.eventId, ...again, ...traced });
      }
      case 'denied':
        return new HttpAnswer(200, outcome.decision);
      case 'refused':
        return new HttpAnswer(outcome.status, { error: outcome.error });
      case 'undecided': {
        const sent = outcome.eventId === null ? {} : { 'x-event-id': outcome.eventId };
        return new HttpAnswer(503, undecided(outcome), { ...sent, 'retry-after': '1' });
      }
    }
  }

  #key({ apiKeyId }: ApiKeyCaller): Promise<KnownKey> {
    return this.evaluator.callerKey(apiKeyId);
  }
}
