import { ChainRejected, ChainUnavailable } from '../errors.js';
import type { Chain, MemoSigner, Observation } from '../port.js';
import type { SubmissionIntent, SubmissionStep } from './intent.js';
import { nextStep } from './next-step.js';

const MOST_OBSERVED = 256;
const AT_ONCE = 8;

export interface SubmissionTools<Intent extends SubmissionIntent> {
  readonly chain: Pick<Chain, 'prepareMemo' | 'send' | 'observe'>;
  readonly signer: MemoSigner;
  /** MUST be durable when it resolves; `advance` sends nothing before. */
  readonly save: (intent: Intent) => Promise<void>;
}

export interface Advanced<Intent extends SubmissionIntent> {
  /** As it was last saved. */
  readonly intent: Intent;
  /** The step that was decided and, without a `problem`, done. */
  readonly step: SubmissionStep;
  /** Why the step failed; the next round retries. */
  readonly problem: ChainUnavailable | ChainRejected | null;
}

/**
 * Takes every intent one step further, with one look-up of the chain for all. To be called again, after a pause or a
 * crash, until each is `done` or `failed`. Must not run concurrently for one intent.
 * @throws the error of `save`; then nothing was sent for that intent
 */
export async function advance<Intent extends SubmissionIntent>(
  intents: readonly Intent[],
  tools: SubmissionTools<Intent>,
): Promise<Advanced<Intent>[]> {
  const advanced: Advanced<Intent>[] = [];
  for (const group of groups(intents)) {
    let observed: Observation | null = null;
    let problem: Advanced<Intent>['problem'] = null;
    const signatures = group.flatMap(signaturesOf);
    if (signatures.length > 0) {
      try {
        observed = await tools.chain.observe(signatures);
      } catch (error) {
        problem = problemOf(error);
      }
    }
    for (let i = 0; i < group.length; i += AT_ONCE) {
      const some = group.slice(i, i + AT_ONCE);
      advanced.push(...(await Promise.all(some.map((intent) => takeStep(intent, observed, problem, tools)))));
    }
  }
  return advanced;
}

async function takeStep<Intent extends SubmissionIntent>(
  intent: Intent,
  observed: Observation | null,
  unseen: Advanced<Intent>['problem'],
  { chain, signer, save }: SubmissionTools<Intent>,
): Promise<Advanced<Intent>> {
  const step = nextStep(intent, observed);
  let current = intent;
  try {
    switch (step.step) {
      case 'sign': {
        const prepared = await chain.prepareMemo(intent.memo, signer);
        const signed = { ...intent, attempts: [...intent.attempts, prepared] };
        await save(signed);
        current = signed;
        await chain.send(prepared.wire);
        break;
      }
      case 'send':
        await chain.send(step.wire);
        break;
      case 'record': {
        const recorded = { ...intent, landed: step.landed };
        await save(recorded);
        current = recorded;
        break;
      }
      case 'observe':
        return { intent, step, problem: unseen };
      case 'wait':
      case 'failed':
      case 'done':
        break;
    }
    return { intent: current, step, problem: null };
  } catch (error) {
    const problem = problemOf(error);
    // A node that lags, or the end of the validity: the next look-up shows which.
    const harmless = problem instanceof ChainRejected && problem.code === 'blockhash-not-found';
    return { intent: current, step, problem: harmless ? null : problem };
  }
}

function problemOf(error: unknown): ChainUnavailable | ChainRejected {
  if (error instanceof ChainUnavailable || error instanceof ChainRejected) return error;
  throw error;
}

function signaturesOf(intent: SubmissionIntent): string[] {
  return intent.landed === null ? intent.attempts.map(({ signature }) => signature) : [];
}

/** Intents in groups whose signatures fit one look-up. */
function groups<Intent extends SubmissionIntent>(intents: readonly Intent[]): Intent[][] {
  const found: Intent[][] = [[]];
  let size = 0;
  for (const intent of intents) {
    const own = signaturesOf(intent).length;
    if (size + own > MOST_OBSERVED) {
      found.push([]);
      size = 0;
    }
    found.at(-1)?.push(intent);
    size += own;
  }
  return found;
}
