import { HttpRefusal } from '@countersign/http-edge';
import type { ServiceContext } from '@countersign/service-kit';

export type Log = Pick<ServiceContext['log'], 'error'>;

/** Injection token of the service's log. */
export const LOG = Symbol('log');

/**
 * Returns the result of `ask`. An error is logged and becomes 500 with this text, as `interface.md` requires of a look-up that
 * failed; a refusal is passed on.
 */
export async function orFailed<T>(log: Log, message: string, ask: () => Promise<T>, body?: object): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof HttpRefusal) throw error;
    log.error({ err: error }, message);
    throw new HttpRefusal(500, message, {}, body);
  }
}
