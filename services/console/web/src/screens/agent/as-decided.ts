import type { BehaviorProfile } from '@countersign/contracts';

/** A version, with its hash as it was computed here and as others state it. */
export interface CheckedVersion {
  readonly version: number;
  /** `null`: it is erased. */
  readonly profile: BehaviorProfile | null;
  /** Computed in this browser; `null`: it is erased. */
  readonly computed: string | null;
  /** In the event that put it in force; `null`: no event did. */
  readonly recorded: string | null;
  /** Of checks that were decided under it. */
  readonly decisions: readonly { readonly eventId: string; readonly sha256: string }[];
  /** Checks while it was in force. */
  readonly checks: number;
}

/** `holds`: its profile is there, and every stated hash, of which there is one at least, is that of it. */
export type Comparison = 'erased' | 'unstated' | 'holds' | 'differs';

/** How the hash of a version compares with those that are stated. */
export function comparisonOf({ computed, recorded, decisions }: CheckedVersion): Comparison {
  if (computed === null) return 'erased';
  const stated = [...(recorded === null ? [] : [recorded]), ...decisions.map(({ sha256 }) => sha256)];
  if (stated.length === 0) return 'unstated';
  return stated.every((one) => one === computed) ? 'holds' : 'differs';
}
