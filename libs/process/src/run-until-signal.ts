import type { Logger } from 'pino';
import { endOnSignals } from './signals.js';

interface Stoppable {
  stop(): Promise<void>;
}

/**
 * Starts a program and stops it at SIGINT or SIGTERM. A signal during the start aborts it at its next step; the parts that
 * have started by then are stopped in order.
 * @param start receives a signal that aborts when the process is to end; MUST stop what it has started if it rejects
 * @param release runs once everything has stopped
 * @returns the started program; `null` if a signal ended the start
 * @throws what `start` rejects with, unless a signal came first
 */
export async function runUntilSignal<T extends Stoppable>(
  log: Logger,
  start: (signal: AbortSignal) => Promise<T>,
  release: () => void = () => undefined,
): Promise<T | null> {
  const interruption = new AbortController();
  const starting = start(interruption.signal);
  endOnSignals(log, async (signal) => {
    log.info({ signal }, 'stopping');
    interruption.abort();
    await (await starting.catch(() => null))?.stop();
    release();
  });
  try {
    return await starting;
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    return null;
  }
}
