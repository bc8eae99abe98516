import { useState } from 'react';
import type { ReactNode } from 'react';
import type { AgentRecord, Role } from '@countersign/contracts';
import { useNewestCheck } from '../../api/newest-check.js';
import { useNewApiKey } from '../../api/settings.js';
import { hrefOf } from '../../location.js';
import { Icon } from '../../parts/icons.js';
import { Copy, Problem } from '../../parts/problem.js';
import { maskedSecret } from '../../parts/secret.js';
import { Switch } from '../../parts/switch.js';
import { Time } from '../../parts/time.js';
import { connectWords as texts } from '../../words/connect.js';
import { words } from '../../words/en.js';
import { outcomeOf } from '../events/event-words.js';
import { baseUrlOf, snippetOf, SNIPPETS } from './snippets.js';

/**
 * How a program asks before it acts as an agent: snippets with its id and a key for it alone, and whether its first check has
 * come. The key is in the state of this component alone.
 */
export function Connect({ agent, role }: { readonly agent: AgentRecord; readonly role: Role }): ReactNode {
  const [name, setName] = useState<(typeof SNIPPETS)[number]>('curl');
  const [isShown, setShown] = useState(false);
  const issue = useNewApiKey();
  const key = issue.data?.key ?? null;
  const mayIssue = role === 'admin';
  const make = (): void => {
    if (!mayIssue || issue.isPending) return;
    issue.mutate({ name: texts.keyName(agent.id), agentIds: [agent.id], rights: ['check', 'outcome', 'scan'] });
  };
  const snippet = (apiKey: string): string =>
    snippetOf(name, { baseUrl: baseUrlOf(document.baseURI), agentId: agent.id, apiKey });
  if (agent.status === 'inactive') return <p className="muted">{texts.inactive}</p>;
  return (
    <div className="connect">
      {agent.status === 'frozen' ? <p className="note">{texts.frozen}</p> : null}
      {key === null ? (
        <p className="connect-key">
          <button
            type="button"
            className="button primary"
            aria-disabled={!mayIssue || issue.isPending}
            title={mayIssue ? undefined : words.needs('admin', role)}
            onClick={make}
          >
            {texts.make}
          </button>
          <span className="hint">{texts.makeHint}</span>
        </p>
      ) : (
        <p className="connect-key" role="status">
          <button type="button" className="button" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
            {isShown ? words.hide : words.show}
          </button>
          <span>{texts.made}</span> <Copy text={key} label={texts.copyKey} />
        </p>
      )}
      {issue.error === null ? null : <Problem what={texts.failed} error={issue.error} />}
      <Switch
        label={texts.ways}
        options={SNIPPETS.map((one) => [one, texts.names[one]] as const)}
        value={name}
        isWrapping
        onChange={setName}
      />
      <p className="hint">{texts.notes[name]}</p>
      <pre className="code" tabIndex={0} aria-label={texts.names[name]}>
        {snippet(key === null ? texts.noKey : isShown ? key : maskedSecret(key))}
      </pre>
      <p>
        <Copy key={name} text={snippet(key ?? texts.noKey)} label={texts.copy(texts.names[name])} />
      </p>
      <FirstCheck agentId={agent.id} />
    </div>
  );
}

/** Waits for a check of the agent, and says that it is there. */
function FirstCheck({ agentId }: { readonly agentId: string }): ReactNode {
  const newest = useNewestCheck(agentId);
  if (newest.error !== null && newest.data === undefined) {
    return <Problem what={words.events.failed} error={newest.error} retry={() => void newest.refetch()} />;
  }
  const check = newest.data ?? null;
  return (
    <p role="status" className={check === null ? 'proof' : 'proof anchored'}>
      <Icon name={check === null ? 'clock' : 'check'} />
      {check === null ? (
        <span>{newest.data === undefined ? words.loading : texts.waiting}</span>
      ) : (
        <span>
          {texts.there(outcomeOf(check).label)} <Time iso={check.occurredAt} zone />{' '}
          <a href={hrefOf(`/events/${check.eventId}`)}>{texts.open}</a>
        </span>
      )}
    </p>
  );
}
