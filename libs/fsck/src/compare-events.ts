import type { DeadLetter } from '@countersign/contracts';
import { LogDamaged, type LogRecord, type StoredLog } from '@countersign/event-log';
import { AnchoredLeafComparison } from './compare-anchored-leaves.js';
import { ArchiveComparison, type LogBounds } from './compare-archive.js';
import { EventsAhead } from './events-ahead.js';
import { LeafNumbers, type NumberedLeaf } from './number-leaves.js';
import { words, type ServiceStores } from './open-stores.js';
import { placeIn, Reached } from './places.js';
import { UsageRecount } from './recount-usage.js';
import { KeyUses } from './rows/key-uses.js';
import { checkRepetitions } from './rows/repetitions.js';
import type { Check } from './report.js';
import type { Totals } from './usage-sums.js';

export interface EventChecks {
  readonly leaves: Check;
  readonly archive: Check;
  readonly anchored: Check;
  readonly usage: Check;
  readonly owners: Check;
  readonly repetitions: Check;
}

/** Reports the progress of a long check. */
export type Progress = (done: number, total: number) => void;

const REPORTED_EVERY = 1000;

/** `agent-events` as it is read. */
export interface EventRecords extends LogBounds {
  /** How many records there may be. */
  readonly total: number;
  /** In the order of their places. */
  records(): Iterable<LogRecord> | AsyncIterable<LogRecord>;
  /** `true` when the log has dropped nothing: an agent's first leaf in it has sequence 1. */
  isWhole(place: number): boolean;
  /** The leaves that the log has dropped. */
  older(archive: ArchiveComparison): AsyncIterable<NumberedLeaf>;
}

/**
 * One pass through `agent-events`, merged with the archive, anchoring's leaves and the totals.
 * @param isEmbedded one partition, and stores with all tables of the embedded profile
 * @returns what the log adds up to for each account; `null`: it was not read to its end
 */
export async function compareEvents(
  log: StoredLog,
  events: EventRecords,
  stores: ServiceStores,
  checks: EventChecks,
  isEmbedded: boolean,
  progress: Progress,
): Promise<ReadonlyMap<string, Totals> | null> {
  const archive = stores.archive === null ? null : await ArchiveComparison.of(stores.archive, events, checks.archive);
  const anchored = stores.anchors === null ? null : await AnchoredLeafComparison.of(stores.anchors, checks.anchored);
  const usage = await recount(log, stores.policy, checks.usage);
  const { identity } = stores;
  const uses = identity === null ? null : await KeyUses.of(identity, isEmbedded && events.isWhole(0), checks.owners);
  const ahead = new EventsAhead(checks.leaves);
  const followers = [archive, anchored, usage, uses, ahead].filter((follower) => follower !== null);
  if (archive !== null) {
    for await (const leaf of events.older(archive)) {
      await anchored?.take(leaf);
      usage?.take(leaf);
    }
  }
  const letters = deadLetters(log, checks.leaves);
  const reached = {
    'audit-log': stores.archive === null ? null : new Reached(await stores.archive.positions('agent-events')),
    anchoring: stores.anchors === null ? null : new Reached(await stores.anchors.positions('agent-events')),
  };
  const numbers = new LeafNumbers(async (eventId, place) =>
    events.isWhole(place) || archive === null ? null : archive.sequenceOf(eventId),
  );
  let done = 0;
  let newestMs = 0;
  let complete = false;
  try {
    for await (const record of events.records()) {
      if (done % REPORTED_EVERY === 0) progress(done, events.total);
      done += 1;
      newestMs = Math.max(newestMs, record.appendedAtMs);
      const item = await numbers.read(record);
      checks.leaves.examined += 1;
      const place = `agent-events offset ${record.offset}`;
      if (item.kind === 'rejected') judgeRejected(place, record.offset, item.problem);
      else if (item.kind === 'leaf') for (const follower of followers) await follower.take(item);
      else if (!item.same) checks.leaves.wrong(place, `event ${item.eventId} is there before with another leaf`);
      if (item.kind !== 'rejected') {
        const consumers = letters.get(record.offset);
        if (consumers !== undefined) {
          checks.leaves.wrong(
            place,
            `it is a leaf, and ${[...consumers].join(', ')} dead-lettered it: later sequences there are shifted`,
          );
        }
      }
    }
    complete = true;
    if (isEmbedded) await checkRepetitions(stores, numbers, newestMs, events.isWhole(0), checks.repetitions);
  } catch (error) {
    if (!(error instanceof LogDamaged)) throw error;
    checks.leaves.wrong('agent-events', 'it cannot be read further: see files');
  } finally {
    numbers.close();
  }
  await archive?.finish(complete);
  await anchored?.finish(complete);
  await uses?.finish(complete);
  ahead.finish();
  usage?.finish(complete ? log.endOffsets('agent-events') : null);
  progress(done, done);
  return complete && usage !== null ? usage.accounts() : null;

  function judgeRejected(place: string, offset: number, problem: string): void {
    const consumers = letters.get(offset);
    for (const [name, taken] of Object.entries(reached)) {
      if (taken === null || !taken.has(offset) || consumers?.has(name) === true) continue;
      checks.leaves.wrong(place, `it is no leaf (${problem}) and ${name} has not dead-lettered it`);
    }
  }
}

async function recount(log: StoredLog, policy: ServiceStores['policy'], check: Check): Promise<UsageRecount | null> {
  try {
    return await UsageRecount.of(log, policy, check);
  } catch (error) {
    check.wrong('usage', words(error));
    return null;
  }
}

/** Consumers of `agent-events` by the offset of the message that they dead-lettered. */
function deadLetters(log: StoredLog, check: Check): ReadonlyMap<number, ReadonlySet<string>> {
  const letters = new Map<number, Set<string>>();
  try {
    for (const { value } of log.records('dead-letters')) {
      const { topic, partition, offset, consumer } = JSON.parse(Buffer.from(value).toString('utf8')) as DeadLetter;
      if (topic !== 'agent-events') continue;
      const place = placeIn(partition, offset);
      letters.set(place, (letters.get(place) ?? new Set()).add(consumer));
    }
  } catch (error) {
    check.wrong('dead-letters', words(error));
  }
  return letters;
}
