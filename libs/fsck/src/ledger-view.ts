/** A finalized transaction as the checks want it. */
export interface SeenTransaction {
  readonly signature: string;
  readonly slot: number;
  /** `null`: the node no longer has the block. */
  readonly blockHeight: number | null;
  /** Seconds since the epoch; `null` as above. */
  readonly blockTime: number | null;
  readonly succeeded: boolean;
  readonly signers: readonly string[];
  readonly memos: readonly string[];
}

/** The chain that memos are looked up on: the embedded network's file, or nodes. */
export interface LedgerView {
  readonly network: string;
  /** How a transaction is named in a finding. */
  place(transaction: SeenTransaction): string;
  transaction(signature: string): SeenTransaction | null | Promise<SeenTransaction | null>;
  /** All transactions that these addresses may have signed; others may be among them. */
  transactionsOf(addresses: ReadonlySet<string>): Iterable<SeenTransaction> | AsyncIterable<SeenTransaction>;
}
