/** Refusals by the service, which a retry does not change. */
export type RefusalCode =
  | 'invalid_request'
  | 'unauthorized'
  | 'sandbox_expired'
  | 'sandbox_action_cap'
  | 'plan_action_cap'
  | 'agent_frozen'
  | 'agent_not_found'
  /** Another program, or another path of the service, answered: the address is wrong. */
  | 'not_countersign'
  | 'refused';

/** There is no decision: the fail mode determines the result. */
export type UnavailableCode =
  /** A 5xx of the service or of a proxy in front of it. */
  | 'unavailable'
  /** The service could not decide, or not make the decision durable, before its deadline. */
  | 'deadline_exceeded'
  /** No answer within `timeoutMs`. */
  | 'timeout'
  /** No connection, or one that ended early. */
  | 'unreachable'
  /** An answer that is not one of the service: HTML, a redirect, truncated JSON or other JSON. */
  | 'invalid_response'
  /** Too many consecutive calls without a decision: no calls are sent for some time. */
  | 'circuit_open';

export type ErrorCode = RefusalCode | UnavailableCode | 'action_denied';

const UNAVAILABLE: ReadonlySet<string> = new Set<UnavailableCode>([
  'unavailable',
  'deadline_exceeded',
  'timeout',
  'unreachable',
  'invalid_response',
  'circuit_open',
]);

export function isUnavailable(code: ErrorCode): code is UnavailableCode {
  return UNAVAILABLE.has(code);
}

/** An error with a code of a closed list; `status` is that of the answer, if there was one. */
export class CountersignError extends Error {
  override readonly name: string = 'CountersignError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details: {
      readonly status?: number;
      /** Header `x-event-id`: the event that records, or may record, the check. */
      readonly eventId?: string;
      /** Milliseconds that the service asks to wait. */
      readonly retryAfterMs?: number;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
  }

  /** True if there is no decision, so that the same call may succeed later. */
  get isUnavailable(): boolean {
    return isUnavailable(this.code);
  }
}
