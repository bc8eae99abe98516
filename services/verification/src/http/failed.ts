import { HttpRefusal } from '@countersign/http-edge';
import type { ServiceContext } from '@countersign/service-kit';

export type Log = Pick<ServiceContext['log'], 'error'>;

/** Injection token of the service's log. */
export const LOG = Symbol('log');

/**
 * What `ask` gives; whatever breaks in it is logged and becomes 500 with these words, as `interface.md` has it for a
 * look-up that failed. A refusal stays what it is.
 */
export async function orFailed<T>(log: Log, words: string, ask: () => Promise<T>, body?: object): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof HttpRefusal) throw error;
    log.error({ err: error }, words);
    throw new HttpRefusal(500, words, {}, body);
  }
}
