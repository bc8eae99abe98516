import { useState } from 'react';
import type { ReactNode } from 'react';
import { useAgents } from '../../api/agents.js';
import { SAMPLE_AGENT, useSampleRun, useSampleState } from '../../api/sample.js';
import type { SampleState } from '../../api/sample.js';
import { useSigningKeys } from '../../api/settings.js';
import { hrefOf } from '../../location.js';
import { Page } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Time } from '../../parts/time.js';
import { words } from '../../words/en.js';
import { healthWords } from '../../words/health.js';
import { welcomeWords as texts } from '../../words/welcome.js';
import type { ScreenProps } from '../screen-props.js';
import { SAMPLE_ACTIONS } from './sample-actions.js';
import { SampleReport } from './sample-report.js';
import { Step } from './step.js';

/** `/welcome`: the first steps, each ticked by what is really there. */
export function Welcome({ session: { user, account } }: ScreenProps): ReactNode {
  const agents = useAgents();
  const agent = agents.data?.find(({ name, status }) => name === SAMPLE_AGENT && status === 'active');
  const agentId = agent?.id ?? null;
  const state = useSampleState(agentId);
  const [isVerified, setVerified] = useState(false);
  const { data } = state;
  const checks = data?.checks ?? [];
  const hasRun = checks.length >= SAMPLE_ACTIONS.length;
  const anchored = checks.filter((check) => check.anchored).length;
  const isSandbox = account.plan === 'sandbox';
  return (
    <Page title={texts.title}>
      <p className="muted">{isSandbox ? texts.sandboxLead : texts.lead}</p>
      {agents.error === null ? null : (
        <Problem what={words.agents.failed} error={agents.error} retry={() => void agents.refetch()} />
      )}
      {state.error === null ? null : (
        <Problem what={words.events.failed} error={state.error} retry={() => void state.refetch()} />
      )}
      <Run agentId={agentId} state={data} isDone={hasRun} role={user.role} isReady={agents.data !== undefined} />
      <Step number={2} title={texts.see.title} lead={texts.see.lead} isDone={hasRun}>
        {agentId === null || !hasRun ? (
          <p className="muted">{texts.see.waiting}</p>
        ) : (
          <p className="links">
            <a href={hrefOf('/events', { agent: agentId })}>{texts.see.all}</a>
            <a href={hrefOf('/events', { agent: agentId, outcome: 'denied' })}>{texts.see.denied}</a>
            <a href={hrefOf(`/agents/${agentId}`)}>{texts.see.profile}</a>
          </p>
        )}
      </Step>
      <Step
        number={3}
        title={texts.anchor.title}
        lead={texts.anchor.lead}
        isDone={hasRun && anchored === checks.length}
      >
        {isSandbox ? <p>{texts.anchor.sandbox}</p> : null}
        {checks.length === 0 ? null : <p role="status">{texts.anchor.state(anchored, checks.length)}</p>}
        {data === undefined || data.dueBy === null ? null : (
          <p className="hint">
            {texts.anchor.due} <Time iso={data.dueBy} zone />
          </p>
        )}
        <Local />
      </Step>
      {isSandbox ? (
        <Step number={4} title={texts.report.title} lead={texts.report.sandbox} isDone={false}>
          {agentId === null || !hasRun ? (
            <p className="muted">{texts.see.waiting}</p>
          ) : (
            <p className="links">
              <a href={hrefOf('/events', { agent: agentId })}>{texts.see.all}</a>
            </p>
          )}
        </Step>
      ) : (
        <SampleReport
          agentId={hasRun ? agentId : null}
          since={agent?.created_at ?? null}
          isDone={isVerified}
          onVerified={() => setVerified(true)}
        />
      )}
      <Step number={5} title={texts.own.title} lead={texts.own.lead} isDone={false}>
        <p className="links">
          <a href="#/settings">{texts.own.keys}</a>
          <a href="docs">{texts.own.api}</a>
          <a href="#/coverage">{texts.own.coverage}</a>
        </p>
      </Step>
    </Page>
  );
}

function Run({
  agentId,
  state,
  isDone,
  role,
  isReady,
}: {
  readonly agentId: string | null;
  readonly state: SampleState | undefined;
  readonly isDone: boolean;
  readonly role: string;
  /** Agents are read, so that no second sample agent is made. */
  readonly isReady: boolean;
}): ReactNode {
  const run = useSampleRun();
  const [checked, setChecked] = useState(0);
  const mayRun = role === 'admin';
  const start = (): void => {
    if (!mayRun || !isReady || run.isPending) return;
    setChecked(0);
    run.mutate({ agentId, onChecked: setChecked });
  };
  const denied = state?.checks.filter(({ outcome }) => outcome === 'denied').length ?? 0;
  return (
    <Step number={1} title={texts.run.title} lead={texts.run.lead} isDone={isDone && !run.isPending}>
      <p className="hint">{texts.run.how}</p>
      {run.error === null ? null : <Problem what={texts.run.failed} error={run.error} />}
      {run.isPending ? (
        <>
          <progress
            className="step-bar"
            max={SAMPLE_ACTIONS.length}
            value={checked}
            aria-label={texts.run.progress(checked, SAMPLE_ACTIONS.length)}
          />
          <p className="hint">{texts.run.progress(checked, SAMPLE_ACTIONS.length)}</p>
        </>
      ) : null}
      {state === undefined || state.total === 0 || run.isPending ? null : (
        <p role="status">{texts.run.result(state.total, denied)}</p>
      )}
      <button
        type="button"
        className={`button ${isDone ? '' : 'primary'}`}
        aria-disabled={!mayRun || !isReady || run.isPending}
        title={mayRun ? undefined : words.needs('admin', role)}
        onClick={start}
      >
        {isDone ? texts.run.again : texts.run.action}
      </button>
    </Step>
  );
}

/** That anchors on a network of one's own prove nothing against who runs it. */
function Local(): ReactNode {
  const { data } = useSigningKeys();
  const isLocal = data?.anchorAuthorities.some(({ network }) => network === 'solana:localnet') === true;
  return isLocal ? <p className="hint">{healthWords.local}</p> : null;
}
