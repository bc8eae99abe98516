import type { AnchorFacts, ReportFacts, SigningKeyFacts, TopicName } from '@countersign/contracts';

export type AuthorityFacts = Extract<AnchorFacts, { kind: 'authority' }>;
export type ReportAnchorFacts = Extract<AnchorFacts, { kind: 'report' }>;

/** A public fact to keep: a newer version of the same id replaces an older one. */
export type PublicFact =
  | { readonly kind: 'key'; readonly id: string; readonly version: number; readonly value: SigningKeyFacts | null }
  | { readonly kind: 'report'; readonly id: string; readonly version: number; readonly value: ReportFacts | null }
  | { readonly kind: 'authority'; readonly id: string; readonly version: number; readonly value: AuthorityFacts | null }
  | {
      readonly kind: 'report-anchor';
      readonly id: string;
      readonly version: number;
      readonly value: ReportAnchorFacts | null;
    };

/** Public facts alone: what the public routes answer from, with every other service down. */
export interface PublicFacts {
  position(topic: TopicName, partition: number): number | null;
  /** Keeps the facts and the position in one step. */
  keep(facts: readonly PublicFact[], topic: TopicName, partition: number, nextOffset: number): void;
  keys(): readonly { readonly id: string; readonly facts: SigningKeyFacts }[];
  key(id: string): SigningKeyFacts | null;
  authorities(): readonly AuthorityFacts[];
  reportBySha256(sha256: string): { readonly id: string; readonly facts: ReportFacts } | null;
  reportAnchor(reportId: string): ReportAnchorFacts | null;
  close(): void;
}
