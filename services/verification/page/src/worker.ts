import * as library from './evidence.js';
import { judge, type Outcome, type Question } from './judge.js';

/** What the page asks of the worker, and what it is told. */
export interface Task {
  /** Given back with each word on it. */
  readonly number: number;
  readonly file: Blob;
  /** Files with proofs of absence. */
  readonly absences: readonly Blob[];
  readonly question: Question;
}
export type Told = { readonly number: number } & (
  | { readonly kind: 'progress'; readonly text: string }
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | { readonly kind: 'failed'; readonly text: string }
);

const tell = (told: Told): void => postMessage(told);

const bytesOf = async (file: Blob): Promise<Uint8Array> => new Uint8Array(await file.arrayBuffer());

addEventListener('message', ({ data: { number, file, absences, question } }: MessageEvent<Task>) => {
  const work = async (): Promise<void> => {
    const [bytes, ...proofs] = await Promise.all([file, ...absences].map(bytesOf));
    const progress = (text: string): void => tell({ number, kind: 'progress', text });
    const outcome = await judge(library, bytes!, question, progress, proofs);
    tell({ number, kind: 'outcome', outcome });
  };
  work().catch((error: unknown) => {
    tell({ number, kind: 'failed', text: error instanceof Error ? error.message : String(error) });
  });
});
