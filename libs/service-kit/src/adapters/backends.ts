import type { Chain } from '@countersign/chain';
import type { Counters } from '@countersign/counters';
import type { EventLog } from '@countersign/event-log';

/** What a thread works with, by whichever profile. */
export interface Backends {
  readonly eventLog: EventLog;
  readonly counters: Counters;
  /** Opened at the first call. */
  chain(): Promise<Chain>;
  /** Ends what the chain is asked: whoever stops waits for no node. The chain's answers are asked for again at the next start. */
  closeChain(): Promise<void>;
  /** Closes what this thread opened. */
  close(): Promise<void>;
}

/** Backends on this log, these counters and the chain at these RPC addresses; closing ends the log last. */
export function backendsOf(
  eventLog: EventLog,
  counters: Counters,
  rpcUrls: () => Promise<readonly string[]>,
): Backends {
  let opened: Promise<Chain> | null = null;
  const open = async (): Promise<Chain> => {
    const { openSolanaChain } = await import('@countersign/chain');
    return openSolanaChain({ urls: await rpcUrls() });
  };
  const closeChain = async (): Promise<void> => {
    await (await opened?.catch(() => null))?.close();
  };
  return {
    eventLog,
    counters,
    chain: () => (opened ??= open()),
    closeChain,
    async close() {
      await closeChain();
      await counters.close();
      await eventLog.close();
    },
  };
}
