import type { Localnet, LocalnetOptions } from './localnet/localnet.js';
import type { LedgerReader } from './localnet/ledger/read-ledger.js';
import type { WorkerLocalnet, WorkerOptions } from './localnet/start-in-worker.js';
import type { Chain } from './port.js';
import type { BlockReader } from './solana/blocks.js';
import type { SolanaChainOptions } from './solana/solana-chain.js';

export { encodeBase58, isBase58Of } from './base58.js';
export { ChainRejected, ChainUnavailable } from './errors.js';
export { NetworkNotBuilt } from './localnet/load-localnet.js';
export { LedgerDamaged, LedgerLocked } from './localnet/ledger/errors.js';
export type { LedgerReader, LedgerTransaction } from './localnet/ledger/read-ledger.js';
export type { LocalnetClock } from './localnet/bank/slots.js';
export type { Localnet, LocalnetOptions } from './localnet/localnet.js';
export type { WorkerLocalnet, WorkerOptions } from './localnet/start-in-worker.js';
export { MEMO_PROGRAM_ID } from './port.js';
export type {
  Chain,
  ChainTransaction,
  ListedTransaction,
  MemoSigner,
  Network,
  PreparedTransaction,
  RegistrationTransaction,
  TransactionStatus,
} from './port.js';
export type { Block, BlockReader } from './solana/blocks.js';
export type { SolanaChainOptions } from './solana/solana-chain.js';
export { advance } from './submission/advance.js';
export type { Advanced, SubmissionTools } from './submission/advance.js';
export { intentFor } from './submission/intent.js';
export type { SubmissionIntent, SubmissionStep } from './submission/intent.js';
export { nextStep } from './submission/next-step.js';
export { submitMemo } from './submission/submit-memo.js';
export type { SubmitMemoOptions } from './submission/submit-memo.js';
export { isWalletAddress } from './wallet-address.js';

// Each of the following loads its driver on the first call.

/** Opens the chain behind the nodes; does not ask one yet. @throws RangeError without a URL */
export async function openSolanaChain(options: SolanaChainOptions): Promise<Chain> {
  const { SolanaChain } = await import('./solana/solana-chain.js');
  return new SolanaChain(options);
}

/** Opens the blocks of the network behind the nodes; does not ask one yet. @throws RangeError without a URL */
export async function openBlocks(options: { readonly urls: readonly string[] }): Promise<BlockReader> {
  const { SolanaBlocks } = await import('./solana/blocks.js');
  return new SolanaBlocks(options);
}

/**
 * Runs the embedded network in this thread.
 * @throws NetworkNotBuilt, LedgerDamaged, LedgerLocked, or the system's error when a port is taken
 */
export async function startLocalnet(options: LocalnetOptions): Promise<Localnet> {
  const { loadLocalnet } = await import('./localnet/load-localnet.js');
  const { startLocalnet: start } = await loadLocalnet();
  return start(options);
}

/** Runs the embedded network in a worker thread. @throws an error with the name and message of the one there */
export async function startLocalnetInWorker(options: WorkerOptions): Promise<WorkerLocalnet> {
  const { startLocalnetInWorker: start } = await import('./localnet/start-in-worker.js');
  return start(options);
}

/** Opens the embedded network's ledger for reading; `null` when there is none. @throws LedgerDamaged */
export async function readLedger(dir: string): Promise<LedgerReader | null> {
  const { readLedger: read } = await import('./localnet/ledger/read-ledger.js');
  return read(dir);
}
