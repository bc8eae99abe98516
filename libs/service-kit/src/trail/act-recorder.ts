import type { AccountFacts } from '@countersign/contracts';
import type { NewRecord } from '@countersign/event-log';
import { HttpRefusal } from '@countersign/http-edge';
import { AccountTrail, type Act, type Projection } from '@countersign/topics';
import type { ServiceContext } from '../service/definition.js';

/**
 * Makes the records of what a person did, one for each act, for the outbox in the transaction of the change.
 * @throws HttpRefusal 503 where it cannot be made: then nothing is changed
 */
export type ActRecorder = (...acts: readonly Act[]) => Promise<readonly NewRecord[]>;

/** @param accounts read model of the topic `accounts`, for the windows of the account */
export function actRecorder(
  context: Pick<ServiceContext, 'counters' | 'config' | 'log'>,
  accounts: Pick<Projection<AccountFacts>, 'get' | 'waitFor'>,
): ActRecorder {
  const trail = new AccountTrail(context, accounts);
  return async (...acts) => {
    try {
      return await trail.records(...acts);
    } catch (error) {
      context.log.error({ err: error, type: acts[0]?.type }, 'what a person did cannot be recorded');
      throw new HttpRefusal(503, 'the change cannot be recorded now: try again', { 'retry-after': '1' });
    }
  };
}
