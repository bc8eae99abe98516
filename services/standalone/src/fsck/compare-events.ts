import type { DeadLetter } from '@countersign/contracts';
import { LogDamaged, type StoredLog } from '@countersign/event-log';
import { readMessage } from '@countersign/evidence';
import { AnchoredLeafComparison } from './compare-anchored-leaves.js';
import { ArchiveComparison } from './compare-archive.js';
import { LeafNumbers } from './number-leaves.js';
import { positionIn, words, type Store, type Stores } from './open-stores.js';
import { UsageRecount } from './recount-usage.js';
import type { Check } from './report.js';

export interface EventChecks {
  readonly leaves: Check;
  readonly archive: Check;
  readonly anchored: Check;
  readonly usage: Check;
}

/** How far a long check has come. */
export type Progress = (done: number, total: number) => void;

const TOLD_EVERY = 1000;
const HOUR_MS = 3_600_000;

/** One walk through `agent-events`, with the archive, anchoring's leaves and the totals beside it. */
export function compareEvents(log: StoredLog, stores: Stores, checks: EventChecks, progress: Progress): void {
  const begin = log.beginOffsets('agent-events')[0] ?? 0;
  const end = log.endOffsets('agent-events')[0] ?? 0;
  const kept = begin === 0 ? null : firstKept(log);
  const archive =
    stores.archive === null ? null : new ArchiveComparison(stores.archive, checks.archive, kept?.fromMs ?? null);
  const anchored = stores.anchors === null ? null : new AnchoredLeafComparison(stores.anchors, checks.anchored);
  const usage = recount(log, stores.policy, checks.usage);
  const followers = [archive, anchored, usage].filter((follower) => follower !== null);
  if (kept !== null && archive !== null) {
    for (const leaf of archive.older(kept.eventIds)) {
      anchored?.take(leaf);
      usage?.take(leaf);
    }
  }
  const parked = parkedLetters(log, checks.leaves);
  const numbers = new LeafNumbers((eventId) => (begin === 0 ? null : (archive?.sequenceOf(eventId) ?? null)));
  let complete = false;
  try {
    for (const record of log.records('agent-events')) {
      if (record.offset % TOLD_EVERY === 0) progress(record.offset - begin, end - begin);
      const item = numbers.read(record);
      checks.leaves.examined += 1;
      const place = `agent-events offset ${record.offset}`;
      if (item.kind === 'rejected') judgeRejected(place, record.offset, item.problem);
      else if (item.kind === 'leaf') for (const follower of followers) follower.take(item);
      else if (!item.same) checks.leaves.wrong(place, `event ${item.eventId} is there before with another leaf`);
      if (item.kind !== 'rejected') {
        const consumers = parked.get(record.offset);
        if (consumers !== undefined) {
          checks.leaves.wrong(
            place,
            `it is a leaf, and ${[...consumers].join(', ')} parked it: later sequences there are shifted`,
          );
        }
      }
    }
    complete = true;
  } catch (error) {
    if (!(error instanceof LogDamaged)) throw error;
    checks.leaves.wrong('agent-events', 'it cannot be read further: see files');
  } finally {
    numbers.close();
  }
  archive?.finish(complete);
  anchored?.finish(complete);
  usage?.finish(complete ? end : null);
  progress(end - begin, end - begin);

  function judgeRejected(place: string, offset: number, problem: string): void {
    const consumers = parked.get(offset);
    for (const [name, store] of [
      ['audit-log', stores.archive],
      ['anchoring', stores.anchors],
    ] as const) {
      if (store === null || offset >= positionIn(store, 'agent-events') || consumers?.has(name) === true) continue;
      checks.leaves.wrong(place, `it is no leaf (${problem}) and ${name} has not parked it`);
    }
  }
}

function recount(log: StoredLog, policy: Store | null, check: Check): UsageRecount | null {
  try {
    return new UsageRecount(log, policy, check);
  } catch (error) {
    check.wrong('usage', words(error));
    return null;
  }
}

/** When the log took its first kept record, and the ids of the first events. */
function firstKept(log: StoredLog): { readonly fromMs: number; readonly eventIds: readonly string[] } {
  let fromMs = Infinity;
  const eventIds: string[] = [];
  for (const record of log.records('agent-events')) {
    fromMs = Math.min(fromMs, record.appendedAtMs);
    const reading = readMessage(record.value);
    if (reading.ok) eventIds.push(reading.value.leaf.eventId);
    if (eventIds.length === 50) break;
  }
  // Clocks of writers may run a little apart.
  return { fromMs: fromMs + HOUR_MS, eventIds };
}

/** Who parked what of `agent-events`, by offset. */
function parkedLetters(log: StoredLog, check: Check): ReadonlyMap<number, ReadonlySet<string>> {
  const parked = new Map<number, Set<string>>();
  try {
    for (const { value } of log.records('dead-letters')) {
      const { topic, offset, consumer } = JSON.parse(Buffer.from(value).toString('utf8')) as DeadLetter;
      if (topic !== 'agent-events') continue;
      parked.set(offset, (parked.get(offset) ?? new Set()).add(consumer));
    }
  } catch (error) {
    check.wrong('dead-letters', words(error));
  }
  return parked;
}
