import { ChainRejected, ChainUnavailable } from '@countersign/chain';

/**
 * What a look-up says that failed with `error`. A signature that is not base58 of 64 bytes is refused before anybody is
 * asked: no such transaction exists. Any other refusal, of a node that keeps no history that old for one, tells nothing.
 * @throws error itself, where it is not the chain's
 */
export function withoutAnswer(error: unknown): 'not-found' | 'unavailable' {
  if (error instanceof ChainUnavailable) return 'unavailable';
  if (!(error instanceof ChainRejected)) throw error;
  return error.code === 'invalid-transaction' ? 'not-found' : 'unavailable';
}
