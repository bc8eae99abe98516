/** Reason why no check is admitted now, as metrics count it. */
export type ClosedReason =
  | 'event_loop'
  | 'event_log_slow'
  | 'counters_slow'
  | 'too_many'
  | 'account_share'
  | 'catching_up'
  | 'counters_unavailable'
  | 'event_log_refuses'
  | 'stopping';

/** A refusal whose bodies are built once. */
export interface Closed {
  readonly reason: ClosedReason;
  /** Message for clients. */
  readonly words: string;
  /** The body of `POST /v1/check`. */
  readonly checkBody: string;
  /** The body of an AuthZEN evaluation. */
  readonly evaluationBody: string;
}

const BUSY = 'More checks arrive than can be decided in time. Do not act; try again in a second.';

const WORDS: Readonly<Record<ClosedReason, string>> = {
  event_loop: BUSY,
  event_log_slow: 'Decisions are made durable too slowly. Do not act; try again in a second.',
  counters_slow: 'Checks are counted too slowly. Do not act; try again in a second.',
  too_many: 'Too many checks are under way. Do not act; try again in a second.',
  account_share:
    'Three quarters of all checks that may be under way are this account’s. Do not act; try again in a second.',
  catching_up: 'The gateway is catching up. Do not act; try again.',
  counters_unavailable: 'The counters are being rebuilt. Do not act; try again.',
  event_log_refuses: 'No event can be recorded now. Do not act; try again.',
  stopping: 'The service is stopping. Do not act; try again.',
};

export const CLOSED = Object.fromEntries(
  Object.entries(WORDS).map(([reason, words]) => [reason, closed(reason as ClosedReason, words)]),
) as Readonly<Record<ClosedReason, Closed>>;

function closed(reason: ClosedReason, words: string): Closed {
  const code = 'unavailable';
  return {
    reason,
    words,
    checkBody: JSON.stringify({ allowed: false, reason: words, severity: 'P1', code }),
    evaluationBody: JSON.stringify({ decision: false, context: { reason: words, code } }),
  };
}
