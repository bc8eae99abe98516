import type { IncomingHttpHeaders } from 'node:http';
import { canonicalize } from '@countersign/evidence';
import type { EvaluationParts, EvaluationSemantic } from '@countersign/contracts';
import type { CheckDesk } from '../check/check-desk.js';
import { isMalformed, prepareParsed } from '../check/prepare.js';
import { idempotencyStamp } from '../domain/idempotency.js';
import type { KnownFacts, KnownKey } from '../follow/known-facts.js';
import { itemOf, endsAt } from './outcome.js';
import type { Decision, Outcome } from './outcome.js';
import { readEvaluation } from './read-evaluation.js';

const BEARER = /^Bearer +/i;

/** The caller's API key as sent, and what is known of it. */
export interface CallerKey {
  readonly text: string;
  readonly key: KnownKey;
}

/** Makes evaluations: each is a check like any other, with an event of its own that is durable before its answer. */
export class Evaluator {
  constructor(
    private readonly desk: Pick<CheckDesk, 'ask'>,
    private readonly known: KnownFacts,
  ) {}

  /** The key that the edge has accepted; `null`: it was revoked meanwhile. */
  async callerKey(headers: IncomingHttpHeaders): Promise<CallerKey | null> {
    const sent = headers['x-service-key'] ?? headers.authorization?.replace(BEARER, '');
    const text = typeof sent === 'string' ? sent : '';
    let key = this.known.key(text);
    if (key === undefined) {
      await this.known.apiKeys.caughtUp();
      key = this.known.key(text);
    }
    return key === undefined ? null : { text, key };
  }

  /** Never rejects. */
  evaluate(parts: EvaluationParts, { text, key }: CallerKey, idempotencyKey: string | null): Promise<Outcome> {
    const asked = readEvaluation(parts);
    if (typeof asked === 'string') return Promise.resolve({ kind: 'refused', status: 400, error: asked });
    const prepared = prepareParsed(asked);
    if (isMalformed(prepared)) return Promise.resolve({ kind: 'refused', ...prepared });
    const stamp =
      idempotencyKey === null ? null : idempotencyStamp(key.accountId, idempotencyKey, canonicalize(prepared.request));
    const bytes = prepared.committed.canonical.length + (prepared.payload?.canonical.length ?? 0);
    return new Promise((resolve) => {
      this.desk.ask(
        { key, keyText: text, prepared, stamp },
        {
          answer: (answer) => resolve({ kind: 'decided', answer }),
          refuse: (status, error) => resolve({ kind: 'refused', status, error }),
          unavailable: (code, reason, eventId) => resolve({ kind: 'undecided', code, reason, eventId }),
        },
        bytes,
      );
    });
  }

  /** One after the other where one may end the rest, else all at once, recorded in their order. */
  async evaluateAll(
    all: readonly EvaluationParts[],
    semantic: EvaluationSemantic,
    key: CallerKey,
  ): Promise<readonly Decision[]> {
    if (semantic === 'execute_all') {
      return (await Promise.all(all.map((parts) => this.evaluate(parts, key, null)))).map(itemOf);
    }
    const decisions: Decision[] = [];
    for (const parts of all) {
      const item = itemOf(await this.evaluate(parts, key, null));
      decisions.push(item);
      if (endsAt(item.decision, semantic)) break;
    }
    return decisions;
  }
}
