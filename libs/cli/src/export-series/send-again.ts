import { setTimeout as sleep } from 'node:timers/promises';

/** An answer, as far as it says to send again. */
export interface Sent {
  readonly status: number;
  /** The header `Retry-After`, seconds. */
  readonly retryAfter: string | readonly string[] | null;
}

const ATTEMPTS = 5;
const LONGEST_WAIT_S = 60;

/**
 * Sends again where the answer is 503 with `Retry-After`, up to five times.
 * @param say is given a line before each wait
 * @returns the last answer
 */
export async function sendAgain<A extends Sent>(send: () => Promise<A>, say: (line: string) => void): Promise<A> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await send();
    if (!isBusy(answer) || attempt === ATTEMPTS) return answer;
    const seconds = Math.min(Number(answer.retryAfter), LONGEST_WAIT_S);
    say(`the service is busy: attempt ${attempt + 1} of ${ATTEMPTS} in ${seconds} s`);
    await sleep(seconds * 1000);
  }
}

/** True for a refusal that later attempts may not get. */
export function isBusy({ status, retryAfter }: Sent): boolean {
  return status === 503 && retryAfter !== null && Number(retryAfter) >= 0;
}
