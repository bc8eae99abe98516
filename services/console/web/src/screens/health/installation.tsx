import type { ReactNode } from 'react';
import type { InstallationState, Role } from '@countersign/contracts';
import { isOff, useInstallation } from '../../api/installation.js';
import { Foreign } from '../../parts/foreign.js';
import { Card } from '../../parts/page.js';
import { Copy, Problem } from '../../parts/problem.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { number } from '../../words/en.js';
import { installationWords } from '../../words/installation.js';
import { figuresText, LAG_MESSAGES, linesOf } from './installation-lines.js';
import type { Line, Runbook, Tone } from './installation-lines.js';

type Service = InstallationState['services'][number];

const TONES = { ready: 'good', waiting: 'bad', unknown: 'bad' } as const;

/** The services of the installation and their figures, for admins. */
export function Installation({ role }: { readonly role: Role }): ReactNode {
  const { data, error, refetch } = useInstallation(role);
  if (role !== 'admin') return null;
  if (isOff(error)) return <Off />;
  const isOld = error !== null;
  return (
    <>
      {isOld ? <Problem what={installationWords.failed} error={error} retry={() => void refetch()} /> : null}
      {data === undefined ? null : <Figures state={data} isOld={isOld} />}
      {data === undefined ? null : <Services state={data} isOld={isOld} />}
    </>
  );
}

function Off(): ReactNode {
  return (
    <Card title={installationWords.title}>
      <p>
        <strong>{installationWords.off}.</strong> {installationWords.offLead} <code>{installationWords.variable}</code>{' '}
        <Copy text={installationWords.variable} />
      </p>
      <p className="hint">{installationWords.offDistributed}</p>
    </Card>
  );
}

interface Shown {
  readonly state: InstallationState;
  /** The last question failed: what was read before is no statement about now. */
  readonly isOld: boolean;
}

function Services({ state, isOld }: Shown): ReactNode {
  const { columns } = installationWords;
  const lag = new Map(state.consumerLag.map(({ service, messages }) => [service, messages]));
  return (
    <Card title={installationWords.title}>
      <Table<Service>
        label={installationWords.title}
        rows={state.services}
        keyOf={({ name }) => name}
        columns={[
          { name: columns.service, cell: ({ name }) => <Foreign text={name} most={120} /> },
          {
            name: columns.state,
            cell: ({ state: one }) =>
              isOld ? (
                <Mark tone="held" text={installationWords.stateBefore} />
              ) : (
                <Mark tone={TONES[one]} text={installationWords.states[one]} />
              ),
          },
          { name: columns.waits, cell: (service) => <Waits service={service} isOld={isOld} /> },
          {
            name: columns.lag,
            isNumber: true,
            cell: ({ name }) => <Lag messages={lag.get(name)} isOld={isOld} />,
          },
        ]}
      />
    </Card>
  );
}

function Waits({ service, isOld }: { readonly service: Service; readonly isOld: boolean }): ReactNode {
  const { name, state, waitingFor, problem } = service;
  const reasons = problem === null ? waitingFor : [...waitingFor, problem];
  if (reasons.length === 0) return <span className="muted">–</span>;
  return (
    <div>
      <ul className="reasons">
        {reasons.map((reason) => (
          <li key={reason}>
            <Foreign text={reason} most={500} />
          </li>
        ))}
      </ul>
      {state === 'ready' || isOld ? null : <RunbookLink runbook="instance-down" what={name} />}
    </div>
  );
}

function Lag({ messages, isOld }: { readonly messages: number | undefined; readonly isOld: boolean }): ReactNode {
  if (messages === undefined) return '–';
  if (isOld || messages <= LAG_MESSAGES) return number(messages);
  return (
    <div>
      <Mark tone="bad" text={number(messages)} />{' '}
      <RunbookLink runbook="consumer-lag" what={installationWords.columns.lag} />
    </div>
  );
}

function Figures({ state, isOld }: Shown): ReactNode {
  return (
    <Card
      title={installationWords.figures}
      lead={isOld ? installationWords.stale : installationWords.lead}
      actions={
        <>
          <span className="muted small">
            {installationWords.asOf} <Time iso={state.asOf} zone />
          </span>
          <Copy text={figuresText(state)} label={installationWords.copy} />
        </>
      }
    >
      <Table<Line>
        label={installationWords.figures}
        rows={linesOf(state)}
        keyOf={({ name }) => name}
        columns={[
          { name: installationWords.figure, cell: ({ name }) => <Foreign text={name} most={200} /> },
          {
            name: installationWords.value,
            cell: ({ text, tone }) => <Mark tone={isOld ? 'held' : tone} text={text} />,
          },
          {
            name: installationWords.runbookColumn,
            cell: ({ name, tone, runbook }) =>
              tone !== 'bad' || isOld ? (
                <span className="muted">–</span>
              ) : (
                <RunbookLink runbook={runbook} what={name} />
              ),
          },
        ]}
      />
    </Card>
  );
}

function Mark({ text, tone }: { readonly text: string; readonly tone: Tone }): ReactNode {
  return (
    <span>
      <span className={`state-mark ${tone}`} aria-hidden="true" />
      {text}
    </span>
  );
}

function RunbookLink({ runbook, what }: { readonly runbook: Runbook; readonly what: string }): ReactNode {
  return (
    <a href={`console/runbook-${runbook}.txt`} target="_blank" rel="noopener noreferrer">
      {installationWords.runbook}
      <span className="hidden"> {what}</span>
    </a>
  );
}
