import type { JsonValue, LeafEvent, ShownOpenings } from './leaf.js';

/** One hash per level, lower-case hex, from the leaf upwards (RFC 6962 section 2.1.1). */
export type MerklePath = readonly string[];

/** Leaf of the window tree: its JCS bytes are hashed. */
export interface AgentWindowLeaf {
  /** SHA-256 of the lower-case agent id (UTF-8), lower-case hex. */
  readonly agentKey: string;
  readonly count: number;
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly agentRoot: string;
}

export interface AnchoredProof {
  readonly eventId: string;
  readonly anchored: true;
  /** Index in the agent tree. */
  readonly leafIndex: number;
  readonly treeSize: number;
  readonly path: MerklePath;
  /** Inclusion of the agent in the window tree. `count` of the window leaf is `treeSize` of the agent tree. */
  readonly agent: {
    readonly agentKey: string;
    readonly firstSequence: number;
    readonly lastSequence: number;
    readonly agentRoot: string;
    readonly leafIndex: number;
    readonly treeSize: number;
    readonly path: MerklePath;
  };
  readonly merkleRoot: string;
  readonly txSignature: string;
  /** `solana:mainnet-beta`, `solana:devnet`, `solana:localnet` … */
  readonly network: string;
  readonly windowStart: string;
  readonly windowEnd: string;
}

export interface UnanchoredProof {
  readonly eventId: string;
  readonly anchored: false;
}

export type InclusionProof = AnchoredProof | UnanchoredProof;

export const FRAMEWORKS = ['soc2', 'euaiact', 'hipaa', 'sr11-7', 'sr26-2', 'nydfs'] as const;
export type Framework = (typeof FRAMEWORKS)[number];

export const EVENT_STATUSES = ['Satisfied', 'Prevented', 'Gap, review required'] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

export interface PackageControl {
  readonly framework: Framework;
  readonly controlId: string;
  readonly title: string;
  readonly relation: 'direct' | 'supporting' | 'contextual';
  readonly status: EventStatus;
}

export interface PackageEvent {
  /** The leaf event exactly as hashed. */
  readonly event: LeafEvent;
  readonly sequence: number;
  readonly opened: ShownOpenings;
  readonly erased?: true;
  readonly outsideRange?: true;
  readonly status: EventStatus;
  readonly statusReason: string | null;
  readonly controls: readonly PackageControl[];
}

export interface PackageAnchor {
  readonly merkle_root: string;
  readonly chain_tx_signature: string;
  readonly chain_block_height: number;
  readonly anchored_at: string;
  readonly window_start: string;
  readonly window_end: string;
}

export interface PackageAgent {
  readonly id: string;
  readonly name: string;
  readonly type: string | null;
  readonly purpose: string | null;
  readonly version: string | null;
  readonly status: string;
  readonly blockchain_ssn: string | null;
  readonly wallet_address: string | null;
  readonly chain_tx_signature: string | null;
  /** `null` if the report holds no event of the agent. */
  readonly firstSequence: number | null;
  readonly lastSequence: number | null;
  readonly count: number;
  readonly anchors: readonly PackageAnchor[];
}

/** An anchored window with events of the report, one entry for each agent and window. */
export interface PackageWindow {
  readonly agentId: string;
  readonly windowStart: string;
  readonly windowEnd: string;
  readonly merkleRoot: string;
  readonly txSignature: string;
  readonly network: string;
  readonly leaf: AgentWindowLeaf;
  readonly leafIndex: number;
  readonly treeSize: number;
  readonly path: MerklePath;
}

export interface AnchorAuthority {
  /** Solana address (base58). */
  readonly address: string;
  readonly network: string;
  readonly validFrom: string | null;
  readonly validTo: string | null;
}

export interface PackageSummary {
  readonly events: number;
  readonly allowed: number;
  readonly denied: number;
  readonly frozen: number;
  readonly capped: number;
  readonly satisfied: number;
  readonly prevented: number;
  readonly gap: number;
  readonly anchored: number;
  readonly unanchored: number;
  readonly byViolation: { readonly [violationType: string]: number };
  readonly outcomes: { readonly reported: number; readonly of: number };
}

export interface PackageTimestamp {
  readonly issued_at: string;
  /** The network once the report's own transaction is finalized, else `pending`. */
  readonly anchor: string;
  readonly anchor_tx_signature: string | null;
  readonly anchor_block_height: number | null;
  /** The memo: `countersign/1 report=<64 hex of the content hash>`. */
  readonly message: string;
}

/** The signed content; the signature covers it together with `timestamp`. */
/** Who and what a package is about, and who made it; text as declared by the account, not verified by the service. */
export interface PackageAudit {
  readonly organisation: string;
  /** `null`: undeclared. */
  readonly system: string | null;
  /** Such as production; `null`: undeclared. */
  readonly environment: string | null;
  /** The signed-in person who exported it. */
  readonly preparedBy: { readonly id: string; readonly name: string };
  /** The review of the mapping in force by a third party; `null`: not reviewed. */
  readonly mappingReview: { readonly by: string; readonly on: string } | null;
}

/** Why the events of a package are listed under a control: a row of the mapping in force. */
export interface PackageMappingRow extends Pick<PackageControl, 'framework' | 'controlId' | 'relation'> {
  /** One sentence. */
  readonly rationale: string;
  /** The edition of the framework, and the address of its text. */
  readonly source: { readonly edition: string; readonly url: string };
}

/** The verdicts of a package as its issuer computed them again when it made it: FORMAT.md, "Re-decision". */
export interface PackageRedecision {
  readonly rule: string;
  readonly engine: { readonly engine: string; readonly detectors: string };
  readonly totals: Readonly<Record<(typeof REDECISION_TOTALS)[number], number>>;
  /** Of each agent with broken balances, the first break. */
  readonly breaks: readonly { readonly agentId: string; readonly sequence: number; readonly balance: string }[];
}

/** How often, and how fast. */
export interface DecisionFigures {
  readonly approved: number;
  readonly denied: number;
  /** The lower median of the times from the request to the decision, ms; `null`: none is known. */
  readonly medianMs: number | null;
  /** How many of these times are below three seconds. */
  readonly under3s: number;
}

/** Human oversight: decisions of people about actions, counted from the events of a package, as FORMAT.md says. */
export interface PackageOversight {
  /** Of approvals. The first two, and the next four, add up to the same number. */
  readonly totals: {
    /** The package has their request. */
    readonly requested: number;
    /** The package has their end alone. */
    readonly earlier: number;
    readonly approved: number;
    readonly denied: number;
    /** Their time ended without a decision. */
    readonly expired: number;
    /** The package has no end of them. */
    readonly pending: number;
  };
  /** Events `approval.consumed`. */
  readonly consumed: number;
  /** Of the decisions whose request is in the package. */
  readonly latency: { readonly of: number } & Pick<DecisionFigures, 'medianMs' | 'under3s'>;
  /** `shown`: decisions that name the digest of what the person was shown. */
  readonly people: readonly ({
    readonly by: string;
    readonly role: string;
    readonly shown: number;
  } & DecisionFigures)[];
  readonly rules: readonly ({
    readonly agentId: string;
    readonly rule: string | null;
    readonly expired: number;
    readonly pending: number;
  } & DecisionFigures)[];
  /** Approvals of which the package does not show who decided. */
  readonly notShown: { readonly withheld: number; readonly erased: number };
}

/** Counts of checks by verdict, then of agents by their balances; `missing` counts checks that are not shown. */
export const REDECISION_TOTALS = [
  'checks',
  'same',
  'different',
  'withheld',
  'erased',
  'not_checked',
  'otherEngine',
  'agents',
  'continuous',
  'broken',
  'missing',
] as const;

export interface PackageContent {
  readonly schemaVersion: '1.0.0';
  readonly canonicalization: 'rfc8785-jcs';
  readonly reportId: string;
  readonly generator: { readonly name: string; readonly version: string };
  readonly range: { readonly from: string; readonly to: string };
  readonly frameworks: readonly Framework[];
  readonly mapping: { readonly version: string; readonly sha256: string };
  /** `null` in a member: undeclared. */
  readonly scope: {
    readonly soc2: JsonValue;
    readonly hipaa: JsonValue;
    readonly euaiact: JsonValue;
    readonly nydfs: JsonValue;
  };
  readonly statements: readonly { readonly framework: Framework; readonly text: string }[];
  readonly anchorAuthorities: readonly AnchorAuthority[];
  readonly agents: readonly PackageAgent[];
  readonly events: readonly PackageEvent[];
  readonly inclusionProofs: readonly InclusionProof[];
  readonly windows: readonly PackageWindow[];
  readonly summary: PackageSummary;
  /** The package was issued as a PDF whose bytes are signed as well: a PDF without a signature is not the issued one. */
  readonly signedPages?: true;
  /** Absent in packages that were issued before it was recorded. */
  readonly audit?: PackageAudit;
  /** A row for each control of the events; absent as above. */
  readonly mappingRows?: readonly PackageMappingRow[];
  /** Absent as above, and where it was not computed. */
  readonly redecision?: PackageRedecision;
  /** Absent in packages that were issued before it was counted. */
  readonly oversight?: PackageOversight;
}

export interface SignedPackage extends PackageContent {
  readonly timestamp: PackageTimestamp;
  /** Lower-case hex of SHA-256 over the canonical bytes. */
  readonly sha256: string;
  /** Base64 Ed25519 signature over the canonical bytes. */
  readonly signature: string;
  readonly algorithm: 'Ed25519';
  readonly publicKeyUrl: string;
}
