import type { ReactNode } from 'react';
import { useEventExplanation } from '../../api/profile.js';
import { Card } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Trace } from '../../parts/trace.js';
import { agentWords } from '../../words/agent.js';
import { words } from '../../words/en.js';

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
          <Trace rules={found.data.rules} />
        </>
      )}
    </Card>
  );
}
