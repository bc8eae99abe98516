import type { AnchorFacts } from '@countersign/contracts';
import { reportMemo, windowMemo } from '@countersign/evidence';
import type { EventLog } from '@countersign/event-log';
import { RestoreRefused } from '@countersign/topics';
import type { AnchorStore, Landed, Submission } from '../store/port.js';
import { publishedFacts } from './published-cuts.js';

type Anchored = Extract<AnchorFacts, { kind: 'window' | 'report' }>;

/** A published anchor, without the agents of its window. */
export interface PublishedAnchor extends Landed {
  readonly memo: string;
}

/** Memos that are read from the store at once; those that were adopted make room for more. */
const AT_ONCE = 5_000;

/**
 * Records the transaction of each waiting memo whose anchor is published. The memo of a window holds its root, the root before it,
 * its label and its counts: one that was made again must be the very memo that the chain holds.
 * @returns what was recorded, and the memos whose anchors are not published
 * @throws RestoreRefused where another memo was anchored under the same name
 */
export async function recordPublished(
  log: Pick<EventLog, 'beginOffsets' | 'endOffsets' | 'read'>,
  store: Pick<AnchorStore, 'openSubmissions' | 'saveAnchored'>,
): Promise<{ readonly adopted: readonly string[]; readonly unpublished: readonly Submission[] }> {
  const adopted: string[] = [];
  for (;;) {
    const open = await store.openSubmissions(AT_ONCE);
    const published = await publishedAnchors(log, new Set(open.map(({ id }) => id)));
    for (const { id, memo } of open) {
      const anchor = published.get(id);
      if (anchor === undefined) continue;
      if (anchor.memo !== memo) {
        throw new RestoreRefused(`${id} came out as "${memo}", and "${anchor.memo}" was published as anchored`);
      }
      const { memo: _memo, ...landed } = anchor;
      await store.saveAnchored(id, landed);
      adopted.push(id);
    }
    // As many as were asked for, and none of them published: more than a long outage of the chain leaves waiting.
    if (published.size === 0 || open.length < AT_ONCE)
      return { adopted, unpublished: open.filter(({ id }) => !published.has(id)) };
  }
}

/** Published anchors of these windows and reports. */
export async function publishedAnchors(
  log: Pick<EventLog, 'beginOffsets' | 'endOffsets' | 'read'>,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, PublishedAnchor>> {
  const published = new Map<string, PublishedAnchor>();
  if (ids.size === 0) return published;
  for await (const facts of publishedFacts(log)) {
    if (facts.kind !== 'window' && facts.kind !== 'report') continue;
    const id = facts.kind === 'window' ? `window:${facts.windowId}` : `report:${facts.reportId}`;
    if (ids.has(id)) published.set(id, anchorOf(facts));
  }
  return published;
}

function anchorOf(facts: Anchored): PublishedAnchor {
  const { txSignature: signature, slot, blockHeight, anchoredAt, network, authority } = facts;
  const memo =
    facts.kind === 'report'
      ? reportMemo(facts.contentHash)
      : windowMemo({
          root: facts.merkleRoot,
          prev: facts.prev === '0' ? null : facts.prev,
          windowStart: facts.windowStart,
          durationSeconds: facts.cadenceSeconds,
          agents: facts.agentCount,
          events: facts.eventCount,
        });
  return { memo, signature, slot, blockHeight, anchoredAt, network, authority };
}
