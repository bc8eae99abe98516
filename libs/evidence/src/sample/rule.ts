/** Names the whole rule: block, seed and events. Another rule has another name. */
export const SAMPLE_RULE = 'countersign/sample/1';

/**
 * Slots between the report's own transaction and the first block that may be drawn with. Solana finalizes a slot 32
 * slots later: when the block is made, the report can no longer be withdrawn.
 */
export const SAMPLE_DELAY_SLOTS = 32;

export const SAMPLE_POPULATIONS = ['events', 'checks'] as const;
/** `events`: every event of the package that lies in its range; `checks`: those of them that are `action.checked`. */
export type SamplePopulation = (typeof SAMPLE_POPULATIONS)[number];

/** Parameters of a sample, fixed before the block exists. */
export interface SampleRequest {
  /** Events to draw; all where the population has no more. */
  readonly size: number;
  readonly population: SamplePopulation;
  /** ISO 8601 UTC with milliseconds: no earlier block. `null`: only the range and the report's transaction decide. */
  readonly notBefore: string | null;
}

/** The report's own transaction. */
export interface SampleAnchor {
  readonly network: string;
  readonly txSignature: string;
  /** `null`: not looked up. */
  readonly slot: number | null;
}

/** The block that the seed comes from. */
export interface SampleBlock {
  readonly slot: number;
  /** Base58. */
  readonly blockhash: string;
  /** Seconds since the epoch, by the validators' clocks; `null`: not looked up. */
  readonly blockTime: number | null;
}

export interface SampledEvent {
  /** From 1, by `draw`. */
  readonly rank: number;
  /** Index in the package's `events`, from 0. */
  readonly index: number;
  readonly eventId: string;
  readonly agentId: string;
  readonly sequence: number;
  readonly type: string;
  readonly outcome: string | null;
  readonly occurredAt: string;
  /** SHA-256 of seed and event id, lower-case hex. */
  readonly draw: string;
}

/** A sample of a package's events, with everything needed to draw it again. */
export interface Sample {
  readonly rule: typeof SAMPLE_RULE;
  readonly package: {
    readonly reportId: string;
    readonly sha256: string;
    readonly contentHash: string;
    readonly range: { readonly from: string; readonly to: string };
  };
  readonly request: SampleRequest;
  readonly anchor: SampleAnchor;
  readonly block: SampleBlock;
  /** Lower-case hex. */
  readonly seed: string;
  readonly populationSize: number;
  readonly selected: readonly SampledEvent[];
}

/**
 * Bound of the block: the first one of the report's network within it is used, so that there is no choice among blocks.
 */
export interface BlockBound {
  readonly fromSlot: number;
  /** Milliseconds since the epoch; the block's time is not before it. */
  readonly notBeforeMs: number;
}

/** The earliest block that the rule allows. */
export function blockBound(range: { readonly to: string }, request: SampleRequest, anchorSlot: number): BlockBound {
  const notBefore = request.notBefore === null ? Number.NEGATIVE_INFINITY : Date.parse(request.notBefore);
  return { fromSlot: anchorSlot + SAMPLE_DELAY_SLOTS, notBeforeMs: Math.max(Date.parse(range.to), notBefore) };
}
