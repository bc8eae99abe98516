import type { AgentWindowFacts, AnchorFacts } from '@countersign/contracts';
import { toHex } from '@countersign/evidence';
import type { NewRecord } from '@countersign/event-log';
import { versionedRecord } from '@countersign/topics';
import type { AnchoredReport, AnchoredWindow, CutWindow, StoredWindowAgent } from '../store/port.js';

/** Who anchors, and where. */
export interface AuthorityFacts {
  readonly address: string;
  readonly network: string;
}

/** Agents in one record of a window. */
export const CHUNK_AGENTS = 1_000;

const iso = (ms: number): string => new Date(ms).toISOString();

/** A fact that never changes has one version; a repetition after a crash has the same value. */
function once(key: string, facts: AnchorFacts): NewRecord {
  return versionedRecord<AnchorFacts>('anchors', key, 1, facts);
}

/** Its validity has no bounds: no other authority came before, and none has followed. */
export function authorityRecord({ address, network }: AuthorityFacts): NewRecord {
  return once(`authority:${address}`, { kind: 'authority', address, network, validFrom: null, validTo: null });
}

export function cutRecord(cut: CutWindow): NewRecord {
  const { cadenceSeconds, number, offsets, carried } = cut;
  return once(`cut:${cadenceSeconds}:${number}`, {
    kind: 'cut',
    cadenceSeconds,
    number,
    windowStart: iso(cut.startMs),
    windowEnd: iso(cut.endMs),
    offsets,
    carried,
  });
}

export function windowRecord(window: AnchoredWindow, chunk: number, agents: readonly StoredWindowAgent[]): NewRecord {
  return once(`window:${window.windowId}:${chunk}`, {
    kind: 'window',
    windowId: window.windowId,
    cadenceSeconds: window.cadenceSeconds,
    windowStart: iso(window.startMs),
    windowEnd: iso(window.endMs),
    merkleRoot: window.merkleRoot,
    prev: window.prev ?? '0',
    agentCount: window.agentCount,
    eventCount: window.eventCount,
    txSignature: window.signature,
    slot: window.slot,
    blockHeight: window.blockHeight,
    anchoredAt: window.anchoredAt,
    network: window.network,
    authority: window.authority,
    chunk,
    chunks: chunksOf(window),
    agents: agents.map(agentFacts),
  });
}

export function chunksOf({ agentCount }: { readonly agentCount: number }): number {
  return Math.ceil(agentCount / CHUNK_AGENTS);
}

export function reportRecord(report: AnchoredReport): NewRecord {
  const { reportId, contentHash, signature, slot, blockHeight, anchoredAt, network, authority } = report;
  return once(`report:${reportId}`, {
    kind: 'report',
    reportId,
    contentHash,
    txSignature: signature,
    slot,
    blockHeight,
    anchoredAt,
    network,
    authority,
  });
}

function agentFacts(agent: StoredWindowAgent): AgentWindowFacts {
  const { agentId, firstSequence, lastSequence, leafIndex } = agent;
  return {
    agentId,
    agentKey: toHex(agent.agentKey),
    count: lastSequence - firstSequence + 1,
    firstSequence,
    lastSequence,
    agentRoot: toHex(agent.root),
    leafIndex,
  };
}
