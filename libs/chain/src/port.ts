/** `solana:mainnet-beta`, `solana:devnet`, `solana:testnet`; any other genesis hash is `solana:localnet`. */
export type Network = 'solana:mainnet-beta' | 'solana:devnet' | 'solana:testnet' | 'solana:localnet';

export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** The SPL Memo program, version 2: it verifies that the accounts passed to it have signed. */
export const MEMO_PROGRAM_ID = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

/**
 * Payer and signer: a key, or a function that signs with one. `publicKey` is base58 (32 bytes); `secretKey` is Solana's
 * 64 bytes, seed then public key; `sign` gives an Ed25519 signature of 64 bytes over the message.
 */
export type MemoSigner =
  | { readonly publicKey: string; readonly secretKey: Uint8Array }
  | { readonly publicKey: string; readonly sign: (message: Uint8Array) => Uint8Array | Promise<Uint8Array> };

/** A signed transaction that was not sent yet. Store it before it is sent. */
export interface PreparedTransaction {
  /** Base58 of the first signature: known before sending, and sufficient to look the transaction up. */
  readonly signature: string;
  /** Base64 of the serialised transaction. */
  readonly wire: string;
  readonly blockhash: string;
  /** The transaction cannot land in a block higher than this one. */
  readonly lastValidBlockHeight: number;
  /** Slot in which the blockhash was read: the transaction cannot be in an earlier one. */
  readonly preparedAtSlot: number;
}

export interface LatestBlockhash {
  readonly blockhash: string;
  readonly lastValidBlockHeight: number;
  readonly slot: number;
}

/** A transaction's error as the network words it, e.g. `{"InstructionError":[0,{"Custom":1}]}`. */
export type TransactionFailure = string | Readonly<Record<string, unknown>>;

/**
 * `not-found`: no node that answered knows it, history included.
 * `pending`: seen (`processed`), not yet voted on; a fork may still drop it.
 */
export type TransactionStatus =
  | { readonly state: 'not-found' }
  | { readonly state: 'pending'; readonly slot: number }
  | {
      readonly state: 'confirmed' | 'finalized';
      readonly slot: number;
      /** `null`: it succeeded. */
      readonly err: TransactionFailure | null;
    };

/**
 * The answers of one node, in this order: its finalized height, then each signature's status with the history searched.
 */
export interface Observation {
  /** Block height at `finalized`, read BEFORE the statuses: their node had seen at least that block. */
  readonly finalizedBlockHeight: number;
  /** First slot of that node's history, `null` where it does not report it. */
  readonly historyFromSlot: number | null;
  /** By signature; contains every requested signature. */
  readonly statuses: ReadonlyMap<string, TransactionStatus>;
}

/** A transaction at the `finalized` commitment: it can no longer be undone. */
export interface ChainTransaction {
  readonly signature: string;
  readonly slot: number;
  /** `null` when the node no longer has the block. */
  readonly blockHeight: number | null;
  /** Seconds since the epoch, by the validators' clocks. */
  readonly blockTime: number | null;
  readonly succeeded: boolean;
  /** Base58 addresses of all accounts that signed, fee payer first. */
  readonly signers: readonly string[];
  readonly feePayer: string;
  /** Texts of its top-level SPL Memo instructions, in order; texts that are not UTF-8 are omitted. */
  readonly memos: readonly string[];
  /** Blocks from its own to the newest finalized one. */
  readonly confirmations: number | null;
}

/**
 * A finalized transaction that names an address, as a node lists it; the list does not say whether the address signed
 * it.
 */
export interface ListedTransaction {
  readonly signature: string;
  readonly slot: number;
  /** Seconds since the epoch. */
  readonly blockTime: number | null;
  readonly succeeded: boolean;
  /** Texts of its memos, in order. */
  readonly memos: readonly string[];
}

/** Selects a page of an address's transactions. */
export interface TransactionPage {
  /** Only those older than this signature's. */
  readonly before?: string;
  /** Only those newer than this signature's. */
  readonly until?: string;
  /** 1 to 1000; 1000 unless given. */
  readonly limit?: number;
}

/** An unsigned transaction for a wallet: the wallet is fee payer and signer of the memo. */
export interface RegistrationTransaction {
  /** Base64, all signatures zero. */
  readonly transaction: string;
  readonly memo: string;
  readonly programId: string;
  readonly recentBlockhash: string;
  readonly lastValidBlockHeight: number;
}

/**
 * A Solana network for writers and verifiers of memos.
 * - Every call MUST end within a bound, with a value, `ChainUnavailable` (retryable, a send is in doubt) or
 *   `ChainRejected` (refused; repeating it unchanged does not help).
 * - MUST NOT mix networks: a node whose genesis hash differs from the others' is not used.
 * - MUST NOT send anything except in `send` and `requestAirdrop`.
 */
export interface Chain {
  /** By genesis hash. */
  network(): Promise<Network>;
  genesisHash(): Promise<string>;
  /**
   * Builds and signs ONE transaction with one SPL Memo instruction and does not send it: the caller stores the result
   * first, so that a crash leaves a signature to look up.
   * @throws ChainRejected `invalid-memo` (empty, lone surrogates, over the 1232 bytes of a transaction),
   * `invalid-signer`
   */
  prepareMemo(memo: string, signer: MemoSigner): Promise<PreparedTransaction>;
  /**
   * Passes a signed transaction (base64) to the network; repeatable, since the network accepts each signature once.
   * Resolving means "accepted by a node", not "landed".
   */
  send(wire: string): Promise<void>;
  /** Searches the history; `not-found` only after all nodes that answer were asked. */
  status(signature: string): Promise<TransactionStatus>;
  /**
   * Height and statuses of one node, sufficient to decide that a transaction can no longer land. At most 256
   * signatures.
   */
  observe(signatures: readonly string[]): Promise<Observation>;
  blockHeight(commitment?: Commitment): Promise<number>;
  latestBlockhash(commitment?: Commitment): Promise<LatestBlockhash>;
  /**
   * The network's own clock at the newest confirmed block, seconds since the epoch: no later block has an earlier time.
   * `null` where the node does not report it.
   */
  time(): Promise<number | null>;
  /**
   * `null` unless it is finalized. MUST verify that the signature is the fee payer's over the returned content: a node
   * can then lie only about success and slot.
   * @throws ChainRejected where no node has it and one refuses to answer (it may keep less history than another)
   */
  transaction(signature: string): Promise<ChainTransaction | null>;
  /**
   * Finalized transactions that name the address, newest first; an empty page is the end.
   * @throws ChainRejected `invalid-address`, `invalid-transaction` for a malformed signature
   */
  transactionsOf(address: string, page?: TransactionPage): Promise<readonly ListedTransaction[]>;
  /** Lamports. */
  balance(address: string): Promise<number>;
  /**
   * Requests lamports from the faucet and returns the signature; wait for it with `status`.
   * @throws ChainRejected `airdrop-not-offered` on mainnet-beta and testnet
   */
  requestAirdrop(address: string, lamports: number): Promise<string>;
  /** @throws ChainRejected `invalid-address` (also one that no wallet can have, `isWalletAddress`), `invalid-memo` */
  buildRegistrationTransaction(request: {
    readonly walletAddress: string;
    readonly memo: string;
  }): Promise<RegistrationTransaction>;
  /** Drops idle connections; later calls are `ChainUnavailable`. */
  close(): Promise<void>;
}
