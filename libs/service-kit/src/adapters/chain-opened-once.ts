import type { Chain } from '@countersign/chain';

export interface ChainOpenedOnce {
  readonly open: () => Promise<Chain>;
  readonly close: () => Promise<void>;
}

/** The chain at these RPC addresses, opened at the first call. */
export function chainOpenedOnce(urls: () => Promise<readonly string[]>): ChainOpenedOnce {
  let opened: Promise<Chain> | null = null;
  const open = async (): Promise<Chain> => {
    const { openSolanaChain } = await import('@countersign/chain');
    return openSolanaChain({ urls: await urls() });
  };
  return {
    open: () => (opened ??= open()),
    close: async () => (await opened?.catch(() => null))?.close(),
  };
}
