import { FROZEN_REASON } from '@countersign/contracts';
import type { AnswerExtras, Severity } from '@countersign/contracts';

export interface RefusalWords {
  readonly reason: string;
  readonly severity: Severity;
  readonly extras: AnswerExtras;
}

/** The answer of a recorded refusal: 402, 429 and 403 of `POST /v1/check`. */
export function planRefusal(
  outcome: 'frozen' | 'sandbox_expired' | 'action_cap',
  sandbox: boolean,
  upgradeUrl: string,
): RefusalWords {
  switch (outcome) {
    case 'frozen':
      return {
        reason: FROZEN_REASON,
        severity: 'P1',
        extras: { code: 'agent_frozen' },
      };
    case 'sandbox_expired':
      return {
        reason: 'The sandbox has expired. Upgrade the plan to go on.',
        severity: 'P3',
        extras: { code: 'sandbox_expired', upgrade_url: upgradeUrl },
      };
    case 'action_cap':
      return sandbox
        ? {
            reason: 'The sandbox has reached its action cap. Upgrade the plan to go on.',
            severity: 'P3',
            extras: { code: 'sandbox_action_cap', upgrade_url: upgradeUrl },
          }
        : {
            reason: 'The plan has reached its action cap for this month. Upgrade the plan, or wait for the next month.',
            severity: 'P3',
            extras: { code: 'plan_action_cap', upgrade_url: upgradeUrl },
          };
  }
}
