import type { ReactNode } from 'react';
import { useImpact } from '../../api/profile.js';
import { hrefOf } from '../../location.js';
import { Problem } from '../../parts/problem.js';
import { welcomeWords } from '../../words/welcome.js';
import { ImpactFigures } from '../agent/impact.js';
import { RunSample } from './run-sample.js';
import type { Sample } from './run-sample.js';
import { SAMPLE_RULES } from './sample-actions.js';
import { Step } from './step.js';

const texts = welcomeWords.rules;

/** Rules, what they would have changed, and a second agent that acts under them. */
export function SampleRules({
  free,
  ruled,
  role,
  isReady,
}: {
  readonly free: Sample;
  readonly ruled: Sample;
  readonly role: string;
  readonly isReady: boolean;
}): ReactNode {
  return (
    <Step number={2} title={texts.title} lead={texts.lead} isDone={ruled.hasRun}>
      {free.agentId === null || !free.hasRun ? (
        <p className="muted">{welcomeWords.waiting}</p>
      ) : (
        <>
          <pre className="code">
            <code>{JSON.stringify(SAMPLE_RULES, null, 2)}</code>
          </pre>
          <Would agentId={free.agentId} />
          <p className="hint">{texts.how}</p>
          <RunSample agent="ruled" sample={ruled} labels={texts} role={role} isReady={isReady} />
          {ruled.agentId === null || !ruled.hasRun ? null : (
            <p className="links">
              <a href={hrefOf('/events', { agent: ruled.agentId, outcome: 'denied' })}>{texts.denied}</a>
              <a href={hrefOf(`/agents/${ruled.agentId}/profile`)}>{texts.profile}</a>
            </p>
          )}
        </>
      )}
    </Step>
  );
}

/** Verdicts that these rules would have given to the checks of the agent without rules. */
function Would({ agentId }: { readonly agentId: string }): ReactNode {
  const impact = useImpact(agentId, null, SAMPLE_RULES);
  if (impact.error !== null) return <Problem error={impact.error} retry={() => void impact.refetch()} />;
  return impact.data === undefined ? null : <ImpactFigures answer={impact.data} />;
}
