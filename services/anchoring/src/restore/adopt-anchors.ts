import type { AnchorFacts } from '@countersign/contracts';
import { reportMemo, windowMemo } from '@countersign/evidence';
import type { EventLog } from '@countersign/event-log';
import { RestoreRefused } from '@countersign/topics';
import type { AnchorStore, Landed, Submission } from '../store/port.js';
import { toldFacts } from './told-cuts.js';

type Anchored = Extract<AnchorFacts, { kind: 'window' | 'report' }>;

/** What the log was told is anchored, without the agents of windows. */
export interface ToldAnchor extends Landed {
  readonly memo: string;
}

/** Memos that are read from the store at once; those that were adopted make room for more. */
const AT_ONCE = 5_000;

/**
 * Records where each waiting memo landed, as the log was told. The memo of a window holds its root, the root before it,
 * its label and its counts: one that was made again must be the very memo that the chain holds.
 * @returns what was adopted, and the memos of which the log was not told
 * @throws RestoreRefused where another memo was anchored under the same name
 */
export async function adoptAnchors(
  log: Pick<EventLog, 'beginOffsets' | 'endOffsets' | 'read'>,
  store: Pick<AnchorStore, 'openSubmissions' | 'saveAnchored'>,
): Promise<{ readonly adopted: readonly string[]; readonly untold: readonly Submission[] }> {
  const adopted: string[] = [];
  for (;;) {
    const open = await store.openSubmissions(AT_ONCE);
    const told = await toldOf(log, new Set(open.map(({ id }) => id)));
    for (const { id, memo } of open) {
      const anchor = told.get(id);
      if (anchor === undefined) continue;
      if (anchor.memo !== memo) {
        throw new RestoreRefused(`${id} came out as "${memo}", and the log was told that "${anchor.memo}" is anchored`);
      }
      const { memo: _memo, ...landed } = anchor;
      await store.saveAnchored(id, landed);
      adopted.push(id);
    }
    // As many as were asked for, and none of them told: more than a chain that was gone for long leaves waiting.
    if (told.size === 0 || open.length < AT_ONCE) return { adopted, untold: open.filter(({ id }) => !told.has(id)) };
  }
}

/** Where these windows and reports are anchored, as far as the log was told. */
export async function toldOf(
  log: Pick<EventLog, 'beginOffsets' | 'endOffsets' | 'read'>,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ToldAnchor>> {
  const told = new Map<string, ToldAnchor>();
  if (ids.size === 0) return told;
  for await (const facts of toldFacts(log)) {
    if (facts.kind !== 'window' && facts.kind !== 'report') continue;
    const id = facts.kind === 'window' ? `window:${facts.windowId}` : `report:${facts.reportId}`;
    if (ids.has(id)) told.set(id, anchorOf(facts));
  }
  return told;
}

function anchorOf(facts: Anchored): ToldAnchor {
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
