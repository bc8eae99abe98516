import { setTimeout } from 'node:timers/promises';
import type { CountedEvent, Counters, RebuildTurn } from '@countersign/counters';
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
 * Brings counters to where the log is: totals from `usage`, versions and freezes from the topics of their owners, then
 * the events that came after. With totals this reads only the log's tail; without any, the whole log. The end of the
 * tail is read once more when nothing that was judged before can reach the log any longer; where nobody and nothing was
 * ever made, nothing was judged.
 * `false`: another gateway rebuilds them, or has.
 */
export async function rebuildCounters(context: RebuildContext, clock: () => number): Promise<boolean> {
  const { counters } = context;
  const turn = await counters.beginRebuild();
  if (turn === null) return false;
  try {
    await rebuild(context, turn, clock);
    return true;
  } catch (error) {
    // Another gateway may be able to.
    await counters.abandonRebuild().catch(() => undefined);
    throw error;
  }
}

async function rebuild(context: RebuildContext, turn: RebuildTurn, clock: () => number): Promise<void> {
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
  if (turn.settleMs > 0 && !nothingJudged) {
    const left = turn.settleMs - (clock() - begun);
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
  let told = clock();
  for (;;) {
    const records = await eventLog.read('agent-events', partition, offset, READ);
    if (records.length === 0) return { events: offset - first, end: offset };
    const counted: CountedEvent[] = [];
    for (const record of records) {
      const envelope = readMessage(record.value);
      // What the leaf predicate rejects is parked by every consumer: it counts nothing here either.
      const event = envelope.ok ? countedEvent(envelope.value, partition, record.offset, standsAt) : null;
      if (event !== null) counted.push(event);
    }
    await counters.replay(counted);
    offset = records.at(-1)!.offset + 1;
    if (clock() - told > PROGRESS_MS) {
      told = clock();
      const end = (await eventLog.endOffsets('agent-events'))[partition] ?? offset;
      log.info({ partition, replayed: offset - first, left: end - offset }, 'counters: replaying events');
    }
  }
}
