import { useState } from 'react';
import type { ReactNode } from 'react';
import type { AgentRecord, Role } from '@countersign/contracts';
import { useAgent } from '../../api/profile.js';
import { useShortcuts } from '../../keyboard.js';
import { go, hrefOf } from '../../location.js';
import { Foreign } from '../../parts/foreign.js';
import { Card, Page, Parts } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { agentWords } from '../../words/agent.js';
import { connectWords } from '../../words/connect.js';
import { words } from '../../words/en.js';
import { AgentStatus } from '../agents/agent-status.js';
import { FreezeButton, FreezeDialog } from '../agents/freeze-dialog.js';
import { Connect } from '../connect/connect.js';
import { AgentOverview } from './agent-overview.js';
import { History } from './history.js';
import { LeaveDialog } from './leave-dialog.js';
import { OauthClients } from './oauth-clients.js';
import { Playground } from './playground.js';
import { ProfileEditor } from './profile-editor.js';
import { Proofs } from './proofs.js';
import { AllowDraft } from './allow-draft.js';
import { useDraft } from './use-draft.js';

/** Parts of the page in the order of their links and keys; the first one is the page itself. */
const PARTS = ['', '/profile', '/history', '/playground', '/proofs', '/connect'] as const;

/** `/agents/{id}`: its state and activity; below it profile with OAuth clients, history, playground, proofs and ways to connect. */
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
  useShortcuts(Object.fromEntries(PARTS.map((one, n) => [String(n + 1), () => go(hrefOf(`/agents/${id}${one}`))])));
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
  return (
    <Loaded agent={agent.data} part={part} role={role} query={query}>
      {agent.error === null ? null : (
        <Problem what={agentWords.failed} error={agent.error} retry={() => void agent.refetch()} />
      )}
    </Loaded>
  );
}

/** The parts of an agent that was read; they share one draft of its profile. */
function Loaded({
  agent,
  part,
  role,
  query,
  children,
}: {
  readonly agent: AgentRecord;
  readonly part: string;
  readonly role: Role;
  readonly query: URLSearchParams;
  readonly children: ReactNode;
}): ReactNode {
  const [isAsking, setAsking] = useState(false);
  const draft = useDraft(agent);
  const [cases, setCases] = useState<readonly unknown[]>([]);
  const { id, name, behavior_profile: profile } = agent;
  const base = `#/agents/${id}`;
  return (
    <Page
      title={<Foreign text={name} most={120} />}
      name={agentWords.title}
      count={`${profile.mode}, ${agentWords.editor.version(profile.version)}`}
      actions={
        <>
          <AgentStatus of={agent} />
          <a href={hrefOf('/events', { agent: id })}>{agentWords.events}</a>
          <FreezeButton agent={agent} role={role} onAsk={() => setAsking(true)} />
        </>
      }
    >
      <Back />
      <Parts
        label={agentWords.parts}
        parts={PARTS.map((one) => [base + one, agentWords.partNames[one]])}
        current={`${base}${part}`}
      />
      {children}
      {part === '/history' ? (
        <History agent={agent} role={role} query={query} />
      ) : part === '/playground' ? (
        <Playground
          agentId={id}
          eventId={query.get('event')}
          draft={draft}
          onCase={(one) => setCases((all) => [...all, one])}
        />
      ) : part === '/proofs' ? (
        <Proofs agentId={id} before={numberOf(query, 'before')} />
      ) : part === '/connect' ? (
        <Card title={connectWords.title} lead={connectWords.lead}>
          <Connect agent={agent} role={role} />
        </Card>
      ) : part === '/profile' ? (
        <>
          {query.get('allow') === null ? null : <AllowDraft agentId={id} eventId={query.get('allow')!} draft={draft} />}
          <ProfileEditor agent={agent} role={role} draft={draft} cases={cases} onCases={setCases} />
          <OauthClients agent={agent} role={role} />
        </>
      ) : (
        <AgentOverview agent={agent} role={role} />
      )}
      {isAsking ? <FreezeDialog agent={agent} onClose={() => setAsking(false)} /> : null}
      {draft.isChanged ? <LeaveDialog path={`/agents/${id}`} /> : null}
    </Page>
  );
}

/** A positive number of the address; `null` if it has none. */
function numberOf(query: URLSearchParams, name: string): number | null {
  const value = Number(query.get(name) ?? NaN);
  return Number.isSafeInteger(value) && value > 0 ? value : null;
}

function Back(): ReactNode {
  return (
    <p>
      <a href="#/agents">{agentWords.back}</a>
    </p>
  );
}
