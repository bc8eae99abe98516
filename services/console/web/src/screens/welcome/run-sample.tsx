import { useState } from 'react';
import type { ReactNode } from 'react';
import { PACE_MS, useSampleRun } from '../../api/sample.js';
import type { SampleAgent, SampleState } from '../../api/sample.js';
import { hrefOf } from '../../location.js';
import { Foreign } from '../../parts/foreign.js';
import { Icon } from '../../parts/icons.js';
import { Problem } from '../../parts/problem.js';
import { Time } from '../../parts/time.js';
import { words } from '../../words/en.js';
import { welcomeWords } from '../../words/welcome.js';
import { actionLine, outcomeOf } from '../events/event-words.js';
import { SAMPLE_ACTIONS } from './sample-actions.js';

const texts = welcomeWords.run;
const SHOWN = 6;

/** An agent of the sample, and what is recorded of it. */
export interface Sample {
  /** `null`: it is not made yet. */
  readonly agentId: string | null;
  readonly state: SampleState | undefined;
  /** It has asked about all actions. */
  readonly hasRun: boolean;
}

/** The buttons that let an agent of the sample act, its progress, and its newest checks. */
export function RunSample({
  agent,
  sample: { agentId, state, hasRun },
  labels,
  role,
  isReady,
}: {
  readonly agent: SampleAgent;
  readonly sample: Sample;
  readonly labels: { readonly action: string; readonly again: string };
  readonly role: string;
  /** Agents are read, so that none is made twice. */
  readonly isReady: boolean;
}): ReactNode {
  const run = useSampleRun(agent);
  const [checked, setChecked] = useState(0);
  const mayRun = role === 'admin';
  const isOff = !mayRun || !isReady || run.isPending;
  const needs = mayRun ? undefined : words.needs('admin', role);
  const start = (paceMs: number): void => {
    if (isOff) return;
    setChecked(0);
    run.mutate({ agentId, paceMs, onChecked: setChecked });
  };
  const denied = state?.checks.filter(({ outcome }) => outcome === 'denied').length ?? 0;
  const progress = texts.progress(checked, SAMPLE_ACTIONS.length);
  return (
    <>
      {run.error === null ? null : <Problem what={texts.failed} error={run.error} />}
      {run.isPending ? (
        <>
          <progress className="step-bar" max={SAMPLE_ACTIONS.length} value={checked} aria-label={progress} />
          <p className="hint">{progress}</p>
        </>
      ) : null}
      {state === undefined || state.total === 0 ? null : (
        <>
          <Newest state={state} />
          {run.isPending ? null : <p role="status">{texts.result(state.total, denied)}</p>}
        </>
      )}
      <p className="links">
        <button
          type="button"
          className={`button ${hasRun ? '' : 'primary'}`}
          aria-disabled={isOff}
          title={needs}
          onClick={() => start(PACE_MS)}
        >
          {hasRun ? labels.again : labels.action}
        </button>
        <button type="button" className="button" aria-disabled={isOff} title={needs} onClick={() => start(0)}>
          {texts.atOnce}
        </button>
      </p>
    </>
  );
}

/** The newest checks, as the list of events shows them. */
function Newest({ state }: { readonly state: SampleState }): ReactNode {
  return (
    <ol className="newest" aria-label={texts.newest}>
      {state.checks.slice(0, SHOWN).map((event) => {
        const { label, tone } = outcomeOf(event);
        return (
          <li key={event.eventId}>
            <a href={hrefOf(`/events/${event.eventId}`)}>
              <Time iso={event.occurredAt} />
            </a>
            <span className="mono">
              <Foreign text={actionLine(event) ?? '–'} most={120} />
            </span>
            <span className={`badge ${tone}`}>{label}</span>
            <span className={event.anchored ? 'cell-proof anchored' : 'cell-proof'}>
              <Icon name={event.anchored ? 'check' : 'clock'} />
              {event.anchored ? words.events.anchored : words.events.pendingShort}
            </span>
          </li>
        );
      })}
    </ol>
  );
}
