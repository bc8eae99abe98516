import { knownTime } from './chain-answer.js';
import { isoDuration } from '../encoding/time.js';
import { parseReportMemo, parseWindowMemo, type WindowMemo } from '../chain/memo.js';
import type { ChainFacts, ChainTransaction } from './options.js';
import type { ChainCheck, ProblemCode } from './result.js';
import { CLOCK_TOLERANCE_SECONDS } from './time-bounds.js';

/** Every network whose genesis hash is none of the public ones. */
const OWN_NETWORK = 'solana:localnet';

export interface ChainVerdict {
  readonly check: ChainCheck;
  readonly problem: { readonly code: ProblemCode; readonly message: string } | null;
  /** `false` where no authority was given: then anyone may have written the memo. */
  readonly authorityChecked: boolean;
  /** ISO; of a transaction with the required content, signed by anyone. */
  readonly blockTime: string | null;
}

/** Required content of a window's transaction. */
export interface WindowClaim {
  readonly txSignature: string;
  readonly network: string;
  readonly merkleRoot: string;
  /** Size of the window tree. */
  readonly agents: number;
  readonly windowStart: string;
  readonly windowEnd: string;
}

/** Checks that a successful transaction of the authority holds exactly this root, this size and this window. */
export function checkWindowAnchor(claim: WindowClaim, chain: ChainFacts | null): ChainVerdict {
  const verdict = checkTransaction(claim.txSignature, claim.network, chain, (memos) => windowMemoProblem(claim, memos));
  const { blockTime } = verdict;
  if (blockTime === null || secondsBetween(claim.windowEnd, blockTime) >= -CLOCK_TOLERANCE_SECONDS) return verdict;
  const message = `The block time, ${blockTime}, is before the end of the window, ${claim.windowEnd}.`;
  return {
    check: { ...verdict.check, onChain: false, detail: message },
    problem: { code: 'transaction-early', message },
    authorityChecked: false,
    blockTime: null,
  };
}

/** Checks that a successful transaction of the authority names this content hash. */
export function checkReportAnchor(
  claim: { readonly txSignature: string; readonly network: string; readonly contentHash: string },
  chain: ChainFacts | null,
): ChainVerdict {
  return checkTransaction(claim.txSignature, claim.network, chain, (memos) => {
    if (memos.some((memo) => parseReportMemo(memo) === claim.contentHash)) return null;
    return memos.some((memo) => parseReportMemo(memo) !== null)
      ? { code: 'transaction-root-differs', message: 'The transaction names another content hash.' }
      : { code: 'transaction-memo', message: 'The transaction holds no memo of a report.' };
  });
}

type MemoProblem = { readonly code: ProblemCode; readonly message: string };

function windowMemoProblem(claim: WindowClaim, memos: readonly string[]): MemoProblem | null {
  const windows = memos.map(parseWindowMemo).filter((memo): memo is WindowMemo => memo !== null);
  if (windows.length === 0) return { code: 'transaction-memo', message: 'The transaction holds no memo of a window.' };
  const rooted = windows.filter((memo) => memo.root === claim.merkleRoot);
  if (rooted.length === 0) {
    return { code: 'transaction-root-differs', message: 'The transaction holds another root.' };
  }
  const sized = rooted.filter((memo) => memo.agents === claim.agents);
  if (sized.length === 0) {
    return { code: 'transaction-size-differs', message: 'The transaction names another number of agents.' };
  }
  const duration = isoDuration((Date.parse(claim.windowEnd) - Date.parse(claim.windowStart)) / 1000);
  const same = (memo: WindowMemo): boolean =>
    memo.windowStart === claim.windowStart && isoDuration(memo.durationSeconds) === duration;
  if (sized.some(same)) return null;
  return { code: 'transaction-window-differs', message: 'The transaction names another window.' };
}

function checkTransaction(
  signature: string,
  network: string,
  chain: ChainFacts | null,
  memoProblem: (memos: readonly string[]) => MemoProblem | null,
): ChainVerdict {
  if (chain === null) return unchecked('No chain was asked.');
  if (chain.network !== network) return unchecked(`Not asked: the transaction is said to be on ${network}.`);
  const answer = chain.transactions.get(signature);
  if (answer === undefined) return unchecked('The chain was not asked for this transaction.');
  if (answer === 'unavailable') return unchecked('The chain did not answer.');
  if (answer === 'not-found') return failed('transaction-not-found', 'The chain has no such transaction.', null);
  if (!answer.succeeded) return failed('transaction-failed', 'The transaction failed on the chain.', answer);
  if (!answer.finalized) return unchecked('The transaction is not final yet.');
  const memo = memoProblem(answer.memos);
  if (memo !== null) return failed(memo.code, memo.message, answer);
  if (!signedByAuthority(answer, network, chain)) {
    return failed('transaction-authority', 'No published anchoring authority signed the transaction.', answer);
  }
  return {
    check: facts(true, true, 'The transaction is on the chain and says the same.', answer),
    problem: null,
    authorityChecked: chain.authorities !== null,
    blockTime: knownTime(answer.blockTime),
  };
}

/**
 * Reports whether an authority signed it while it was allowed to anchor; `true` where none is given to compare with.
 */
export function signedByAuthority(
  transaction: ChainTransaction,
  network: string,
  { authorities }: ChainFacts,
): boolean {
  if (authorities === null) return true;
  const at = knownTime(transaction.blockTime);
  return authorities.some(
    (authority) =>
      authority.network === network &&
      transaction.signers.includes(authority.address) &&
      (at === null || isWithin(at, authority.validFrom, authority.validTo)),
  );
}

/** Limits of the evidence that this network gives. */
export function networkNotes({ network }: Pick<ChainFacts, 'network'>): readonly string[] {
  if (network !== OWN_NETWORK) return [];
  return [`a public network: ${OWN_NETWORK} is somebody’s own, and whoever runs it can write it anew`];
}

/** From one instant (ISO) to another. */
export function secondsBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 1000;
}

/** Reports whether an instant lies in `[from, to)`; `null` is open. */
export function isWithin(at: string, from: string | null, to: string | null): boolean {
  const ms = Date.parse(at);
  return (from === null || Date.parse(from) <= ms) && (to === null || ms < Date.parse(to));
}

export function unchecked(detail: string): ChainVerdict {
  return { check: facts(false, false, detail, null), problem: null, authorityChecked: false, blockTime: null };
}

function failed(code: ProblemCode, message: string, transaction: ChainTransaction | null): ChainVerdict {
  return {
    check: facts(true, false, message, transaction),
    problem: { code, message },
    authorityChecked: false,
    blockTime: null,
  };
}

function facts(checked: boolean, onChain: boolean, detail: string, transaction: ChainTransaction | null): ChainCheck {
  return {
    checked,
    onChain,
    detail,
    block_height: transaction?.blockHeight ?? null,
    slot: transaction?.slot ?? null,
    confirmations: transaction?.confirmations ?? null,
  };
}
