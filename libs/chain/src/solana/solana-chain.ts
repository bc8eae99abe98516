import { Connection, SYSVAR_CLOCK_PUBKEY } from '@solana/web3.js';
import type { SignatureStatus } from '@solana/web3.js';
import { isBase58Of } from '../base58.js';
import { ChainRejected, ChainUnavailable } from '../errors.js';
import { listedMemos } from '../memo.js';
import { MEMO_PROGRAM_ID } from '../port.js';
import type {
  Chain,
  ChainTransaction,
  Commitment,
  LatestBlockhash,
  ListedTransaction,
  MemoSigner,
  Observation,
  PreparedTransaction,
  RegistrationTransaction,
  TransactionPage,
  TransactionStatus,
} from '../port.js';
import { classifyError, saysAlreadyProcessed } from './classify-error.js';
import { addressOf, memoTransaction, signMemo, walletOf } from './memo-transaction.js';
import { networkOf } from './networks.js';
import { Nodes } from './nodes.js';
import { finalizedTransaction } from './read-transaction.js';
import { boundedFetch } from './bounded-fetch.js';

const MOST_SIGNATURES = 256;
const MOST_LISTED = 1_000;
/** Offset of `unix_timestamp` in the clock account: 8 bytes, after slot, epoch start, epoch and schedule epoch. */
const CLOCK_SECONDS_AT = 32;

export interface SolanaChainOptions {
  /** JSON-RPC addresses of nodes of ONE network, a list or comma separated; the first healthy one is used. */
  readonly urls: string | readonly string[];
  /** Default for blockhashes, heights and balances; `confirmed` unless given. */
  readonly commitment?: Commitment;
  /** Nodes with another genesis hash are refused; without it the first node that answers decides. */
  readonly genesisHash?: string;
  /** Timeout of one request to one node; 5000 unless given. */
  readonly requestMs?: number;
  /** Time within which a call may start another attempt; 15000 unless given. */
  readonly deadlineMs?: number;
}

/** A Solana network through the JSON-RPC of its nodes. */
export class SolanaChain implements Chain {
  readonly #nodes: Nodes<Connection>;
  readonly #commitment: Commitment;
  readonly #closing = new AbortController();
  #genesisHash: string | undefined;

  constructor(options: SolanaChainOptions) {
    const { urls, commitment = 'confirmed', genesisHash = null, requestMs = 5_000, deadlineMs = 15_000 } = options;
    this.#commitment = commitment;
    const list = (typeof urls === 'string' ? urls.split(',') : [...urls]).map((url) => url.trim()).filter(Boolean);
    if (list.length === 0) throw new RangeError('At least one URL of a Solana node is needed');
    const fetch = boundedFetch(requestMs, this.#closing.signal);
    this.#nodes = new Nodes({
      clients: list.map((url) => new Connection(url, { commitment, fetch, disableRetryOnRateLimit: true })),
      genesisHash: (connection) => connection.getGenesisHash(),
      expectedGenesisHash: genesisHash,
      deadlineMs,
    });
  }

  async network() {
    return networkOf(await this.genesisHash());
  }

  async genesisHash(): Promise<string> {
    return (this.#genesisHash ??= await this.#nodes.ask((connection) => connection.getGenesisHash()));
  }

  async prepareMemo(memo: string, signer: MemoSigner): Promise<PreparedTransaction> {
    const payer = addressOf(signer.publicKey);
    const latest = await this.latestBlockhash();
    return signMemo(memoTransaction(memo, payer, latest), signer, latest);
  }

  async send(wire: string): Promise<void> {
    await this.#nodes.ask(async (connection) => {
      try {
        await connection.sendEncodedTransaction(wire, { preflightCommitment: this.#commitment });
      } catch (error) {
        if (!saysAlreadyProcessed(error)) throw error;
      }
    });
  }

  async status(signature: string): Promise<TransactionStatus> {
    requireSignatures([signature]);
    const answers = await this.#nodes.askUntil(
      async (connection) => (await statuses(connection, [signature]))[0] ?? NOT_FOUND,
      ({ state }) => state !== 'not-found',
    );
    return answers.at(-1) ?? NOT_FOUND;
  }

  async observe(signatures: readonly string[]): Promise<Observation> {
    requireSignatures(signatures);
    const isNotFound = ({ state }: TransactionStatus): boolean => state === 'not-found';
    const answers = await this.#nodes.askUntil(
      async (connection) => {
        const { absoluteSlot, blockHeight } = await connection.getEpochInfo('finalized');
        if (blockHeight === undefined) throw new ChainUnavailable('node-unhealthy', 'The node gave no block height');
        const found = await statuses(connection, signatures, absoluteSlot);
        // Some nodes do not offer it: then the start of their history is unknown.
        const historyFromSlot = found.some(isNotFound)
          ? await connection.getFirstAvailableBlock().catch(() => null)
          : null;
        return { finalizedBlockHeight: blockHeight, historyFromSlot, found };
      },
      ({ found }) => !found.some(isNotFound),
    );
    const [first] = answers;
    if (first === undefined) throw new ChainUnavailable('network', 'No node answered');
    const known = (i: number) => answers.map(({ found }) => found[i] ?? NOT_FOUND).find((one) => !isNotFound(one));
    return {
      finalizedBlockHeight: first.finalizedBlockHeight,
      historyFromSlot: first.historyFromSlot,
      statuses: new Map(signatures.map((signature, i) => [signature, known(i) ?? NOT_FOUND])),
    };
  }

  blockHeight(commitment: Commitment = this.#commitment): Promise<number> {
    return this.#nodes.ask((connection) => connection.getBlockHeight(commitment));
  }

  latestBlockhash(commitment: Commitment = this.#commitment): Promise<LatestBlockhash> {
    return this.#nodes.ask(async (connection) => {
      const { context, value } = await connection.getLatestBlockhashAndContext(commitment);
      return { ...value, slot: context.slot };
    });
  }

  async time(): Promise<number | null> {
    const account = await this.#nodes.ask((connection) => connection.getAccountInfo(SYSVAR_CLOCK_PUBKEY, 'confirmed'));
    if (account === null || account.data.length < CLOCK_SECONDS_AT + 8) return null;
    return Number(account.data.readBigInt64LE(CLOCK_SECONDS_AT));
  }

  async transaction(signature: string): Promise<ChainTransaction | null> {
    requireSignatures([signature]);
    // A node that refuses has not searched: then another's `null` does not prove that the transaction is nowhere.
    const refusals: ChainRejected[] = [];
    const answers = await this.#nodes.askUntil(
      (connection) =>
        finalizedTransaction(connection, signature).catch((error: unknown) => {
          const classified = classifyError(error);
          if (classified instanceof ChainRejected) refusals.push(classified);
          throw classified;
        }),
      (found) => found !== null,
    );
    const found = answers.at(-1) ?? null;
    if (found === null && refusals[0] !== undefined) throw refusals[0];
    return found;
  }

  async transactionsOf(address: string, page: TransactionPage = {}): Promise<readonly ListedTransaction[]> {
    const account = addressOf(address);
    const { before, until, limit = MOST_LISTED } = page;
    requireSignatures([before, until].filter((signature) => signature !== undefined));
    const most = Math.min(Math.max(1, limit), MOST_LISTED);
    const options = {
      limit: most,
      ...(before === undefined ? {} : { before }),
      ...(until === undefined ? {} : { until }),
    };
    const listed = await this.#nodes.ask((connection) =>
      connection.getSignaturesForAddress(account, options, 'finalized'),
    );
    return listed.map(({ signature, slot, blockTime, err, memo }) => ({
      signature,
      slot,
      blockTime: blockTime ?? null,
      succeeded: err === null,
      memos: listedMemos(memo),
    }));
  }

  async balance(address: string): Promise<number> {
    const account = addressOf(address);
    return this.#nodes.ask((connection) => connection.getBalance(account));
  }

  async requestAirdrop(address: string, lamports: number): Promise<string> {
    const account = addressOf(address);
    const network = await this.network();
    if (network !== 'solana:localnet' && network !== 'solana:devnet') {
      throw new ChainRejected('airdrop-not-offered', `${network} gives nothing away`);
    }
    return this.#nodes.ask((connection) => connection.requestAirdrop(account, lamports));
  }

  async buildRegistrationTransaction(request: {
    readonly walletAddress: string;
    readonly memo: string;
  }): Promise<RegistrationTransaction> {
    const wallet = walletOf(request.walletAddress);
    const latest = await this.latestBlockhash();
    const transaction = memoTransaction(request.memo, wallet, latest);
    return {
      transaction: transaction.serialize({ requireAllSignatures: false, verifySignatures: false }).toString('base64'),
      memo: request.memo,
      programId: MEMO_PROGRAM_ID,
      recentBlockhash: latest.blockhash,
      lastValidBlockHeight: latest.lastValidBlockHeight,
    };
  }

  async close(): Promise<void> {
    this.#nodes.close();
    this.#closing.abort();
  }
}

const NOT_FOUND: TransactionStatus = { state: 'not-found' };

function requireSignatures(signatures: readonly string[]): void {
  if (signatures.length > MOST_SIGNATURES || !signatures.every((signature) => isBase58Of(signature, 64))) {
    throw new ChainRejected('invalid-transaction', `Ask for at most ${MOST_SIGNATURES} signatures, 64 bytes in base58`);
  }
}

/** `atLeastSlot`: several machines may be behind one address; one that lags behind this slot is not trusted. */
async function statuses(
  connection: Connection,
  signatures: readonly string[],
  atLeastSlot = 0,
): Promise<TransactionStatus[]> {
  if (signatures.length === 0) return [];
  const { context, value } = await connection.getSignatureStatuses([...signatures], { searchTransactionHistory: true });
  if (context.slot < atLeastSlot) throw new ChainUnavailable('node-unhealthy', 'The node lags behind');
  if (value.length !== signatures.length) {
    throw new ChainUnavailable('node-unhealthy', 'The node left statuses out of its answer');
  }
  return value.map((status) => (status === null ? NOT_FOUND : statusOf(status)));
}

function statusOf({ slot, err, confirmationStatus, confirmations }: SignatureStatus): TransactionStatus {
  // Nodes before 1.5 give no confirmationStatus; `confirmations: null` then means rooted.
  const state = confirmationStatus ?? (confirmations === null ? 'finalized' : 'processed');
  return state === 'processed' ? { state: 'pending', slot } : { state, slot, err: err as string | null };
}
