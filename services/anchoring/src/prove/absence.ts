import { join } from 'node:path';
import type { AgentWindowLeaf } from '@countersign/contracts';
import {
  absenceProof,
  agentKey,
  positionOfKey,
  toHex,
  verifyAbsence,
  type AbsenceProof,
  type EvidenceCrypto,
} from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { WindowDamaged } from '../domain/agent-fold.js';
import type { AnchorStore, StoredWindowAgent } from '../store/port.js';
import { WindowTrees } from './window-trees.js';

/** A window by its label. */
export interface WindowLabel {
  readonly startMs: number;
  readonly durationSeconds: number;
}

export type AbsenceAnswer =
  | { readonly kind: 'absent'; readonly proof: AbsenceProof }
  /** The agent had these events in the window. */
  | { readonly kind: 'present'; readonly firstSequence: number; readonly lastSequence: number }
  /** No window of this label was closed: it is still open, or no agent had an event in it. */
  | { readonly kind: 'no-window' }
  /** Its transaction is not final yet. */
  | { readonly kind: 'not-anchored' };

/**
 * Proves from the store of an installation, running or not, that agents had no event in windows; the answers in this order.
 * @param place `directory`: anchoring's folder of the embedded profile; `mongodbUri`: the database of the distributed one
 * @throws WindowDamaged where the stored window is not the one that was anchored
 */
export function proveAbsences(
  place: StorePlace,
  wanted: readonly { readonly agentId: string; readonly label: WindowLabel }[],
): Promise<readonly AbsenceAnswer[]> {
  return withStore(place, async (store) => {
    const answers: AbsenceAnswer[] = [];
    for (const { agentId, label } of wanted) answers.push(await absenceIn(store, agentId, label, nodeCrypto));
    return answers;
  });
}

/** Labels of the closed windows that overlap a time, oldest first, at most `limit`; `toMs` is not in it. */
export function windowsBetween(
  place: StorePlace,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  limit: number,
): Promise<readonly WindowLabel[]> {
  return withStore(place, async (store) => {
    const labels = await store.labelsBetween(fromMs, toMs, limit);
    return labels.map(({ cadenceSeconds, startMs }) => ({ startMs, durationSeconds: cadenceSeconds }));
  });
}

interface StorePlace {
  readonly directory: string;
  readonly mongodbUri: string | null;
}

async function withStore<T>(
  { directory, mongodbUri }: StorePlace,
  use: (store: AnchorStore) => Promise<T>,
): Promise<T> {
  const { sha256 } = nodeCrypto;
  const store =
    mongodbUri === null
      ? (await import('../store/sqlite.js')).openSqliteAnchorStore(join(directory, 'anchors.db'), sha256)
      : await (await import('../store/mongo.js')).openMongoAnchorStore(mongodbUri, { sha256 });
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** One of {@link proveAbsences}, in an open store. */
export async function absenceIn(
  store: Pick<AnchorStore, 'windowAt' | 'windowAgents' | 'windowLeafHashes' | 'windowTile' | 'windowTileRoots'>,
  agentId: string,
  { startMs, durationSeconds }: WindowLabel,
  crypto: EvidenceCrypto,
): Promise<AbsenceAnswer> {
  const { sha256 } = crypto;
  const window = await store.windowAt(durationSeconds, startMs);
  if (window === null) return { kind: 'no-window' };
  const { closed, landed } = window;
  if (landed === null) return { kind: 'not-anchored' };
  const agentAt = async (index: number): Promise<StoredWindowAgent> => {
    const [agent] = await store.windowAgents(closed.windowId, index, 1);
    if (agent?.leafIndex !== index)
      throw new WindowDamaged(`agent ${index} of window ${closed.windowId} is not stored`);
    return agent;
  };
  const key = agentKey(agentId, sha256);
  const place = await positionOfKey(key, closed.agentCount, async (index) => toHex((await agentAt(index)).agentKey));
  const leafAt = async (index: number): Promise<AgentWindowLeaf | null> =>
    index < 0 || index >= closed.agentCount ? null : leafOf(await agentAt(index));
  const [before, after] = [await leafAt(place - 1), await leafAt(place)];
  if (after?.agentKey === key) {
    return { kind: 'present', firstSequence: after.firstSequence, lastSequence: after.lastSequence };
  }
  const tree = await new WindowTrees(store, sha256).of(closed);
  const proof = absenceProof(
    agentId,
    tree,
    place,
    { before, after },
    {
      merkleRoot: closed.merkleRoot,
      txSignature: landed.signature,
      network: landed.network,
      windowStart: new Date(closed.startMs).toISOString(),
      windowEnd: new Date(closed.endMs).toISOString(),
    },
    sha256,
  );
  // The stored adjacent leaves may have been changed: a proof that does not hold is not given out.
  const [problem] = verifyAbsence(proof, { crypto, chain: null }).problems;
  if (problem !== undefined) throw new WindowDamaged(`window ${closed.windowId}: ${problem.message}`);
  return { kind: 'absent', proof };
}

function leafOf({ agentKey: key, firstSequence, lastSequence, root }: StoredWindowAgent): AgentWindowLeaf {
  const count = lastSequence - firstSequence + 1;
  return { agentKey: toHex(key), count, firstSequence, lastSequence, agentRoot: toHex(root) };
}
