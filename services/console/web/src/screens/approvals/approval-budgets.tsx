import type { ReactNode } from 'react';
import type { Explanation } from '@countersign/contracts';
import { useRecorded } from '../../api/one-event.js';
import { useExplanationNow } from '../../api/profile.js';
import type { ShownApproval } from '../../api/approvals.js';
import { Balances } from '../../parts/balances.js';
import { Fact, Facts } from '../../parts/facts.js';
import { Card } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { approvalWords } from '../../words/approvals.js';
import { words } from '../../words/en.js';
import { explainedAction } from './explained-action.js';

const texts = approvalWords.budgets;

/** Rules of the counters of which an explanation says only whether the action fits. */
const COUNTED = ['spending_limit', 'rate_limit'] as const;

/**
 * Limits that the action would be charged to, with the room that they have by the profile and the balances of now, for
 * the principal and session of the check that asked.
 */
export function ApprovalBudgets({
  approval: { agent_id: agentId, state, payload, requester },
  action,
  eventId,
}: {
  readonly approval: ShownApproval;
  readonly action: object;
  /** The check that asked. */
  readonly eventId: string;
}): ReactNode {
  const hasPayload = payload !== null && payload !== undefined;
  const check = useRecorded(eventId);
  const whole = hasPayload ? { ...action, payload } : action;
  const asked = check.isPending
    ? null
    : explainedAction(whole, check.data?.opened.context?.value, requester?.principal ?? null);
  const now = useExplanationNow(agentId, asked?.action ?? null, state === 'pending');
  return (
    <Card title={texts.title} lead={texts.lead}>
      {now.error === null ? null : <Problem what={texts.failed} error={now.error} retry={() => void now.refetch()} />}
      {now.data === undefined ? (
        now.error === null ? (
          <p className="late" role="status">
            {words.loading}
          </p>
        ) : null
      ) : (
        <Left explanation={now.data} />
      )}
      {now.data === undefined || asked === null || asked.leftOut === null ? null : (
        <p className="note">{texts.leftOut[asked.leftOut]}</p>
      )}
      {hasPayload ? null : <p className="note">{texts.noPayload}</p>}
    </Card>
  );
}

function Left({ explanation }: { readonly explanation: Explanation }): ReactNode {
  const { facts, limits, rules } = explanation;
  const counted = COUNTED.flatMap((name) => {
    const result = rules.find((rule) => rule.name === name)?.result;
    return result === 'passed' || result === 'matched' ? [{ name, fits: result === 'passed' }] : [];
  });
  if (facts.length + limits.length + counted.length === 0) return <p className="muted">{texts.none}</p>;
  return (
    <>
      {counted.length === 0 ? null : (
        <Facts>
          {counted.map(({ name, fits }) => (
            <Fact key={name} name={name}>
              {fits ? texts.fits : texts.exceeded}
            </Fact>
          ))}
        </Facts>
      )}
      <Balances explanation={explanation} />
    </>
  );
}
