/** Why no node answered. */
export const UNAVAILABLE_REASONS = ['network', 'timeout', 'rate-limited', 'node-unhealthy', 'wrong-network'] as const;
export type UnavailableReason = (typeof UNAVAILABLE_REASONS)[number];

/**
 * No configured node answered in time. Retryable; a transaction that was being sent may have been accepted, so it is in
 * doubt.
 */
export class ChainUnavailable extends Error {
  override readonly name = 'ChainUnavailable';
  readonly reason: UnavailableReason;

  constructor(reason: UnavailableReason, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.reason = reason;
  }
}

/** Reasons of a refusal, by a node or by this library before a request. */
export const REJECTION_CODES = [
  'invalid-address',
  'invalid-memo',
  'invalid-signer',
  'invalid-transaction',
  'blockhash-not-found',
  'insufficient-funds',
  'signature-failure',
  'transaction-failed',
  'airdrop-not-offered',
  'history-not-available',
  'rpc-error',
] as const;
export type RejectionCode = (typeof REJECTION_CODES)[number];

/** The request was refused by a node, or can never be valid: repeating it unchanged does not help. */
export class ChainRejected extends Error {
  override readonly name = 'ChainRejected';
  readonly code: RejectionCode;
  /** Logs of the simulation, where the node gave them. */
  readonly logs: readonly string[];

  constructor(
    code: RejectionCode,
    message: string,
    options: { cause?: unknown; logs?: readonly string[] | undefined } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.logs = options.logs ?? [];
  }
}
