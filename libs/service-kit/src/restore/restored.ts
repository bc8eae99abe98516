import type { EventLog, Offsets } from '@countersign/event-log';
import type { ServiceContext } from '../service/definition.js';

/** What a service needs to take from its topics what a store that was put back from a copy lacks. */
export type RestoreContext = Pick<
  ServiceContext,
  'config' | 'eventLog' | 'log' | 'metrics' | 'clock' | 'directory' | 'openStore' | 'chain'
>;

export interface RestoreOptions {
  /** Reads and tells, and changes nothing. */
  readonly dryRun: boolean;
  /** Called with what takes long. */
  readonly progress: (what: string) => void;
}

/** In plain words, one line each. */
export interface Restored {
  /** What the store took, or would take. */
  readonly adopted: readonly string[];
  /** What was lost since the copy, because no topic holds it. */
  readonly lost: readonly string[];
}

/** The store cannot be brought up to what the log was told; nothing may go on with it. */
export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused';
}

/**
 * @param position where following stands in a partition of `agent-events`, `null`: at its beginning
 * @throws RestoreRefused where the log no longer keeps what follows the copy
 */
export async function requireLogSince(
  log: Pick<EventLog, 'beginOffsets'>,
  position: (partition: number) => Promise<number | null>,
): Promise<void> {
  const begin: Offsets = await log.beginOffsets('agent-events');
  for (const [partition, from] of Object.entries(begin)) {
    const next = (await position(Number(partition))) ?? 0;
    if (next < from) {
      throw new RestoreRefused(
        `the copy is older than the log: it stands at ${next} of agent-events/${partition}, which begins at ${from}`,
      );
    }
  }
}
