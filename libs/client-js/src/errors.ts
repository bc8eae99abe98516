/** The service refused for a reason that another try does not change. */
export type RefusalCode =
  | 'invalid_request'
  | 'unauthorized'
  | 'sandbox_expired'
  | 'sandbox_action_cap'
  | 'plan_action_cap'
  | 'agent_frozen'
  | 'agent_not_found'
  /** Another program, or another path of the service, has answered: the address is wrong. */
  | 'not_countersign'
  | 'refused';

/** No decision was had: what becomes of the action is for the fail mode to say. */
export type UnavailableCode =
  /** A 5xx of the service or of something before it. */
  | 'unavailable'
  /** The service could not decide, or not make the decision durable, before its deadline. */
  | 'deadline_exceeded'
  /** No answer within `timeoutMs`. */
  | 'timeout'
  /** No connection, or one that ended early. */
  | 'unreachable'
  /** An answer that is not the service's: HTML, a redirect, JSON that was cut off or says something else. */
  | 'invalid_response'
  /** Too many calls in a row had no decision: the service is left alone for a while. */
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

/** What went wrong, by a code of a closed list; `status` is the answer's where there was one. */
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

  /** Whether no decision was had, so that the same call may succeed later. */
  get isUnavailable(): boolean {
    return isUnavailable(this.code);
  }
}
