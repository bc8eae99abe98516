import type { Framework, PackageAudit, PackageSummary, PackageTimestamp, SignedPackage } from './package.js';

/** Counts of the events whose time lies in the range of a package; `outside` counts the others that it holds. */
export interface SeriesCounts extends Omit<PackageSummary, 'outcomes'> {
  readonly outside: number;
}

/** An event of an agent by its number and time. */
export interface SeriesMoment {
  readonly sequence: number;
  readonly occurredAt: string;
}

/** Denied checks of one agent by one rule on one day, in UTC. */
export interface SeriesDenials {
  readonly agentId: string;
  readonly violationType: string;
  readonly rule: string | null;
  /** `2026-10-01`. */
  readonly day: string;
  readonly count: number;
  readonly first: SeriesMoment;
  readonly last: SeriesMoment;
}

/** An agent of a package: its run of numbers, and the closed windows that the package lists of it. */
export interface SeriesEntryAgent {
  readonly id: string;
  readonly name: string;
  /** `null`: the package has no event of the agent. */
  readonly firstSequence: number | null;
  readonly lastSequence: number | null;
  readonly windows: number;
  /** Beginning of the first listed window, end of the last; `null`: none is listed. */
  readonly windowsFrom: string | null;
  readonly windowsTo: string | null;
}

/** A package as its series lists it; all of it follows from the package. */
export interface SeriesEntry {
  readonly reportId: string;
  /** The member `sha256` of the package. */
  readonly sha256: string;
  readonly issuedAt: string;
  readonly range: { readonly from: string; readonly to: string };
  readonly frameworks: readonly Framework[];
  readonly mapping: { readonly version: string; readonly sha256: string };
  /** SHA-256 of the canonical member `scope` of the package. */
  readonly scopeSha256: string;
  readonly counts: SeriesCounts;
  readonly agents: readonly SeriesEntryAgent[];
  readonly denials: readonly SeriesDenials[];
}

/** An agent over all packages. */
export interface SeriesAgent {
  readonly id: string;
  readonly name: string;
  readonly firstSequence: number | null;
  readonly lastSequence: number | null;
  /** Numbers from the first to the last: each is in a package. */
  readonly count: number;
}

export const SERIES_CHANGES = ['frameworks', 'mapping', 'scope', 'agents'] as const;

/** A member in which a package differs from the one before it. */
export interface SeriesChange {
  readonly reportId: string;
  readonly member: (typeof SERIES_CHANGES)[number];
}

/** The content of a manifest that joins packages of adjacent ranges; the signature covers it together with `timestamp`. */
export interface SeriesContent {
  readonly kind: 'series';
  readonly schemaVersion: 'series-1.0.0';
  readonly canonicalization: 'rfc8785-jcs';
  readonly seriesId: string;
  readonly generator: { readonly name: string; readonly version: string };
  readonly range: { readonly from: string; readonly to: string };
  readonly packages: readonly SeriesEntry[];
  readonly agents: readonly SeriesAgent[];
  readonly totals: SeriesCounts & { readonly packages: number };
  readonly changes: readonly SeriesChange[];
  readonly audit: PackageAudit;
  /** Issued as a PDF whose bytes are signed as well. */
  readonly signedPages?: true;
}

export interface SignedSeries
  extends SeriesContent, Pick<SignedPackage, 'sha256' | 'signature' | 'algorithm' | 'publicKeyUrl'> {
  readonly timestamp: PackageTimestamp;
}
