import type { EventEnvelope } from '@countersign/contracts';
import { createHash } from 'node:crypto';
import { envelope } from './envelopes.js';

/** Arguments of the program that is killed. */
export interface KilledJob {
  readonly directory: string;
  /** `null`: SQLite in the directory. */
  readonly mongodbUri: string | null;
  readonly rpcUrl: string;
  readonly partitions: number;
  readonly seed: number;
  /** It ends with this message to a server; never: -1. */
  readonly endAfter: number;
  readonly beforeSending: boolean;
}

/** From one cut to the next, ms. */
export const ROUND_MS = 2_000;
const ROUNDS = 5;

/** The log of each round: agents whose cadence changes, repeated event ids. */
export function roundsOf(seed: number): readonly (readonly EventEnvelope[])[] {
  let n = 0;
  const random = (below: number): number =>
    createHash('sha256')
      .update(`${seed} ${(n += 1)}`)
      .digest()
      .readUInt32BE(0) % below;
  const sent: EventEnvelope[] = [];
  return Array.from({ length: ROUNDS }, () => {
    const events = Array.from({ length: 20 + random(20) }, () => {
      const again = sent[random(10 * sent.length + 1)];
      if (again !== undefined) return again;
      const cadenceSeconds = [1, 1, 1, 4][random(4)]!;
      const one = envelope({ n: sent.length, agent: random(9), cadenceSeconds });
      sent.push(one);
      return one;
    });
    // So that each round has something to cut.
    const last = envelope({ n: 10_000 + n, agent: 100, cadenceSeconds: 1 });
    return [...events, last];
  });
}
