import { ChainUnavailable, type Chain, type ChainTransaction } from '@countersign/chain';

/** What anybody may make this service ask of the chain. */
export type ChainLookups = Pick<Chain, 'network' | 'transaction'>;

export interface LookupLimits {
  /** Look-ups under way at once, of all requests together. */
  readonly atOnce: number;
  /** Look-ups that may wait for their turn. */
  readonly waiting: number;
}

export const LOOKUP_LIMITS: LookupLimits = { atOnce: 32, waiting: 1024 };

/**
 * The chain, asked for so many transactions at once and no more, whoever wants them: strangers name transactions for
 * nothing, and the nodes that answer count what we ask. Beyond what may wait, the chain counts as unavailable.
 */
export function limitedLookups(chain: ChainLookups, { atOnce, waiting }: LookupLimits = LOOKUP_LIMITS): ChainLookups {
  const queue: (() => void)[] = [];
  let free = atOnce;
  const turn = async (): Promise<void> => {
    if (free > 0) {
      free -= 1;
      return;
    }
    if (queue.length >= waiting) throw new ChainUnavailable('rate-limited', 'too many look-ups wait already');
    await new Promise<void>((resolve) => queue.push(resolve));
  };
  const over = (): void => {
    const next = queue.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    network: () => chain.network(),
    async transaction(signature: string): Promise<ChainTransaction | null> {
      await turn();
      try {
        return await chain.transaction(signature);
      } finally {
        over();
      }
    },
  };
}
