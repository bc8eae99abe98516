import { useState } from 'react';
import type { ReactNode } from 'react';
import type { AgentRecord, Role } from '@countersign/contracts';
import { useNewAgent } from '../../api/agents.js';
import { useNewestCheck } from '../../api/newest-check.js';
import { SAMPLE_AGENTS } from '../../api/sample.js';
import { shownText } from '../../foreign-text.js';
import { Choice } from '../../parts/field.js';
import { Problem } from '../../parts/problem.js';
import { words } from '../../words/en.js';
import { welcomeWords } from '../../words/welcome.js';
import { Connect } from '../connect/connect.js';
import { Step } from './step.js';

const { own: texts } = welcomeWords;
const SAMPLES: readonly string[] = Object.values(SAMPLE_AGENTS);
/** Most agents to choose among: others have the same texts on their own page. */
const MOST = 50;

/** Connects an agent that is not of the sample: the newest one unless another is chosen, or a new one where there is none. */
export function OwnAgent({
  agents,
  role,
}: {
  /** Newest first; `undefined` until they are read. */
  readonly agents: readonly AgentRecord[] | undefined;
  readonly role: Role;
}): ReactNode {
  const [chosen, setChosen] = useState<string | null>(null);
  const make = useNewAgent();
  const own = (agents ?? []).filter(({ name, status }) => status !== 'inactive' && !SAMPLES.includes(name));
  const agent = own.find(({ id }) => id === chosen) ?? own[0];
  // An agent that is made meanwhile does not take the place of the one whose key is shown.
  if (agent !== undefined && chosen !== agent.id) setChosen(agent.id);
  const isOff = role === 'auditor' || agents === undefined || make.isPending;
  const links = (
    <p className="links">
      <a href="#/settings/api-keys">{texts.keys}</a>
      <a href="docs">{texts.api}</a>
      <a href="#/coverage">{texts.coverage}</a>
    </p>
  );
  if (agent === undefined) {
    return (
      <Step number={5} title={texts.title} lead={texts.lead} isDone={false}>
        {make.error === null ? null : <Problem what={texts.failed} error={make.error} />}
        <button
          type="button"
          className="button"
          aria-disabled={isOff}
          title={role === 'auditor' ? words.needs('member', role) : undefined}
          onClick={() => (isOff ? undefined : make.mutate(texts.name))}
        >
          {texts.make}
        </button>
        {links}
      </Step>
    );
  }
  return (
    <ConnectedStep agentId={agent.id}>
      {own.length > 1 ? (
        <Choice
          label={texts.agent}
          value={agent.id}
          options={own.slice(0, MOST).map(({ id, name }) => [id, shownText(name, 60).text] as const)}
          onChange={setChosen}
        />
      ) : null}
      <Connect key={agent.id} agent={agent} role={role} />
      {links}
    </ConnectedStep>
  );
}

/** Ticked once the agent has a check. */
function ConnectedStep({ agentId, children }: { readonly agentId: string; readonly children: ReactNode }): ReactNode {
  const { data = null } = useNewestCheck(agentId);
  return (
    <Step number={5} title={texts.title} lead={texts.lead} isDone={data !== null}>
      {children}
    </Step>
  );
}
