import { createHash } from 'node:crypto';
import { outcomeRoutes } from '@countersign/contracts';
import type { OutcomeReport } from '@countersign/contracts';
import type { Counters } from '@countersign/counters';
import { CountersignError, sendBy } from '@countersign/client';
import { idempotencyKeySha256 } from '../domain/idempotency.js';
import type { ToolCall } from './hook-event.js';

const TIMEOUT_MS = 10_000;

/** The idempotency key of a call: the same for its check and its outcome, on every gateway. */
export function callKey({ session, callId }: Pick<ToolCall, 'session'> & { readonly callId: string }): string {
  const name = createHash('sha256').update(JSON.stringify([session ?? null, callId]));
  return `hook-${name.digest('hex')}`;
}

/** Reports outcomes of checked calls by the public route, with the API key of the hook. */
export class OutcomeReporter {
  /** @param apiUrl address of the API, without a trailing slash; `null`: not configured */
  constructor(
    private readonly counters: Pick<Counters, 'answerOf'>,
    private readonly apiUrl: () => string | null,
    private readonly fetch: Parameters<typeof sendBy>[0],
  ) {}

  /**
   * Never rejects.
   * @param credentials headers of the hook's request that hold its API key
   * @returns the reason why the outcome is not recorded; `null` once it is, also by an earlier report
   */
  async report(
    of: { readonly accountId: string; readonly agentId: string; readonly key: string },
    said: Pick<OutcomeReport, 'outcome' | 'detail'>,
    credentials: Readonly<Record<string, string>>,
  ): Promise<string | null> {
    const url = this.apiUrl();
    if (url === null) return 'COUNTERSIGN_API_URL is not set, where this gateway reports outcomes';
    try {
      const check = await this.counters.answerOf(of.accountId, idempotencyKeySha256(of.accountId, of.key));
      if (check === null) return 'no check of this call is known: was the hook before it run in the last 24 hours?';
      const report: OutcomeReport = { agentId: of.agentId, eventId: check.eventId, ...said };
      const { status, text } = await sendBy(this.fetch, {
        url: url + outcomeRoutes.reportOutcome.path,
        headers: { 'content-type': 'application/json', ...credentials },
        body: JSON.stringify(report),
        timeoutMs: TIMEOUT_MS,
      });
      return status === 201 || status === 409 ? null : `${status} ${errorIn(text)}`;
    } catch (error) {
      if (error instanceof CountersignError || error instanceof Error) return error.message;
      return 'the report failed';
    }
  }
}

function errorIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown };
    return typeof error === 'string' ? error : '';
  } catch {
    return '';
  }
}
