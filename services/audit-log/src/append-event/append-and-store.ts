import type { EventEnvelope } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import type { ServiceContext } from '@countersign/service-kit';
import { NotCaughtUp, type EventIntake } from '../ingest/event-intake.js';

const WAIT_MS = 2_000;
const AGAIN = { 'retry-after': '1' };

/** Message where an event is not in the archive in time. */
export interface NotStored {
  /** To the log of the process. */
  readonly logged: string;
  /** To the caller: the event log did not take it. */
  readonly refused: string;
  /** To the caller: the event log holds it, the archive not yet. */
  readonly behind: string;
}

/**
 * Writes an event to the log of its agent; resolves once the archive holds it.
 * @throws HttpRefusal 503 where the log does not take it, or the archive does not follow in time
 */
export async function appendAndStore(
  { eventLog, log }: Pick<ServiceContext, 'eventLog' | 'log'>,
  intake: Pick<EventIntake, 'caughtUp'>,
  envelope: EventEnvelope,
  words: NotStored,
): Promise<void> {
  const record = { topic: 'agent-events', key: envelope.leaf.agentId, value: JSON.stringify(envelope) } as const;
  const appended = await eventLog.append([record]).catch((error: unknown) => {
    log.error({ err: error }, words.logged);
    throw new HttpRefusal(503, words.refused, AGAIN);
  });
  const ends = Object.fromEntries(appended.map(({ partition, offset }) => [partition, offset + 1]));
  await intake.caughtUp(ends, WAIT_MS).catch((error: unknown) => {
    if (!(error instanceof NotCaughtUp)) throw error;
    throw new HttpRefusal(503, words.behind, AGAIN);
  });
}
