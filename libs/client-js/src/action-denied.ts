import { CountersignError } from './errors.js';
import type { CheckResult } from './result.js';

/** Thrown by `guard` if the action may not be executed; `result` has the reason. */
export class ActionDeniedError extends CountersignError {
  override readonly name = 'ActionDeniedError';

  constructor(readonly result: CheckResult) {
    super('action_denied', result.reason ?? 'the action is not allowed', {
      ...(result.eventId === undefined ? {} : { eventId: result.eventId }),
      ...(result.error === undefined ? {} : { cause: result.error }),
    });
  }
}
