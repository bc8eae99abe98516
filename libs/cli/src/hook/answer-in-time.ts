import { errorMessage, type HookAnswer } from './answer.js';

/** Share of the timeout for the parts of an answer: the rest is for reporting that it has passed. */
const SHARE_OF_PARTS = 0.9;

/**
 * Resolves to the result of `answer`, or to that of `failed` if it fails or the timeout passes first.
 * @param timeoutMs for the whole answer, milliseconds from now
 * @param answer receives a function that returns the time its parts have left, milliseconds, at least 1
 * @param failed receives the reason
 */
export async function answerInTime(
  timeoutMs: number,
  answer: (leftMs: () => number) => Promise<HookAnswer>,
  failed: (why: string) => HookAnswer,
): Promise<HookAnswer> {
  const endsAt = performance.now() + timeoutMs * SHARE_OF_PARTS;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`there was no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([answer(() => Math.max(1, Math.floor(endsAt - performance.now()))), late]);
  } catch (error) {
    return failed(errorMessage(error));
  } finally {
    clearTimeout(timer);
  }
}
