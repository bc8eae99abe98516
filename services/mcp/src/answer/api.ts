import { CountersignError, sendBy } from '@countersign/client';

/** An answer of the API. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** Header `x-event-id`. */
  readonly eventId: string | null;
  /** Header `x-would-deny`. */
  readonly wouldDeny?: string;
}

/** Headers of a request by their lower-case names. */
export type Headers = Readonly<Record<string, string>>;

const TIMEOUT_MS = 15_000;

/** Calls the API on behalf of the caller. */
export class Api {
  /** @param url address of the API, without a trailing slash */
  constructor(
    private readonly url: () => string,
    private readonly fetch: Parameters<typeof sendBy>[0] = (url, init) => globalThis.fetch(url, init),
  ) {}

  /**
   * Asks on behalf of the caller.
   * @param named headers that name session, principal, trace or approval of the check
   * @returns 503, nothing decided, if the API cannot be reached or its answer is not one of the API
   */
  async ask(path: string, body: unknown, apiKey: string, named: Headers = {}): Promise<ApiAnswer> {
    try {
      const answer = await sendBy(this.fetch, {
        url: this.url() + path,
        headers: {
          'content-type': 'application/json',
          'x-service-key': apiKey,
          ...named,
        },
        body: JSON.stringify(body),
        timeoutMs: TIMEOUT_MS,
      });
      const said: unknown = JSON.parse(answer.text);
      if (typeof said !== 'object' || said === null || Array.isArray(said)) return NO_ANSWER;
      return {
        status: answer.status,
        body: said as Readonly<Record<string, unknown>>,
        eventId: answer.eventId ?? null,
        ...(answer.wouldDeny === undefined ? {} : { wouldDeny: answer.wouldDeny }),
      };
    } catch (error) {
      if (error instanceof CountersignError || error instanceof SyntaxError) return NO_ANSWER;
      throw error;
    }
  }
}

const NO_ANSWER: ApiAnswer = {
  status: 503,
  body: {
    allowed: false,
    reason: 'the service did not answer: do not act, try again in a moment',
    severity: 'P1',
    code: 'unavailable',
  },
  eventId: null,
};
