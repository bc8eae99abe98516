import type { Chain } from '@countersign/chain';
import type { Counters } from '@countersign/counters';
import type { EventLog } from '@countersign/event-log';

/** The log, counters and chain of a thread, of either profile. */
export interface Backends {
  readonly eventLog: EventLog;
  readonly counters: Counters;
  /** Opened at the first call. */
  chain(): Promise<Chain>;
  /** Rejects the chain's open requests, so that a stop waits for no node. The next start sends them again. */
  closeChain(): Promise<void>;
  /** Closes what this thread opened. */
  close(): Promise<void>;
}

/** Combines a log, counters and the chain at these RPC addresses; `close` closes the log last. */
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
