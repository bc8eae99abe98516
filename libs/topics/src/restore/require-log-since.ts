import type { EventLog, Offsets } from '@countersign/event-log';

/** The store cannot be brought up to the log; the restore must not continue. */
export class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused';
}

/**
 * Requires that the log still has everything after the positions of a restored store.
 * @param position the stored position in a partition of `agent-events`; `null`: its beginning
 * @throws RestoreRefused if the log no longer has the messages that follow the backup
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
