import type { AnchorFacts } from '@countersign/contracts';
import { toHex } from '@countersign/evidence';

type WindowFacts = Extract<AnchorFacts, { kind: 'window' }>;

/** A record of `anchors`: window `n` of a cadence of one second, with leaves `first` to `last` of one agent. */
export function anchoredWindow(n: number, agentId: string, first: number, last: number): WindowFacts {
  const start = Date.parse('2026-03-01T09:30:00.000Z') + n * 1000;
  const iso = (ms: number): string => new Date(ms).toISOString();
  return {
    ...{ kind: 'window', windowId: `1-${n}`, cadenceSeconds: 1, chunk: 0, chunks: 1 },
    ...{ windowStart: iso(start), windowEnd: iso(start + 1000), anchoredAt: iso(start + 2000) },
    ...{ merkleRoot: n.toString(16).padStart(64, 'a'), prev: '0', agentCount: 1, eventCount: last - first + 1 },
    ...{ txSignature: `signature ${n}`, slot: n, blockHeight: n, network: 'solana:localnet', authority: 'authority' },
    agents: [
      {
        ...{ agentId, agentKey: toHex(new Uint8Array(32)), count: last - first + 1 },
        ...{ firstSequence: first, lastSequence: last, agentRoot: 'cd'.repeat(32), leafIndex: 0 },
      },
    ],
  };
}
