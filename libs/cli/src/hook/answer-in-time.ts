import { wordsOf, type HookAnswer } from './answer.js';

/** Of the time for an answer, what its parts are given: the rest is for saying in their own words that it is over. */
const OF_THE_PARTS = 0.9;

/**
 * The answer of `answer`, or that of `failed` where it fails, or has not come when its time is over: whatever it waits for.
 * @param timeoutMs for the whole answer, milliseconds from now
 * @param answer is given what its parts have left of that, milliseconds, 1 at least
 * @param failed is given why
 */
export async function answerInTime(
  timeoutMs: number,
  answer: (leftMs: () => number) => Promise<HookAnswer>,
  failed: (why: string) => HookAnswer,
): Promise<HookAnswer> {
  const endsAt = performance.now() + timeoutMs * OF_THE_PARTS;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`there was no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([answer(() => Math.max(1, Math.floor(endsAt - performance.now()))), late]);
  } catch (error) {
    return failed(wordsOf(error));
  } finally {
    clearTimeout(timer);
  }
}
