import { setImmediate as turn } from 'node:timers/promises';
import { CompactRange, sameBytes, toHex, windowLeafHash, type Sha256 } from '@countersign/evidence';
import { WindowDamaged } from '../domain/agent-fold.js';
import type { AnchorStore, ClosedWindow, StoredWindowAgent } from '../store/port.js';
import { memoOf } from './window-closer.js';

const AGENTS = 200;
/** Hashes between two turns of the event loop. */
const HASHES = 2_000;
const HASH_BYTES = 32;

/**
 * Computes a closed window's roots again from the stored leaves: no stored root is sent to the chain unchecked.
 * @throws WindowDamaged naming the first thing that does not fit
 */
export async function recomputeWindow(
  store: AnchorStore,
  windowId: string,
  memo: string,
  sha256: Sha256,
): Promise<ClosedWindow> {
  const window = await store.closedWindow(windowId);
  if (window === null) throw new WindowDamaged(`window ${windowId} is not stored`);
  const range = new CompactRange(sha256);
  let events = 0;
  let previousKey = new Uint8Array(0);
  let hashed = 0;
  while (range.size < window.agentCount) {
    const agents = await store.windowAgents(windowId, range.size, AGENTS);
    if (agents.length === 0) throw new WindowDamaged(`window ${windowId} lacks agents from ${range.size} on`);
    for (const agent of agents) {
      if (agent.leafIndex !== range.size || Buffer.compare(previousKey, agent.agentKey) >= 0) {
        throw new WindowDamaged(`agent ${range.size} of window ${windowId} is out of order`);
      }
      previousKey = Uint8Array.from(agent.agentKey);
      await recomputeAgent(store, agent, sha256);
      const { firstSequence, lastSequence, agentKey, root } = agent;
      const count = lastSequence - firstSequence + 1;
      hashed += count;
      if (hashed >= HASHES) {
        hashed = 0;
        await turn();
      }
      const leaf = { agentKey: toHex(agentKey), count, firstSequence, lastSequence, agentRoot: toHex(root) };
      range.append(windowLeafHash(leaf, sha256));
      events += count;
    }
    await turn();
  }
  if (toHex(range.root()) !== window.merkleRoot || events !== window.eventCount || memoOf(window) !== memo) {
    throw new WindowDamaged(`window ${windowId} has another root than was stored`);
  }
  return window;
}

async function recomputeAgent(store: AnchorStore, agent: StoredWindowAgent, sha256: Sha256): Promise<void> {
  const range = new CompactRange(sha256);
  for (let first = agent.firstSequence; first <= agent.lastSequence; first += HASHES) {
    const last = Math.min(first + HASHES - 1, agent.lastSequence);
    const hashes = await store.leafHashes(agent.agentId, first, last);
    if (hashes.length !== (last - first + 1) * HASH_BYTES) {
      throw new WindowDamaged(`leaves ${first} to ${last} of agent ${agent.agentId} are not stored`);
    }
    for (let at = 0; at < hashes.length; at += HASH_BYTES) range.append(hashes.subarray(at, at + HASH_BYTES));
    if (last < agent.lastSequence) await turn();
  }
  if (!sameBytes(range.root(), agent.root)) {
    throw new WindowDamaged(`the leaves of agent ${agent.agentId} have another root than was stored`);
  }
}
