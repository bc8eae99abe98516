import * as library from './evidence.js';
import { judge, type Outcome, type Question } from './judge.js';
import type { Recomputing } from './recompute.js';

/** A task of the worker. */
export interface Task {
  /** Repeated in each message about the task. */
  readonly number: number;
  readonly file: Blob;
  /** Files with proofs of absence. */
  readonly absences: readonly Blob[];
  readonly question: Question;
}
export type TaskMessage = { readonly number: number } & (
  | { readonly kind: 'progress'; readonly text: string }
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | { readonly kind: 'failed'; readonly text: string }
);

/** Begun with the worker, so it is there without a connection as well; verifying does not wait for it. */
const redecision = import('./redecide.js');
redecision.catch(() => undefined);
const recomputing: Recomputing = {
  library: () => redecision,
  sqlParser: async () => (await import('./sql-parser.js')).loadSqlParser(),
};

const send = (message: TaskMessage): void => postMessage(message);

const bytesOf = async (file: Blob): Promise<Uint8Array> => new Uint8Array(await file.arrayBuffer());

addEventListener('message', ({ data: { number, file, absences, question } }: MessageEvent<Task>) => {
  const work = async (): Promise<void> => {
    const [bytes, ...proofs] = await Promise.all([file, ...absences].map(bytesOf));
    const progress = (text: string): void => send({ number, kind: 'progress', text });
    const outcome = await judge(library, recomputing, bytes!, question, progress, proofs);
    send({ number, kind: 'outcome', outcome });
  };
  work().catch((error: unknown) => {
    send({ number, kind: 'failed', text: error instanceof Error ? error.message : String(error) });
  });
});
