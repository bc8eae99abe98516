import type { EventLog, Offsets } from '@countersign/event-log';

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
