/*
 * Terms of this file:
 * - slot: a time step of the network, numbered from 0; it has one block or none. Block height: the number of blocks
 *   before a block.
 * - blockhash: the hash of a recent block that a transaction names. It limits the blocks that the transaction can be
 *   in.
 * - to land: to be included in a block.
 * - lamport: 10⁻⁹ SOL, the unit of balances and fees.
 * - address: the base58 form of an account's 32 bytes; of a wallet or a signer, its Ed25519 public key.
 */

/** The public networks by their genesis hash; a network with any other genesis hash is `solana:localnet`. */
export type Network = 'solana:mainnet-beta' | 'solana:devnet' | 'solana:testnet' | 'solana:localnet';

/** How settled a block is: seen by a node, voted on by a supermajority of the stake, or never to be undone. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** Address of the SPL Memo program, version 2. It fails unless all accounts passed to it have signed. */
export const MEMO_PROGRAM_ID = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

/**
 * Signs a memo's transaction and pays its fee: a key, or a function that signs with one. `publicKey` is an address;
 * `secretKey` is 64 bytes in Solana's form, seed then public key; `sign` returns the Ed25519 signature, 64 bytes, of
 * the bytes that it gets.
 */
export type MemoSigner =
  | { readonly publicKey: string; readonly secretKey: Uint8Array }
  | { readonly publicKey: string; readonly sign: (message: Uint8Array) => Uint8Array | Promise<Uint8Array> };

/** A transaction that is signed and not sent. The caller stores it before it sends it. */
export interface PreparedTransaction {
  /** Base58 of the first signature (64 bytes): names the transaction on the network. */
  readonly signature: string;
  /** Base64 of the serialised transaction. */
  readonly wire: string;
  readonly blockhash: string;
  /** The transaction cannot land in a block of a greater height. */
  readonly lastValidBlockHeight: number;
  /** Slot of the node when the blockhash was read: the transaction cannot be in an earlier one. */
  readonly preparedAtSlot: number;
}

export interface LatestBlockhash {
  readonly blockhash: string;
  /** A transaction that names this blockhash cannot land in a block of a greater height. */
  readonly lastValidBlockHeight: number;
  /** Slot of the node when it answered. */
  readonly slot: number;
}

/** Error of a transaction that landed and failed, in the network's form: `{"InstructionError":[0,{"Custom":1}]}`. */
export type TransactionFailure = string | Readonly<Record<string, unknown>>;

/**
 * `not-found`: no node that answered knows it, its history included. It may still land.
 * `pending`: in a block that is `processed`; a fork may still drop it.
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
 * The height and the history of the first node that answered, and the status of each signature. Signatures that this
 * node does not find are asked of the other nodes as well.
 */
export interface Observation {
  /**
   * The node's block height at `finalized`, read BEFORE its statuses: when it gave these it had seen at least that
   * block.
   */
  readonly finalizedBlockHeight: number;
  /**
   * The oldest slot that the node has; `null`: it was not asked because it found all signatures, or does not report it.
   */
  readonly historyFromSlot: number | null;
  /** By signature; contains every requested signature. */
  readonly statuses: ReadonlyMap<string, TransactionStatus>;
}

/** A transaction at the `finalized` commitment: it can no longer be undone. */
export interface ChainTransaction {
  readonly signature: string;
  readonly slot: number;
  /** `null`: the node no longer has the block. */
  readonly blockHeight: number | null;
  /** Seconds since the epoch, by the validators' clocks; `null`: the node does not report it. */
  readonly blockTime: number | null;
  /** `false`: it landed and failed; its fee was paid all the same. */
  readonly succeeded: boolean;
  /** Addresses of all accounts that signed, fee payer first. */
  readonly signers: readonly string[];
  readonly feePayer: string;
  /**
   * Texts of its own memo instructions, in order, without those that programs call; texts that are not UTF-8 are
   * omitted.
   */
  readonly memos: readonly string[];
  /** Finalized blocks after its own; `null`: the node no longer has the block. */
  readonly confirmations: number | null;
}

/**
 * A finalized transaction that names an address, as a node lists it. Nothing of it is verified, and the list does not
 * show whether the address has signed it: `transaction` does.
 */
export interface ListedTransaction {
  readonly signature: string;
  readonly slot: number;
  /** Seconds since the epoch; `null`: the node does not report it. */
  readonly blockTime: number | null;
  readonly succeeded: boolean;
  /** Texts of its memos, in order. */
  readonly memos: readonly string[];
}

/** Selects a page of an address's transactions. */
export interface TransactionPage {
  /** A signature: only older transactions. */
  readonly before?: string;
  /** A signature: only newer transactions. */
  readonly until?: string;
  /** Maximum number, 1 to 1000; 1000 unless given. */
  readonly limit?: number;
}

/** An unsigned transaction with one memo, for a wallet to sign and send: the wallet pays the fee. */
export interface RegistrationTransaction {
  /** Base64; the place of the signature is filled with zeros. */
  readonly transaction: string;
  readonly memo: string;
  readonly programId: string;
  readonly recentBlockhash: string;
  readonly lastValidBlockHeight: number;
}

/**
 * A Solana network, for those who write memos and those who verify them. The adapter may have several nodes.
 * - Every call MUST end within a bound: with a value, with `ChainUnavailable` (no node answered; repeat it later; what
 *   `send` or `requestAirdrop` passed on may land), or with `ChainRejected` (refused; to repeat it unchanged does not
 *   help). In every method a malformed address is `invalid-address`, and a malformed signature
 *   `invalid-transaction`; methods name further codes only where a caller has to distinguish them.
 * - MUST NOT use nodes of different networks. The genesis hash that the adapter was opened with decides, or without one
 *   that of the first node that answered; a node with another one is not used.
 * - Only `send` and `requestAirdrop` may cause a transaction.
 * - A commitment that is not given is the one that the adapter was opened with, `confirmed` unless given; `balance` and
 *   `prepareMemo` use it too.
 */
export interface Chain {
  /** By genesis hash. */
  network(): Promise<Network>;
  genesisHash(): Promise<string>;
  /**
   * Builds and signs one transaction with one memo instruction, and does not send it: the caller stores the result
   * first, so that after a crash it knows which signature to look up.
   * @throws ChainRejected `invalid-memo` (empty, with lone surrogates, or too long for the 1232 bytes of a
   * transaction), `invalid-signer` (its signature does not verify with its public key)
   */
  prepareMemo(memo: string, signer: MemoSigner): Promise<PreparedTransaction>;
  /**
   * Passes a signed transaction (base64) to the network. It resolves when a node has accepted the transaction, which
   * may then land or not. May be repeated: a transaction lands once.
   * @throws ChainRejected `insufficient-funds`, `signature-failure`, `invalid-transaction`, `blockhash-not-found`
   * (expired, or not known to the node yet), `transaction-failed`
   */
  send(wire: string): Promise<void>;
  /**
   * Status of a transaction, the nodes' histories included; `not-found` only after every node that answers was asked.
   */
  status(signature: string): Promise<TransactionStatus>;
  /**
   * Everything that shows that a transaction can no longer land: the finalized height is above its
   * `lastValidBlockHeight`, it is `not-found`, and the history goes back to its `preparedAtSlot`. At most 256
   * signatures.
   */
  observe(signatures: readonly string[]): Promise<Observation>;
  blockHeight(commitment?: Commitment): Promise<number>;
  latestBlockhash(commitment?: Commitment): Promise<LatestBlockhash>;
  /**
   * The network's clock at its newest `confirmed` block, seconds since the epoch: no later block has an earlier time.
   * `null`: the node does not report it.
   */
  time(): Promise<number | null>;
  /**
   * The transaction if it is finalized; `null`: no node that answered has it as such. MUST verify all its signatures
   * over the content that it returns, so that a node can lie only about success, slot, height and times.
   * @throws ChainRejected where no node has it and one has refused to search: it may be in that one's history
   */
  transaction(signature: string): Promise<ChainTransaction | null>;
  /** A page of the finalized transactions that name the address, newest first. Empty: there are no more. */
  transactionsOf(address: string, page?: TransactionPage): Promise<readonly ListedTransaction[]>;
  /** In lamports; 0 for an address that the network does not know. */
  balance(address: string): Promise<number>;
  /**
   * Requests lamports from the network's faucet. Returns the signature of its transaction, which has not landed yet:
   * `status` shows when it has.
   * @throws ChainRejected `airdrop-not-offered` on every network but `solana:devnet` and `solana:localnet`
   */
  requestAirdrop(address: string, lamports: number): Promise<string>;
  /** @throws ChainRejected `invalid-address` (also for one that is no wallet's: `isWalletAddress`), `invalid-memo` */
  buildRegistrationTransaction(request: {
    readonly walletAddress: string;
    readonly memo: string;
  }): Promise<RegistrationTransaction>;
  /** Ends pending calls and connections; pending and later calls reject with `ChainUnavailable`. */
  close(): Promise<void>;
}
