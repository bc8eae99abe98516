import { useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import type { AgentRecord } from '@countersign/contracts';
import { useAgents } from '../../api/agents.js';
import { useShortcuts } from '../../keyboard.js';
import { hrefOf, replacePlace } from '../../location.js';
import { Choice, Field } from '../../parts/field.js';
import { Problem } from '../../parts/problem.js';
import { useTitle } from '../../use-title.js';
import { words } from '../../words/en.js';
import { AgentPage } from '../agent/agent-page.js';
import type { ScreenProps } from '../screen-props.js';
import { AgentTable } from './agent-table.js';
import { FreezeDialog } from './freeze-dialog.js';

const STATES = ['active', 'frozen', 'inactive'] as const satisfies readonly AgentRecord['status'][];

const ORDERS = ['newest', 'name', 'changed'] as const;
type Order = (typeof ORDERS)[number];

const ONE = /^\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(\/history|\/playground)?$/;

/** `/agents`: all agents of the account; `/agents/{id}`: one of them. */
export function Agents(props: ScreenProps): ReactNode {
  const [, id, part = ''] = ONE.exec(props.rest) ?? [];
  const { role } = props.session.user;
  if (id === undefined) return <List {...props} />;
  return <AgentPage key={id} id={id} part={part} role={role} query={props.query} />;
}

/** Every agent, with freeze and unfreeze. */
function List({ session, query }: ScreenProps): ReactNode {
  const { role } = session.user;
  useTitle(words.agents.title);
  const agents = useAgents();
  const [asked, setAsked] = useState<AgentRecord | null>(null);
  const text = query.get('q') ?? '';
  const status = STATES.find((state) => state === query.get('status')) ?? null;
  const order = ORDERS.find((one) => one === query.get('sort')) ?? 'newest';
  const shown = useMemo(
    () => inOrder(matching(agents.data ?? [], text, status), order),
    [agents.data, text, status, order],
  );
  const show = (q: string, state: string | null, sort: string = order): void =>
    replacePlace(hrefOf('/agents', { q, status: state, sort: sort === 'newest' ? null : sort }));
  useShortcuts({ '/': () => document.querySelector<HTMLElement>('.filters input')?.focus() });
  return (
    <section className="agents" aria-labelledby="agents-title">
      <header className="screen-head">
        <h1 id="agents-title">{words.agents.title}</h1>
        <p className="count" role="status">
          {agents.data === undefined ? '' : words.agents.count(shown.length)}
        </p>
      </header>
      <search className="filters" aria-label={words.events.filters}>
        <Field
          label={words.agents.search}
          type="search"
          value={text}
          onChange={(event) => show(event.target.value, status)}
        />
        <Choice
          label={words.agents.status}
          value={status ?? ''}
          options={[['', words.agents.anyStatus], ...STATES.map((state) => [state, state] as const)]}
          onChange={(state) => show(text, state || null)}
        />
        <Choice
          label={words.agents.order}
          value={order}
          options={ORDERS.map((one) => [one, words.agents.orders[one]])}
          onChange={(one) => show(text, status, one)}
        />
      </search>
      {agents.error === null ? null : (
        <Problem what={words.agents.failed} error={agents.error} retry={() => void agents.refetch()} />
      )}
      {agents.data === undefined || shown.length > 0 ? (
        <AgentTable
          key={`${order} ${status} ${text}`}
          agents={shown}
          isLoading={agents.isPending}
          role={role}
          onAsk={setAsked}
        />
      ) : (
        <div className="empty">
          <h2>{agents.data.length === 0 ? words.agents.empty : words.agents.none}</h2>
          {agents.data.length === 0 ? <p>{words.agents.emptyLead}</p> : null}
        </div>
      )}
      {asked === null ? null : <FreezeDialog agent={asked} onClose={() => setAsked(null)} />}
    </section>
  );
}

/** @param agents newest first, as the server lists them */
function inOrder(agents: readonly AgentRecord[], order: Order): readonly AgentRecord[] {
  if (order === 'newest') return agents;
  return [...agents].sort((one, other) =>
    order === 'name' ? one.name.localeCompare(other.name) : other.updated_at < one.updated_at ? -1 : 1,
  );
}

/** Agents in a state whose name, whatever its case, or id contains a text. */
function matching(
  agents: readonly AgentRecord[],
  text: string,
  status: AgentRecord['status'] | null,
): readonly AgentRecord[] {
  const wanted = text.trim().toLocaleLowerCase();
  return agents.filter(
    (agent) =>
      (status === null || agent.status === status) &&
      (agent.name.toLocaleLowerCase().includes(wanted) || agent.id.startsWith(wanted)),
  );
}
