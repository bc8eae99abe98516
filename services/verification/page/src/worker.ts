import * as library from './evidence.js';
import { judge, judgeTogether, type GivenFile, type Outcome, type Question } from './judge.js';
import { bytesOf } from './judge-series.js';
import type { Recomputing } from './recompute.js';

/** A task of the worker. */
export interface Task {
  /** Repeated in each message about the task. */
  readonly number: number;
  readonly file: Blob;
  /** Files of a series that were given together; `file` is ignored then. */
  readonly together?: readonly GivenFile[];
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

async function judgeOne(
  file: Blob,
  absences: readonly Blob[],
  question: Question,
  progress: (text: string) => void,
): Promise<Outcome> {
  const [bytes, ...proofs] = await Promise.all([file, ...absences].map(bytesOf));
  return judge(library, recomputing, bytes!, question, progress, proofs);
}

addEventListener('message', ({ data: { number, file, together, absences, question } }: MessageEvent<Task>) => {
  const work = async (): Promise<void> => {
    const progress = (text: string): void => send({ number, kind: 'progress', text });
    const outcome =
      together === undefined
        ? await judgeOne(file, absences, question, progress)
        : await judgeTogether(library, recomputing, together, question, progress);
    send({ number, kind: 'outcome', outcome });
  };
  work().catch((error: unknown) => {
    send({ number, kind: 'failed', text: error instanceof Error ? error.message : String(error) });
  });
});
