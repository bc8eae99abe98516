import { messageOf } from '@countersign/async';
import { advance, type Chain, type ChainTransaction, type MemoSigner } from '@countersign/chain';
import { parseWindowMemo, type Sha256 } from '@countersign/evidence';
import type { Logger } from 'pino';
import { recomputeWindow } from '../close-windows/recompute-window.js';
import { WindowDamaged } from '../domain/agent-fold.js';
import type { AnchorStore, Submission } from '../store/port.js';

/** Memos under way at once. */
const AT_ONCE = 200;

export interface SubmitterTools {
  readonly chain: Pick<Chain, 'prepareMemo' | 'send' | 'observe' | 'transaction'>;
  readonly signer: MemoSigner;
  readonly network: string;
  readonly sha256: Sha256;
  readonly clock: () => number;
  readonly log: Pick<Logger, 'error' | 'warn' | 'info'>;
  /** Counts a failure by its kind. */
  readonly failed: (kind: 'chain' | 'damaged' | 'equivocation') => void;
  /** Resolves with `true` when no later block is earlier than this, ms; without it each time is taken to be reached. @throws ChainUnavailable */
  readonly reached?: (ms: number) => Promise<boolean>;
}

/** Result of a round. */
export interface Round {
  /** Memos that are still under way. */
  readonly open: number;
  /** Memos that became final in this round. */
  readonly anchored: number;
}

/**
 * Brings memos onto the chain, each once. It decides by what is stored and what the chain says, so a crash between any
 * two lines costs nothing but a repetition of the last step. A window whose leaves no longer give its root, or whose
 * transaction has another memo, is held back and reported; the others continue.
 */
export class AnchorSubmitter {
  readonly #store: AnchorStore;
  readonly #tools: SubmitterTools;
  readonly #heldBack = new Map<string, string>();
  #problem: string | null = null;

  constructor(store: AnchorStore, tools: SubmitterTools) {
    this.#store = store;
    this.#tools = tools;
  }

  /** Takes each open memo one step further. */
  async round(): Promise<Round> {
    const open = (await this.#store.openSubmissions(AT_ONCE + this.#heldBack.size)).filter(
      ({ id }) => !this.#heldBack.has(id),
    );
    this.#problem = null;
    const sound: Submission[] = [];
    for (const submission of await this.#ended(open)) if (await this.#isSound(submission)) sound.push(submission);
    const { chain, signer } = this.#tools;
    const save = (submission: Submission): Promise<void> => this.#store.saveSubmission(submission);
    let anchored = 0;
    for (const { intent, step, problem } of await advance(sound, { chain, signer, save })) {
      if (problem !== null) this.#note(`the chain does not take anchors: ${problem.message}`);
      if (step.step === 'failed') this.#holdBack(intent.id, 'chain', `its transaction ${step.signature} failed`);
      if (step.step === 'wait' && step.why === 'history-too-short') {
        this.#note(`no node can tell whether ${intent.id} has landed: name one with a longer history`);
      }
      if (intent.landed !== null && (await this.#confirm(intent, intent.landed.signature))) anchored += 1;
    }
    return { open: open.length - anchored, anchored };
  }

  /** Why anchors wait; empty when they do not. */
  problems(): readonly string[] {
    const held = [...this.#heldBack].map(([id, why]) => `${id} is held back: ${why}`);
    return this.#problem === null ? held : [...held, this.#problem];
  }

  /** Without the windows that end later than the chain's time: their block would be earlier than what it proves. */
  async #ended(open: readonly Submission[]): Promise<readonly Submission[]> {
    const { reached } = this.#tools;
    if (reached === undefined) return open;
    const ended: Submission[] = [];
    let notBeforeMs = Infinity;
    for (const submission of open) {
      const endMs = submission.attempts.length > 0 ? null : windowEndOf(submission.memo);
      if (endMs !== null && endMs >= notBeforeMs) continue;
      try {
        if (endMs === null || (await reached(endMs))) ended.push(submission);
        else notBeforeMs = endMs;
      } catch (error) {
        this.#note(`the chain does not say its time: ${messageOf(error)}`);
        return ended;
      }
    }
    return ended;
  }

  /** Nothing is signed on the word of a stored root. */
  async #isSound({ id, memo, attempts }: Submission): Promise<boolean> {
    if (attempts.length > 0 || !id.startsWith('window:')) return true;
    try {
      await recomputeWindow(this.#store, id.slice('window:'.length), memo, this.#tools.sha256);
      return true;
    } catch (error) {
      if (!(error instanceof WindowDamaged)) throw error;
      this.#holdBack(id, 'damaged', error.message);
      return false;
    }
  }

  /** The finalized transaction must have the intended memo. */
  async #confirm({ id, memo }: Submission, signature: string): Promise<boolean> {
    let transaction: ChainTransaction | null;
    try {
      transaction = await this.#tools.chain.transaction(signature);
    } catch (error) {
      this.#note(`an anchor cannot be read back: ${messageOf(error)}`);
      return false;
    }
    if (transaction === null) return false;
    const { slot, blockHeight, blockTime, succeeded, signers, memos } = transaction;
    if (!succeeded || !signers.includes(this.#tools.signer.publicKey) || !memos.includes(memo)) {
      this.#holdBack(id, 'equivocation', `transaction ${signature} does not hold its memo`);
      return false;
    }
    if (blockHeight === null) {
      this.#note(`no node knows the block of ${signature}`);
      return false;
    }
    const anchoredAt = new Date(blockTime === null ? this.#tools.clock() : blockTime * 1000).toISOString();
    const { network, signer } = this.#tools;
    await this.#store.saveAnchored(id, {
      signature,
      slot,
      blockHeight,
      anchoredAt,
      network,
      authority: signer.publicKey,
    });
    return true;
  }

  #note(problem: string): void {
    if (this.#problem === null) this.#tools.failed('chain');
    this.#problem ??= problem;
  }

  #holdBack(id: string, kind: 'chain' | 'damaged' | 'equivocation', why: string): void {
    this.#heldBack.set(id, why);
    this.#tools.failed(kind);
    this.#tools.log.error({ id, kind }, why);
  }
}

/** `null` for the memo of a report. */
function windowEndOf(memo: string): number | null {
  const window = parseWindowMemo(memo);
  return window === null ? null : Date.parse(window.windowStart) + window.durationSeconds * 1000;
}
