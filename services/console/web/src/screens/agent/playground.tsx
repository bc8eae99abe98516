import { useState } from 'react';
import type { ReactNode } from 'react';
import type { Explanation } from '@countersign/contracts';
import { useRecorded } from '../../api/one-event.js';
import { useExplain } from '../../api/profile.js';
import { Balances } from '../../parts/balances.js';
import { Foreign } from '../../parts/foreign.js';
import { Card } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Trace } from '../../parts/trace.js';
import { agentWords } from '../../words/agent.js';
import { sentAction } from '../events/event-words.js';

const SAMPLES: Readonly<Record<string, unknown>> = {
  'API call': { type: 'http_call', url: 'https://api.example.com/v1/customers' },
  'Tool call': { type: 'tool_use', tool_name: 'send_refund', payload: { amount: 120, currency: 'USD' } },
  Purchase: { type: 'purchase', estimatedCost: 49.9, dataScope: 'customers/payments' },
};

const ID = 'playground-action';

/** `/agents/{id}/playground?event`: an action, its answer under the profile in force, and every rule. */
export function Playground({
  agentId,
  eventId,
}: {
  readonly agentId: string;
  /** A recorded check to begin with; `null`: a sample. */
  readonly eventId: string | null;
}): ReactNode {
  return eventId === null ? (
    <Trial agentId={agentId} action={SAMPLES['API call']} />
  ) : (
    <Recorded agentId={agentId} eventId={eventId} />
  );
}

function Recorded({ agentId, eventId }: { readonly agentId: string; readonly eventId: string }): ReactNode {
  const event = useRecorded(eventId);
  if (event.error !== null) return <Problem error={event.error} retry={() => void event.refetch()} />;
  if (event.data === undefined) return null;
  const { type, action } = event.data;
  const sent = type === 'action.checked' && action !== null ? sentAction(action) : SAMPLES['API call'];
  return <Trial agentId={agentId} action={sent} />;
}

function Trial({ agentId, action: first }: { readonly agentId: string; readonly action: unknown }): ReactNode {
  const [text, setText] = useState(JSON.stringify(first, null, 2));
  const [fault, setFault] = useState<string | null>(null);
  const explain = useExplain(agentId);
  const { playgrounds: texts, editor } = agentWords;
  const run = (given: string): void => {
    try {
      explain.mutate(JSON.parse(given));
      setFault(null);
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <div className="editor">
      <Card title={texts.title} lead={texts.lead}>
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
              {editor.notJson} <Foreign text={fault} most={300} />
            </p>
          )}
        </div>
        <div className="editor-actions">
          <button type="button" className="button primary" aria-disabled={explain.isPending} onClick={() => run(text)}>
            {texts.explain}
          </button>
        </div>
      </Card>
      <Card title={texts.answer}>
        {explain.error === null ? null : <Problem what={texts.failed} error={explain.error} />}
        {explain.data === undefined ? null : <Answer explanation={explain.data} />}
      </Card>
    </div>
  );
}

function Answer({ explanation }: { readonly explanation: Explanation }): ReactNode {
  const { answer, coverage, rules } = explanation;
  const { playgrounds: texts } = agentWords;
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
