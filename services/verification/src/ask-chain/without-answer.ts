import { ChainRejected, ChainUnavailable } from '@countersign/chain';

/**
 * Result of a look-up that failed. A signature that is not base58 of 64 bytes is refused before any node is asked: no such
 * transaction exists. Any other refusal, such as that of a node without the history, shows nothing.
 * @throws error itself, where it is not one of the chain
 */
export function withoutAnswer(error: unknown): 'not-found' | 'unavailable' {
  if (error instanceof ChainUnavailable) return 'unavailable';
  if (!(error instanceof ChainRejected)) throw error;
  return error.code === 'invalid-transaction' ? 'not-found' : 'unavailable';
}
