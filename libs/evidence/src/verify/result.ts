/** All problems that verification can find. Stable: programs and test vectors name them. */
export const PROBLEM_CODES = [
  'unsupported-canonicalization',
  'unsupported-schema',
  'not-canonical',
  'verification-fields',
  'unknown-key',
  'key-revoked',
  'signature-invalid',
  'key-outside-validity',
  'sha256-differs',
  'structure',
  'leaf-invalid',
  'duplicate-event',
  'opening-wrong',
  'opening-inconsistent',
  'profile-differs',
  'control-status-differs',
  'range-mark-wrong',
  'sequence-missing',
  'sequence-duplicate',
  'agent-unknown',
  'agent-figures-differ',
  'proof-event-differs',
  'proof-form',
  'proof-place-differs',
  'proof-agent-differs',
  'proof-root-differs',
  'window-missing',
  'window-differs',
  'window-root-differs',
  'window-gap',
  'anchor-list-differs',
  'status-differs',
  'summary-differs',
  'oversight-differs',
  'content-hash-differs',
  'transaction-not-found',
  'transaction-failed',
  'transaction-authority',
  'transaction-memo',
  'transaction-root-differs',
  'transaction-size-differs',
  'transaction-window-differs',
  'transaction-height-differs',
  'transaction-early',
  'window-equivocated',
  'window-forked',
  'window-order-differs',
  'absence-form',
  'absence-agent-differs',
  'absence-order-differs',
  'absence-neighbours-apart',
  'absence-root-differs',
  'pages-differ',
  'series-range-differs',
  'series-sequence-missing',
  'series-agents-differ',
  'series-totals-differ',
  'series-changes-differ',
  'series-package-unlisted',
  'series-package-invalid',
  'series-package-differs',
  'series-overlap-differs',
  'series-package-missing',
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** One thing that is wrong, in plain words that quote no content. */
export interface Problem {
  readonly code: ProblemCode;
  /** Where in the package: `events[3].opened.action`; empty for the package as a whole. */
  readonly path: string;
  readonly message: string;
  readonly eventId?: string;
}

/** Reasons why a package is not verified though nothing in it is wrong. Stable and additive. */
export const UNSETTLED_CODES = [
  'window-late',
  'event-late',
  'event-ahead',
  'time-unknown',
  'chain-not-walked',
  'chain-gap',
  'window-unlisted',
] as const;
export type UnsettledCode = (typeof UNSETTLED_CODES)[number];

/** One point that the chain leaves unsettled, and in plain words what would settle it. */
export interface Unsettled {
  readonly code: UnsettledCode;
  readonly message: string;
  /**
   * Of `window-unlisted`: each agent and window, as a memo names it, that a proof of absence would settle; at most
   * 10,000.
   */
  readonly unlisted?: readonly { readonly agentId: string; readonly window: string }[];
}

/** When a listed window was anchored, by the block time of its transaction. */
export interface WindowTime {
  readonly windowStart: string;
  readonly windowEnd: string;
  readonly txSignature: string;
  /** ISO; `null` where the chain keeps none. */
  readonly anchoredAt: string | null;
  /** Seconds from the end of the window to its block time; `null` likewise. */
  readonly secondsAfterEnd: number | null;
}

/**
 * The chain check object of `interface.md`. `checked:false` means that no node was asked, not that the transaction is
 * absent.
 */
export interface ChainCheck {
  readonly checked: boolean;
  readonly onChain: boolean;
  readonly detail: string;
  readonly block_height: number | null;
  readonly slot: number | null;
  readonly confirmations: number | null;
}

/** The per-event result of `interface.md`. */
export interface EventResult {
  /** The proof holds; `false` for an unanchored event, without a problem. */
  readonly ok: boolean;
  readonly anchored: boolean;
  /** Both paths lead to `merkleRoot`. */
  readonly rootMatches: boolean;
  readonly eventId: unknown;
  readonly merkleRoot: string | null;
  readonly txSignature: string | null;
  readonly network: string | null;
  readonly leafIndex?: number;
  readonly treeSize?: number;
  readonly detail: string;
  readonly chain: ChainCheck;
}

export interface SignatureResult {
  /** `false` where no key was given. */
  readonly checked: boolean;
  /** `true` only when it was checked and holds with a key that may be used. */
  readonly valid: boolean;
  /** As the package names it; not to be trusted. */
  readonly keyId: string | null;
  readonly detail: string;
  /** Block time (ISO) of the report's own transaction, by which the key's validity was judged; `null`: not proven. */
  readonly provenTime: string | null;
}

/** Sequence numbers from `first` to `last`, both included. */
export interface SequenceRun {
  readonly first: number;
  readonly last: number;
}

/** A closed window of an agent: it holds exactly the numbers `firstSequence` to `lastSequence`. */
export interface WindowCount {
  readonly windowStart: string;
  readonly windowEnd: string;
  readonly firstSequence: number;
  readonly lastSequence: number;
  /** Numbers of the window that the package does not hold, within the agent's run or beyond its ends. */
  readonly notInPackage: readonly SequenceRun[];
}

/** The part of an agent's sequence that a package holds, counted from its entries. */
export interface AgentCompleteness {
  readonly agentId: string;
  /** `null`: the package has no event of the agent. */
  readonly firstSequence: number | null;
  readonly lastSequence: number | null;
  readonly count: number;
  /** Between the first and the last; each is a problem too. At most 100. */
  readonly missing: readonly SequenceRun[];
  readonly windows: readonly WindowCount[];
}

/** Parties that stand behind a file, as far as the verifier could establish: both `false` where anything is wrong. */
export interface Vouched {
  /**
   * A given key signed it while it was valid: for a key whose validity has an end, a block time must prove that it
   * signed before. A leaked retired key could sign a backdated package and omit the anchor.
   */
  readonly issuer: boolean;
  /**
   * An authority that the verifier knows sent every transaction that is named, and there is at least one: each was
   * found, and final.
   */
  readonly anchor: boolean;
}

export const UNVOUCHED: Vouched = { issuer: false, anchor: false };

export interface VerificationResult {
  /** Nothing that was checked is wrong. Read `vouched` and `notChecked` as well. */
  readonly ok: boolean;
  readonly vouched: Vouched;
  readonly signature: SignatureResult;
  /** Of the canonical bytes, recomputed; `null` where the package has no canonical form. */
  readonly sha256: string | null;
  /** Recomputed; `null` likewise. */
  readonly contentHash: string | null;
  readonly events: readonly EventResult[];
  /** Per agent, in the order of the package; empty where the package could not be read that far. */
  readonly completeness: readonly AgentCompleteness[];
  /** One for each transaction of a listed window that was found, in the order of the package. */
  readonly windowTimes: readonly WindowTime[];
  /** Empty where the chain was not queried. A package with one of these is not verified, though it may be `ok`. */
  readonly unsettled: readonly Unsettled[];
  readonly anchoredCount: number;
  readonly unanchoredCount: number;
  /** Of the report's own transaction. */
  readonly chain: ChainCheck;
  /** One plain sentence each. */
  readonly checked: readonly string[];
  readonly notChecked: readonly string[];
  /** In the order of the checks, so the first is the one to report; at most 100 are kept. */
  readonly problems: readonly Problem[];
  /** Of all problems, kept or not. */
  readonly problemCount: number;
}
