import type {
  AgentHeadFacts,
  AgentStatus,
  AnchorFacts,
  ReportFacts,
  SigningKeyFacts,
  TopicName,
} from '@countersign/contracts';

export type AuthorityFacts = Extract<AnchorFacts, { kind: 'authority' }>;
export type ReportAnchorFacts = Extract<AnchorFacts, { kind: 'report' }>;

/** The public part of a registered agent: nothing of its account, its name or its profile. */
export interface RegisteredAgent {
  /** In upper case. */
  readonly ssn: string;
  readonly type: string | null;
  readonly status: AgentStatus;
  readonly walletAddress: string;
  readonly createdAt: string;
  readonly registeredAt: string | null;
}

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
    }
  | { readonly kind: 'agent'; readonly id: string; readonly version: number; readonly value: RegisteredAgent | null }
  | {
      readonly kind: 'agent-head';
      readonly id: string;
      readonly version: number;
      readonly value: AgentHeadFacts | null;
    };

/**
 * Public facts, from which the public routes answer while every other service is down. Several instances may share them, each
 * following partitions of its own; a late write replaces nothing newer.
 */
export interface PublicFacts {
  /** Offset after the last record whose fact is stored; `null`: there is none. */
  position(topic: TopicName, partition: number): Promise<number | null>;
  /**
   * Stores the facts, each unless its stored version is as high, together with the position. A repetition changes nothing.
   *
   * @param from as `LogBatch.from`
   * @throws StoreFellBack
   */
  keep(
    facts: readonly PublicFact[],
    topic: TopicName,
    partition: number,
    nextOffset: number,
    from?: number,
  ): Promise<void>;
  /** In the order of their ids. */
  keys(): Promise<readonly { readonly id: string; readonly facts: SigningKeyFacts }[]>;
  key(id: string): Promise<SigningKeyFacts | null>;
  authorities(): Promise<readonly AuthorityFacts[]>;
  report(id: string): Promise<ReportFacts | null>;
  reportBySha256(sha256: string): Promise<{ readonly id: string; readonly facts: ReportFacts } | null>;
  /** By the hash of its PDF. */
  reportByPdfSha256(pdfSha256: string): Promise<{ readonly id: string; readonly facts: ReportFacts } | null>;
  reportAnchor(reportId: string): Promise<ReportAnchorFacts | null>;
  /** @param ssn in upper case */
  agentBySsn(ssn: string): Promise<{ readonly id: string; readonly facts: RegisteredAgent } | null>;
  agentHead(agentId: string): Promise<AgentHeadFacts | null>;
  close(): Promise<void>;
}
