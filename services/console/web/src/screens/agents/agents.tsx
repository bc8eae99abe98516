import { useState } from 'react';
import type { ReactNode } from 'react';
import type { AgentRecord } from '@countersign/contracts';
import { useAgents } from '../../api/agents.js';
import { hrefOf, replacePlace } from '../../location.js';
import { Choice, Field } from '../../parts/field.js';
import { Problem } from '../../parts/problem.js';
import { useTitle } from '../../use-title.js';
import { words } from '../../words/en.js';
import { AgentPage } from '../agent/agent-page.js';
import { useQuiet } from '../../parts/use-quiet.js';
import type { ScreenProps } from '../screen-props.js';
import { AgentTable } from './agent-table.js';
import { FreezeDialog } from './freeze-dialog.js';

const STATES = ['active', 'frozen', 'inactive'] as const satisfies readonly AgentRecord['status'][];

const ORDERS = ['created_at', 'name'] as const;
type Order = (typeof ORDERS)[number];

/** Longest text that the server searches for. */
const MOST_TEXT = 200;

/** How long typing rests before it is looked up, ms. */
const REST_MS = 200;

const ONE = /^\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(\/(?:profile|history|playground|proofs|connect))?$/;

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
  const [asked, setAsked] = useState<AgentRecord | null>(null);
  const text = query.get('q') ?? '';
  const status = STATES.find((state) => state === query.get('status')) ?? null;
  const order: Order = ORDERS.find((one) => one === query.get('sort')) ?? 'created_at';
  const typed = text.trim().slice(0, MOST_TEXT);
  const looked = useQuiet(typed, REST_MS);
  const agents = useAgents({ q: looked, status, sort: order });
  // Until the server's answer to what is typed is there, those of the last answer that have it.
  const isBehind = typed !== looked || agents.isPlaceholderData;
  const rows = isBehind ? agents.data?.filter((agent) => hasText(agent, typed)) : agents.data;
  const isFiltered = looked !== '' || status !== null;
  const show = (q: string, state: string | null, sort: string = order): void =>
    replacePlace(hrefOf('/agents', { q, status: state, sort: sort === 'created_at' ? null : sort }));
  return (
    <section className="agents" aria-labelledby="agents-title">
      <header className="screen-head">
        <h1 id="agents-title">{words.agents.title}</h1>
        <p className="count" role="status">
          {rows === undefined || isBehind ? '' : words.agents.count(rows.length)}
        </p>
      </header>
      <search className="filters" aria-label={words.events.filters}>
        <Field
          label={words.agents.search}
          type="search"
          maxLength={MOST_TEXT}
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
      {rows === undefined || rows.length > 0 || isBehind ? (
        <AgentTable
          key={`${order} ${status} ${looked}`}
          agents={rows ?? []}
          isLoading={agents.isPending || (isBehind && rows?.length === 0)}
          role={role}
          onAsk={setAsked}
        />
      ) : (
        <div className="empty">
          <h2>{isFiltered ? words.agents.none : words.agents.empty}</h2>
          {isFiltered ? null : <p>{words.agents.emptyLead}</p>}
        </div>
      )}
      {asked === null ? null : <FreezeDialog agent={asked} onClose={() => setAsked(null)} />}
    </section>
  );
}

/** As the server compares. */
function hasText({ name, id }: AgentRecord, text: string): boolean {
  return folded(`${name}\n${id}`).includes(folded(text));
}

function folded(text: string): string {
  return text.normalize('NFC').toUpperCase();
}
