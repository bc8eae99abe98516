import { Semaphore } from '@countersign/async';
import { ChainUnavailable, type Chain, type ChainTransaction } from '@countersign/chain';

/** What anybody may make this service ask of the chain. */
export type ChainLookups = Pick<Chain, 'network' | 'transaction'>;

export interface LookupLimits {
  /** Look-ups under way at once, of all requests together. */
  readonly atOnce: number;
  /** Look-ups that may wait for their turn. */
  readonly waiting: number;
}

const LOOKUP_LIMITS: LookupLimits = { atOnce: 32, waiting: 1024 };

/**
 * The chain, asked for so many transactions at once and no more, whoever wants them: strangers name transactions for
 * nothing, and the nodes that answer count what we ask. Beyond what may wait, the chain counts as unavailable.
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
