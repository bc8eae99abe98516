import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import { useAgents } from '../../api/agents.js';
import { SAMPLE_AGENTS, useActing, useSampleState } from '../../api/sample.js';
import type { SampleAgent } from '../../api/sample.js';
import { useSigningKeys } from '../../api/settings.js';
import { hrefOf } from '../../location.js';
import { Page } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Time } from '../../parts/time.js';
import { words } from '../../words/en.js';
import { healthWords } from '../../words/health.js';
import { welcomeWords as texts } from '../../words/welcome.js';
import type { ScreenProps } from '../screen-props.js';
import { OwnAgent } from './own-agent.js';
import { RunSample } from './run-sample.js';
import type { Sample } from './run-sample.js';
import { SAMPLE_ACTIONS } from './sample-actions.js';
import { SampleReport } from './sample-report.js';
import { SampleRules } from './sample-rules.js';
import { Step } from './step.js';

/** `/welcome`: the first steps, each ticked by what is really there. */
export function Welcome({ session: { user, account } }: ScreenProps): ReactNode {
  const agents = useAgents();
  const free = useSample('free');
  const ruled = useSample('ruled');
  const [isVerified, setVerified] = useState(false);
  const checks = [free, ruled].flatMap(({ state }) => state?.checks ?? []);
  const anchored = checks.filter((check) => check.anchored).length;
  const [dueBy = null] = [free, ruled].flatMap(({ state }) => state?.dueBy ?? []).sort();
  const isSandbox = account.plan === 'sandbox';
  const isReady = agents.data !== undefined;
  const acting = [free, ruled].filter(({ hasRun }) => hasRun).flatMap(({ agentId }) => agentId ?? []);
  return (
    <Page title={texts.title}>
      <p className="muted">{isSandbox ? texts.sandboxLead : texts.lead}</p>
      {agents.error === null ? null : (
        <Problem what={words.agents.failed} error={agents.error} retry={() => void agents.refetch()} />
      )}
      {[free, ruled].map(({ error, retry }, n) =>
        error === null ? null : <Problem key={n} what={words.events.failed} error={error} retry={retry} />,
      )}
      <Step number={1} title={texts.run.title} lead={texts.run.lead} isDone={free.hasRun}>
        <p className="hint">{texts.run.how}</p>
        <RunSample agent="free" sample={free} labels={texts.run} role={user.role} isReady={isReady} />
        {free.agentId === null || !free.hasRun ? null : (
          <>
            <KeepActing agentId={free.agentId} role={user.role} />
            <p className="links">
              <a href={hrefOf('/events', { agent: free.agentId })}>{texts.run.all}</a>
            </p>
          </>
        )}
      </Step>
      <SampleRules free={free} ruled={ruled} role={user.role} isReady={isReady} />
      <Step
        number={3}
        title={texts.anchor.title}
        lead={texts.anchor.lead}
        isDone={free.hasRun && anchored === checks.length}
      >
        {isSandbox ? <p>{texts.anchor.sandbox}</p> : null}
        {checks.length === 0 ? null : <p role="status">{texts.anchor.state(anchored, checks.length)}</p>}
        {dueBy === null ? null : (
          <p className="hint">
            {texts.anchor.due} <Time iso={dueBy} zone />
          </p>
        )}
        <Local />
      </Step>
      {isSandbox ? (
        <Step number={4} title={texts.report.title} lead={texts.report.sandbox} isDone={false}>
          {free.agentId === null || !free.hasRun ? (
            <p className="muted">{texts.waiting}</p>
          ) : (
            <p className="links">
              <a href={hrefOf('/events', { agent: free.agentId })}>{texts.run.all}</a>
            </p>
          )}
        </Step>
      ) : (
        <SampleReport agentIds={acting} since={free.since} isDone={isVerified} onVerified={() => setVerified(true)} />
      )}
      <OwnAgent agents={agents.data} role={user.role} />
    </Page>
  );
}

/** An agent of the sample, what is recorded of it, when it was made, and why that cannot be read. */
function useSample(agent: SampleAgent): Sample & {
  readonly since: string | null;
  readonly error: Error | null;
  readonly retry: () => void;
} {
  const { data } = useAgents();
  const found = data?.find(({ name, status }) => name === SAMPLE_AGENTS[agent] && status === 'active');
  const agentId = found?.id ?? null;
  const state = useSampleState(agentId);
  return {
    agentId,
    state: state.data,
    hasRun: (state.data?.total ?? 0) >= SAMPLE_ACTIONS.length,
    since: found?.created_at ?? null,
    error: state.error,
    retry: () => void state.refetch(),
  };
}

/** Lets the agent act once a second as long as the page is open. */
function KeepActing({ agentId, role }: { readonly agentId: string; readonly role: string }): ReactNode {
  const { isActing, error, set } = useActing(agentId);
  const id = useId();
  const mayRun = role === 'admin';
  return (
    <>
      {error === null ? null : <Problem what={texts.run.failed} error={error} />}
      <p className="check">
        <input
          id={id}
          type="checkbox"
          checked={isActing}
          aria-disabled={!mayRun}
          title={mayRun ? undefined : words.needs('admin', role)}
          onChange={({ target }) => {
            if (mayRun) set(target.checked);
          }}
        />
        <label htmlFor={id}>{texts.run.keep}</label>
      </p>
    </>
  );
}

/** That anchors on a network of one's own prove nothing against who runs it. */
function Local(): ReactNode {
  const { data } = useSigningKeys();
  const isLocal = data?.anchorAuthorities.some(({ network }) => network === 'solana:localnet') === true;
  return isLocal ? <p className="hint">{healthWords.local}</p> : null;
}
