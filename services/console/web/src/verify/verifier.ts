/** Choices of the reader: where keys come from, and the node that is asked. */
export interface Question {
  readonly keys: { readonly from: 'service'; readonly base: string };
  /** `null`: no chain is asked. */
  readonly rpc: { readonly url: string; readonly authority: string | null } | null;
}

/** A verdict with its reasons, as the worker of the page `/verify` gives it. */
export interface Outcome {
  /** `holds`: all that can be checked was, and holds. `partly`: nothing is wrong, and something was not checked. */
  readonly verdict: 'holds' | 'partly' | 'refused';
  readonly facts: readonly (readonly [string, string])[];
  readonly keySource: string | null;
  readonly chainSource: string;
  readonly checked: readonly string[];
  readonly notChecked: readonly string[];
  readonly problems: readonly { readonly code: string; readonly path: string; readonly message: string }[];
  readonly problemCount: number;
  /** The verdicts of a package, computed again; `null`: the file has none. */
  readonly redecision: {
    readonly result: 'same' | 'partly' | 'differs';
    readonly summary: readonly string[];
  } | null;
  /** `null`: the file states no figures that follow from its events. */
  readonly oversight: { readonly lines: readonly string[] } | null;
  readonly completeness: readonly {
    readonly agentId: string;
    readonly firstSequence: number | null;
    readonly lastSequence: number | null;
    readonly count: number;
    readonly missing: readonly unknown[];
  }[];
}

type Message = { readonly number: number } & (
  | { readonly kind: 'progress'; readonly text: string }
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | { readonly kind: 'failed'; readonly text: string }
);

interface Waiting {
  readonly progress: (text: string) => void;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: Error) => void;
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): URL };
}

/** Where the service answers: the page lies at `<base>console`. */
export const BASE = new URL('.', window.location.href.split('#')[0]).href;
const WORKER = `${BASE}verify/worker.js`;

const waiting = new Map<number, Waiting>();
let worker: Worker | null = null;
let last = 0;

/**
 * Verifies a report, or an event with its proof, in a worker of this browser: the library reads the bytes, computes hashes
 * and paths again, and asks the service for its keys, and the chain if an address is given.
 * @param rpcUrl of a Solana node that the reader trusts; empty: the chain is not asked
 * @throws Error with words for the reader
 */
export function verify(file: Blob, rpcUrl: string, progress: (text: string) => void): Promise<Outcome> {
  worker ??= newWorker();
  const asked = worker;
  last += 1;
  const number = last;
  const question: Question = {
    keys: { from: 'service', base: BASE },
    rpc: rpcUrl === '' ? null : { url: rpcUrl, authority: null },
  };
  return new Promise((resolve, reject) => {
    waiting.set(number, { progress, resolve, reject });
    asked.postMessage({ number, file, absences: [], question });
  });
}

/** The worker has the policy of its own file, which lets it ask any node; that of the page does not. */
function newWorker(): Worker {
  const { trustedTypes } = window as { readonly trustedTypes?: TrustedTypes };
  const only = (url: string): string => {
    if (url !== WORKER) throw new TypeError('not the address of the verifier');
    return url;
  };
  const address = trustedTypes?.createPolicy('console', { createScriptURL: only }).createScriptURL(WORKER) ?? WORKER;
  const started = new Worker(address, { type: 'module' });
  started.addEventListener('message', ({ data }: MessageEvent<Message>) => receive(data));
  started.addEventListener('error', ({ message }) => {
    for (const { reject } of waiting.values()) reject(new Error(message || 'The verifier could not be loaded.'));
    waiting.clear();
  });
  return started;
}

function receive(message: Message): void {
  const asked = waiting.get(message.number);
  if (asked === undefined) return;
  if (message.kind === 'progress') {
    asked.progress(message.text);
    return;
  }
  waiting.delete(message.number);
  if (message.kind === 'outcome') asked.resolve(message.outcome);
  else asked.reject(new Error(message.text));
}
