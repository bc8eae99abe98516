import * as library from './evidence.js';
import { judge, type Outcome, type Question } from './judge.js';

/** What the page asks of the worker, and what it is told. */
export interface Task {
  /** Given back with each word on it. */
  readonly number: number;
  readonly file: Blob;
  readonly question: Question;
}
export type Told = { readonly number: number } & (
  | { readonly kind: 'progress'; readonly text: string }
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | { readonly kind: 'failed'; readonly text: string }
);

const tell = (told: Told): void => postMessage(told);

addEventListener('message', ({ data: { number, file, question } }: MessageEvent<Task>) => {
  const work = async (): Promise<void> => {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const outcome = await judge(library, bytes, question, (text) => tell({ number, kind: 'progress', text }));
    tell({ number, kind: 'outcome', outcome });
  };
  work().catch((error: unknown) => {
    tell({ number, kind: 'failed', text: error instanceof Error ? error.message : String(error) });
  });
});
