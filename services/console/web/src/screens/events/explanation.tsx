import type { ReactNode } from 'react';
import type { EventExplanation } from '@countersign/contracts';
import { useEventExplanation } from '../../api/profile.js';
import { Card } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Foreign } from '../../parts/foreign.js';
import { Trace } from '../../parts/trace.js';
import { openReason } from '../../verify/redecided.js';
import { agentWords } from '../../words/agent.js';
import { words } from '../../words/en.js';
import { redecisionWords } from '../../words/verify.js';

/** Every rule for a recorded check, under the profile of then. */
export function EventRules({ eventId }: { readonly eventId: string }): ReactNode {
  const found = useEventExplanation(eventId);
  const { explanation: texts } = agentWords;
  return (
    <Card title={texts.title} lead={texts.lead(found.data?.profileVersion ?? null)}>
      {found.error === null ? null : (
        <Problem what={texts.failed} error={found.error} retry={() => void found.refetch()} />
      )}
      {found.data === undefined ? (
        found.error === null ? (
          <p className="late" role="status">
            {words.loading}
          </p>
        ) : null
      ) : (
        <>
          {found.data.notEvaluated === null ? null : (
            <p className="note">{texts.notEvaluated[found.data.notEvaluated.reason]}</p>
          )}
          <Redecided {...found.data.redecided} />
          <Trace rules={found.data.rules} />
        </>
      )}
    </Card>
  );
}

/** The verdict computed again, with what differs. */
function Redecided(found: EventExplanation['redecided']): ReactNode {
  const { verdict, differences } = found;
  const { one } = redecisionWords;
  if (verdict === 'same') return <p className="note">{one.same}</p>;
  if (verdict !== 'different') return <p className="note">{one.open(openReason(found))}</p>;
  return (
    <div className="problem">
      <p>{one.different}</p>
      <ul>
        {differences.map(({ member, recorded, recomputed }) => (
          <li key={member}>
            <Foreign text={one.member(member, recorded, recomputed)} most={600} />
          </li>
        ))}
      </ul>
    </div>
  );
}
