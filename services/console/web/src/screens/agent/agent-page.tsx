import { useState } from 'react';
import type { ReactNode } from 'react';
import type { Role } from '@countersign/contracts';
import { useAgent } from '../../api/profile.js';
import { client } from '../../api/client.js';
import { hrefOf } from '../../location.js';
import { Foreign } from '../../parts/foreign.js';
import { Page, Parts } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { agentWords } from '../../words/agent.js';
import { words } from '../../words/en.js';
import { FreezeButton, FreezeDialog } from '../agents/freeze-dialog.js';
import { History } from './history.js';
import { OauthClients } from './oauth-clients.js';
import { Playground } from './playground.js';
import { ProfileEditor } from './profile-editor.js';

const TONES = { active: 'good', frozen: 'bad', inactive: 'plain' } as const;

/** `/agents/{id}`: its profile and its OAuth clients; below it history and playground. */
export function AgentPage({
  id,
  part,
  role,
  query,
}: {
  readonly id: string;
  /** The rest of the path: `` or `/…`. */
  readonly part: string;
  readonly role: Role;
  readonly query: URLSearchParams;
}): ReactNode {
  const agent = useAgent(id);
  const [isAsking, setAsking] = useState(false);
  if (agent.data === undefined) {
    return (
      <Page title={agentWords.title}>
        <Back />
        {agent.error === null ? (
          <p className="late" role="status">
            {words.loading}
          </p>
        ) : (
          <Problem what={agentWords.failed} error={agent.error} retry={() => void agent.refetch()} />
        )}
      </Page>
    );
  }
  const { name, status, behavior_profile: profile } = agent.data;
  const shown = Number(query.get('version') ?? NaN);
  const close = (): void => {
    setAsking(false);
    void client.invalidateQueries({ queryKey: ['agent', id] });
  };
  const base = `#/agents/${id}`;
  return (
    <Page
      title={<Foreign text={name} most={120} />}
      name={agentWords.title}
      count={`${profile.mode}, ${agentWords.editor.version(profile.version)}`}
      actions={
        <>
          <span className={`badge ${TONES[status]}`}>{status}</span>
          <a href={hrefOf('/events', { agent: id })}>{agentWords.events}</a>
          <FreezeButton agent={agent.data} role={role} onAsk={() => setAsking(true)} />
        </>
      }
    >
      <Back />
      <Parts
        label={agentWords.parts}
        parts={[
          [base, agentWords.profile],
          [`${base}/history`, agentWords.history],
          [`${base}/playground`, agentWords.playground],
        ]}
        current={`${base}${part}`}
      />
      {agent.error === null ? null : (
        <Problem what={agentWords.failed} error={agent.error} retry={() => void agent.refetch()} />
      )}
      {part === '/history' ? (
        <History agent={agent.data} role={role} shown={Number.isSafeInteger(shown) && shown > 0 ? shown : null} />
      ) : part === '/playground' ? (
        <Playground agentId={id} eventId={query.get('event')} />
      ) : (
        <>
          <ProfileEditor agent={agent.data} role={role} />
          <OauthClients agent={agent.data} role={role} />
        </>
      )}
      {isAsking ? <FreezeDialog agent={agent.data} onClose={close} /> : null}
    </Page>
  );
}

function Back(): ReactNode {
  return (
    <p>
      <a href="#/agents">{agentWords.back}</a>
    </p>
  );
}
