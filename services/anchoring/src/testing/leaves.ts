import { createHash } from 'node:crypto';
import { uuidV7 } from '@countersign/evidence';
import type { ArrivingLeaf } from '../store/port.js';
import { agentId } from './envelopes.js';

export const FIRST_MS = 1_790_000_000_000;

export function leafHash(n: number): Uint8Array {
  return new Uint8Array(createHash('sha256').update(`leaf ${n}`).digest());
}

/** Leaf `n` of an agent: the same id and hash each time; its offset is `n` unless given. */
export function arrivingLeaf(n: number, agent: number, over: Partial<ArrivingLeaf> = {}): ArrivingLeaf {
  const [hash, cameAtMs] = [leafHash(n), FIRST_MS + n];
  const eventId = uuidV7(cameAtMs, hash.subarray(0, 10));
  return { eventId, agentId: agentId(agent), cadenceSeconds: 1, hash, offset: n, cameAtMs, ...over };
}
