import { Semaphore } from '@countersign/async';
import { ChainUnavailable, type Chain, type ChainTransaction } from '@countersign/chain';

/** Look-ups of the chain that an anonymous request can cause. */
export type ChainLookups = Pick<Chain, 'network' | 'transaction'>;

export interface LookupLimits {
  /** Look-ups under way at once, of all requests together. */
  readonly atOnce: number;
  /** Look-ups that may wait. */
  readonly waiting: number;
}

const LOOKUP_LIMITS: LookupLimits = { atOnce: 32, waiting: 1024 };

/**
 * Bounds the look-ups of all requests together: naming transactions costs a caller nothing, and RPC nodes limit requests.
 * Beyond those that may wait, the chain counts as unavailable.
 */
export function limitedLookups(chain: ChainLookups, { atOnce, waiting }: LookupLimits = LOOKUP_LIMITS): ChainLookups {
  const running = new Semaphore(atOnce);
  return {
    network: () => chain.network(),
    async transaction(signature: string): Promise<ChainTransaction | null> {
      if (running.free === 0 && running.waiting >= waiting) {
        throw new ChainUnavailable('rate-limited', 'too many look-ups wait already');
      }
      return running.run(() => chain.transaction(signature));
    },
  };
}
