import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import type { EventRecord } from '@countersign/contracts';
import { jsonText } from '../../foreign-text.js';
import { useShortcuts } from '../../keyboard.js';
import { hrefOf } from '../../location.js';
import { Foreign } from '../../parts/foreign.js';
import { Icon } from '../../parts/icons.js';
import { Copy } from '../../parts/problem.js';
import { Time } from '../../parts/time.js';
import { asWords, number, words } from '../../words/en.js';
import { agentName, outcomeOf, sentenceOf } from './event-words.js';

interface PanelProps {
  readonly id: string;
  /** `null`: it is not among the events that were read. */
  readonly event: EventRecord | null;
  readonly isSearching: boolean;
  readonly names: ReadonlyMap<string, string>;
  readonly onMove: (by: 1 | -1) => void;
  readonly onClose: () => void;
}

/** One event beside the list. */
export function EventPanel({ id, event, isSearching, names, onMove, onClose }: PanelProps): ReactNode {
  const title = useRef<HTMLHeadingElement>(null);
  useShortcuts({ n: () => onMove(1), p: () => onMove(-1) });
  useEffect(() => {
    // Where the panel covers the list, the row that had the focus is hidden.
    if (document.activeElement === document.body || !isShown(document.activeElement)) title.current?.focus();
  }, []);
  return (
    <aside className="panel" aria-label={words.event.title}>
      <header className="panel-head">
        <h2 ref={title} tabIndex={-1}>
          {words.event.title}
        </h2>
        <div className="head-actions">
          <button type="button" className="icon-button" aria-label={words.event.previous} onClick={() => onMove(-1)}>
            <Icon name="up" />
          </button>
          <button type="button" className="icon-button" aria-label={words.event.next} onClick={() => onMove(1)}>
            <Icon name="down" />
          </button>
          <button type="button" className="icon-button" aria-label={words.close} onClick={onClose}>
            <Icon name="close" />
          </button>
        </div>
      </header>
      {event === null ? (
        <div className="panel-body">
          <p role="status">{isSearching ? words.loading : words.event.gone}</p>
          <p className="mono small">{id}</p>
        </div>
      ) : (
        <Shown event={event} names={names} />
      )}
    </aside>
  );
}

function isShown(element: Element | null): boolean {
  return element !== null && element.getClientRects().length > 0;
}

function Shown({
  event,
  names,
}: {
  readonly event: EventRecord;
  readonly names: ReadonlyMap<string, string>;
}): ReactNode {
  const { label, tone } = outcomeOf(event);
  const name = agentName(event.agentId, names);
  const { fields, sections } = words.event;
  return (
    // Focusable, so that it can be scrolled by keyboard.
    <div className="panel-body" tabIndex={0} role="group" aria-label={sections.decision}>
      <p>
        <span className={`badge ${tone}`}>{label}</span>
      </p>
      <p className="sentence">
        <Foreign text={sentenceOf(event, name)} />
      </p>
      <dl className="facts">
        {event.reason === null ? null : (
          <Fact name={fields.reason}>
            <Foreign text={event.reason} />
          </Fact>
        )}
        {event.detail === null ? null : (
          <Fact name={fields.detail}>
            <Foreign text={event.detail} />
          </Fact>
        )}
        {event.violation_type === null ? null : <Fact name={fields.violation}>{asWords(event.violation_type)}</Fact>}
        {event.severity === null ? null : <Fact name={fields.severity}>{event.severity}</Fact>}
        <Fact name={fields.agent}>
          <a href={hrefOf('/events', { agent: event.agentId })}>
            <Foreign text={name} most={200} />
          </a>
        </Fact>
        <Fact name={fields.time}>
          <Time iso={event.occurredAt} zone />
          {event.ahead === true ? <span className="note">{words.events.ahead}</span> : null}
        </Fact>
        {event.profileVersion === null ? null : <Fact name={fields.profile}>{number(event.profileVersion)}</Fact>}
      </dl>
      <h3>{sections.action}</h3>
      <Action event={event} />
      <h3>{sections.proof}</h3>
      <p className={event.anchored ? 'proof anchored' : 'proof'}>
        <Icon name={event.anchored ? 'check' : 'clock'} />
        {event.anchored ? words.event.anchored : words.event.pending}
      </p>
      <dl className="facts">
        <Fact name={fields.sequence}>{number(event.sequence)}</Fact>
        <Fact name={fields.id}>
          <code>{event.eventId}</code> <Copy text={event.eventId} />
        </Fact>
        {event.refersTo === null ? null : (
          <Fact name={fields.refersTo}>
            <code>{event.refersTo}</code>
          </Fact>
        )}
        {event.payloadSha256 === null ? null : (
          <Fact name={fields.commitment}>
            <code>{event.payloadSha256}</code> <Copy text={event.payloadSha256} />
          </Fact>
        )}
      </dl>
      <details className="raw">
        <summary>{sections.raw}</summary>
        <Copy text={JSON.stringify(event, null, 2)} />
        <Code value={event} />
      </details>
    </div>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div className="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Action({ event: { action, type } }: { readonly event: EventRecord }): ReactNode {
  if (action === null) {
    return <p className="muted">{type === 'action.checked' ? words.event.erased : words.event.noContent}</p>;
  }
  if (type !== 'action.checked') return <Code value={action} />;
  const sent = (Object.entries(action as object) as [string, unknown][]).filter(([, value]) => value !== null);
  return sent.length === 0 ? (
    <p className="muted">{words.event.noContent}</p>
  ) : (
    <dl className="facts">
      {sent.map(([name, value]) => (
        <Fact key={name} name={name}>
          {typeof value === 'string' ? <Foreign text={value} /> : <Code value={value} />}
        </Fact>
      ))}
    </dl>
  );
}

function Code({ value }: { readonly value: unknown }): ReactNode {
  return (
    <pre className="code">
      <Foreign text={jsonText(value)} />
    </pre>
  );
}
