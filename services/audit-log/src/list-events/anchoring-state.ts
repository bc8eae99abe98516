import type { AnchoringState } from '@countersign/contracts';
import { dueBy } from '../domain/event-detail.js';
import type { AgentAnchor, AgentState, EventStore } from '../store/port.js';

/** Agents that are read at a time. */
const AT_ONCE = 100;

type Read = Pick<EventStore, 'agentStates' | 'anchorOf' | 'range'>;
type Unanchored = NonNullable<AnchoringState['oldestUnanchored']>;

/**
 * How far the events of these agents of an account are anchored.
 * @param cadenceSeconds of the account; `null`: not known
 */
export async function anchoringState(
  store: Read,
  agentIds: readonly string[],
  cadenceSeconds: number | null,
): Promise<AnchoringState> {
  let [events, unanchored] = [0, 0];
  let oldest: Unanchored | null = null;
  let newest: AgentAnchor | null = null;
  for (let at = 0; at < agentIds.length; at += AT_ONCE) {
    const states = await store.agentStates(agentIds.slice(at, at + AT_ONCE));
    for (const { lastSequence, anchoredThrough } of states) {
      events += lastSequence;
      unanchored += lastSequence - anchoredThrough;
    }
    const [first, windows] = await Promise.all([
      Promise.all(states.map((state) => firstUnanchored(store, state))),
      Promise.all(states.map(({ agentId, anchoredThrough }) => store.anchorOf(agentId, anchoredThrough))),
    ]);
    for (const one of first) if (one !== null && (oldest === null || one.occurredAt < oldest.occurredAt)) oldest = one;
    for (const one of windows) if (one !== null && (newest === null || one.windowEnd > newest.windowEnd)) newest = one;
  }
  return { cadenceSeconds, events, unanchored, oldestUnanchored: oldest, newestWindow: windowOf(newest) };
}

async function firstUnanchored(store: Read, state: AgentState): Promise<Unanchored | null> {
  const { agentId, lastSequence, anchoredThrough } = state;
  if (anchoredThrough >= lastSequence) return null;
  const sequence = anchoredThrough + 1;
  const [event] = await store.range(agentId, sequence, sequence, 1);
  if (event === undefined) return null;
  const { leaf, cadenceSeconds } = event.envelope;
  const { eventId, occurredAt } = leaf;
  return { agentId, eventId, sequence, occurredAt, dueBy: dueBy(occurredAt, cadenceSeconds) };
}

function windowOf(anchor: AgentAnchor | null): AnchoringState['newestWindow'] {
  if (anchor === null) return null;
  const { windowStart, windowEnd, merkleRoot, txSignature, blockHeight, anchoredAt } = anchor;
  return { windowStart, windowEnd, merkleRoot, txSignature, blockHeight, anchoredAt };
}
