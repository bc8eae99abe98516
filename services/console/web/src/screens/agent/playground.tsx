import { useState } from 'react';
import type { ReactNode } from 'react';
import type { Explanation } from '@countersign/contracts';
import { useRecorded } from '../../api/one-event.js';
import { useExplain } from '../../api/profile.js';
import type { Explained } from '../../api/profile.js';
import { Balances } from '../../parts/balances.js';
import { Field } from '../../parts/field.js';
import { Foreign } from '../../parts/foreign.js';
import { Card } from '../../parts/page.js';
import { Copy, Problem } from '../../parts/problem.js';
import { Trace } from '../../parts/trace.js';
import { agentWords } from '../../words/agent.js';
import { sentAction } from '../events/event-words.js';
import { caseOf } from './case-of.js';
import type { PolicyCase } from './case-of.js';
import type { Draft } from './use-draft.js';

const SAMPLES: Readonly<Record<string, unknown>> = {
  'API call': { type: 'http_call', url: 'https://api.example.com/v1/customers' },
  'Tool call': { type: 'tool_use', tool_name: 'send_refund', payload: { amount: 120, currency: 'USD' } },
  Purchase: { type: 'purchase', estimatedCost: 49.9, dataScope: 'customers/payments' },
};

const ID = 'playground-action';

const { playgrounds: texts } = agentWords;

interface Tried {
  readonly agentId: string;
  readonly draft: Draft;
  readonly onCase: (one: PolicyCase) => void;
}

/** `/agents/{id}/playground?event`: an action, its answer and every rule under the profile in force, and under the draft. */
export function Playground({
  eventId,
  ...tried
}: Tried & {
  /** A recorded check to begin with; `null`: a sample. */
  readonly eventId: string | null;
}): ReactNode {
  return eventId === null ? (
    <Trial {...tried} action={SAMPLES['API call']} />
  ) : (
    <Recorded {...tried} eventId={eventId} />
  );
}

function Recorded({ eventId, ...tried }: Tried & { readonly eventId: string }): ReactNode {
  const event = useRecorded(eventId);
  if (event.error !== null) return <Problem error={event.error} retry={() => void event.refetch()} />;
  if (event.data === undefined) return null;
  const { type, action } = event.data;
  const sent = type === 'action.checked' && action !== null ? sentAction(action) : SAMPLES['API call'];
  return <Trial {...tried} action={sent} />;
}

function Trial({ agentId, draft, onCase, action: first }: Tried & { readonly action: unknown }): ReactNode {
  const [text, setText] = useState(JSON.stringify(first, null, 2));
  const [fault, setFault] = useState<string | null>(null);
  const explain = useExplain(agentId);
  const run = (given: string): void => {
    try {
      explain.mutate({ action: JSON.parse(given), changes: draft.isChanged ? draft.changes : null });
      setFault(null);
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div className="editor">
      <Card title={texts.title} lead={draft.isChanged ? texts.leadBoth : texts.lead}>
        <p className="samples">
          <span className="muted">{texts.samples}</span>
          {Object.entries(SAMPLES).map(([name, action]) => (
            <button
              key={name}
              type="button"
              className="link-button"
              onClick={() => {
                const given = JSON.stringify(action, null, 2);
                setText(given);
                run(given);
              }}
            >
              {name}
            </button>
          ))}
        </p>
        <div className="field">
          <label htmlFor={ID}>{texts.label}</label>
          <textarea
            id={ID}
            className="input area mono"
            rows={12}
            spellCheck={false}
            value={text}
            aria-invalid={fault !== null}
            aria-describedby={fault === null ? undefined : `${ID}-fault`}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if ((event.ctrlKey || event.metaKey) && event.key === 'Enter') run(text);
            }}
          />
          {fault === null ? null : (
            <p className="note" id={`${ID}-fault`} role="status">
              {texts.notJson} <Foreign text={fault} most={300} />
            </p>
          )}
        </div>
        <div className="editor-actions">
          <button type="button" className="button primary" aria-disabled={explain.isPending} onClick={() => run(text)}>
            {texts.explain}
          </button>
        </div>
      </Card>
      {explain.error === null ? null : <Problem what={texts.failed} error={explain.error} />}
      {explain.data === undefined ? null : <Answers explained={explain.data} onCase={onCase} />}
    </div>
  );
}

function Answers({
  explained: { action, inForce, draft },
  onCase,
}: {
  readonly explained: Explained;
  readonly onCase: (one: PolicyCase) => void;
}): ReactNode {
  return (
    <div className={draft === null ? 'cards' : 'answers'}>
      <Card title={draft === null ? texts.answer : texts.inForce(inForce.profileVersion)}>
        <Answer explanation={inForce} />
      </Card>
      {draft === null ? null : (
        <Card title={texts.underDraft}>
          <Answer explanation={draft} />
        </Card>
      )}
      <SaveCase action={action} explanation={draft ?? inForce} onCase={onCase} />
    </div>
  );
}

/** The action with its answer as a test case: added to those of the draft, or copied. */
function SaveCase({
  action,
  explanation,
  onCase,
}: {
  readonly action: unknown;
  readonly explanation: Explanation;
  readonly onCase: (one: PolicyCase) => void;
}): ReactNode {
  const [title, setTitle] = useState('');
  const [added, setAdded] = useState<string | null>(null);
  const name = title.trim();
  const one = caseOf(name, action, explanation);
  const add = (): void => {
    if (name === '') return;
    onCase(one);
    setAdded(name);
  };
  return (
    <Card title={texts.asCase} lead={texts.asCaseLead}>
      <Field label={texts.caseTitle} maxLength={500} value={title} onChange={(event) => setTitle(event.target.value)} />
      <div className="editor-actions">
        <p className="muted" role="status">
          {added === null ? '' : texts.added}
        </p>
        <Copy text={`- ${JSON.stringify(one)}\n`} label={texts.copyCase} />
        <button type="button" className="button" aria-disabled={name === ''} onClick={add}>
          {texts.addCase}
        </button>
      </div>
    </Card>
  );
}

function Answer({ explanation }: { readonly explanation: Explanation }): ReactNode {
  const { answer, coverage, rules } = explanation;
  const reason = 'reason' in answer && typeof answer.reason === 'string' ? answer.reason : null;
  const [tone, label] = answer.allowed
    ? 'violation_type' in answer
      ? (['held', texts.observed] as const)
      : (['good', texts.allowed] as const)
    : (['bad', texts.denied] as const);
  return (
    <div role="status">
      <p>
        <span className={`badge ${tone}`}>{label}</span>
      </p>
      {reason === null ? null : (
        <p className="sentence">
          <Foreign text={reason} most={600} />
        </p>
      )}
      {coverage === 'none' ? <p className="note">{texts.uncovered}</p> : null}
      <Balances explanation={explanation} />
      <Trace rules={rules} />
    </div>
  );
}
