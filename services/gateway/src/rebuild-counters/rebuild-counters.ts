import { setTimeout } from 'node:timers/promises';
import type { CountedEvent, Counters, RebuildLease } from '@countersign/counters';
import type { EventReader } from '@countersign/event-log';
import { readMessage } from '@countersign/evidence';
import type { ServiceContext } from '@countersign/service-kit';
import { countedEvent } from './counted-event.js';
import type { StandsAt } from './counted-event.js';
import { readSnapshot } from './read-snapshot.js';

const READ = 2_000;
const PROGRESS_MS = 2_000;

export interface RebuildContext {
  readonly eventLog: EventReader;
  readonly counters: Pick<Counters, 'beginRebuild' | 'abandonRebuild' | 'restore' | 'replay' | 'serve'>;
  readonly log: Pick<ServiceContext['log'], 'info'>;
}

/**
 * Restores counters from the log: totals from `usage`, versions and freezes from the topics of their owners, then the
 * events after them. With totals this reads only the log's tail; without any, the whole log. The end of the tail is
 * read again once no event judged before can still reach the log; that is skipped where no record was ever created,
 * since nothing was judged. `false`: another gateway rebuilds them, or has.
 */
export async function rebuildCounters(context: RebuildContext, clock: () => number): Promise<boolean> {
  const { counters } = context;
  const lease = await counters.beginRebuild();
  if (lease === null) return false;
  try {
    await rebuild(context, lease, clock);
    return true;
  } catch (error) {
    // Another gateway may succeed.
    await counters.abandonRebuild().catch(() => undefined);
    throw error;
  }
}

async function rebuild(context: RebuildContext, lease: RebuildLease, clock: () => number): Promise<void> {
  const { eventLog, counters, log } = context;
  const begun = clock();
  log.info({}, 'the counters are being rebuilt');
  const { snapshot, position, standsAt } = await readSnapshot(eventLog);
  await counters.restore(snapshot);
  const partitions = await eventLog.partitions('agent-events');
  const reached = Array.from({ length: partitions }, (_, partition) => position[partition] ?? 0);
  const replay = async (): Promise<number> => {
    let events = 0;
    for (const [partition, from] of reached.entries()) {
      const tail = await replayPartition(context, partition, from, standsAt, clock);
      reached[partition] = tail.end;
      events += tail.events;
    }
    return events;
  };
  let events = await replay();
  const nothingJudged = snapshot.versions.length === 0 && events === 0;
  if (lease.settleMs > 0 && !nothingJudged) {
    const left = lease.settleMs - (clock() - begun);
    if (left > 0) await setTimeout(left);
    events += await replay();
  }
  await counters.serve();
  const { agents, accounts } = snapshot;
  log.info(
    { ms: Math.round(clock() - begun), events, agents: agents.length, accounts: accounts.length },
    'counters rebuilt',
  );
}

async function replayPartition(
  { eventLog, counters, log }: RebuildContext,
  partition: number,
  position: number,
  standsAt: StandsAt,
  clock: () => number,
): Promise<{ readonly events: number; readonly end: number }> {
  const begin = (await eventLog.beginOffsets('agent-events'))[partition] ?? 0;
  const first = Math.max(begin, position);
  let offset = first;
  let reportedAt = clock();
  for (;;) {
    const records = await eventLog.read('agent-events', partition, offset, READ);
    if (records.length === 0) return { events: offset - first, end: offset };
    const counted: CountedEvent[] = [];
    for (const record of records) {
      const envelope = readMessage(record.value);
      // Every consumer dead-letters what the leaf predicate rejects: it counts nothing here either.
      const event = envelope.ok ? countedEvent(envelope.value, partition, record.offset, standsAt) : null;
      if (event !== null) counted.push(event);
    }
    await counters.replay(counted);
    offset = records.at(-1)!.offset + 1;
    if (clock() - reportedAt > PROGRESS_MS) {
      reportedAt = clock();
      const end = (await eventLog.endOffsets('agent-events'))[partition] ?? offset;
      log.info({ partition, replayed: offset - first, left: end - offset }, 'counters: replaying events');
    }
  }
}
