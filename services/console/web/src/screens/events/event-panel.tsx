import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import type { EventRecord } from '@countersign/contracts';
import { useShortcuts } from '../../keyboard.js';
import { go, hrefOf } from '../../location.js';
import { Code, Fact } from '../../parts/facts.js';
import { Icon } from '../../parts/icons.js';
import { Copy } from '../../parts/problem.js';
import { number, words } from '../../words/en.js';
import { Action, Decision, ProofState } from './event-parts.js';

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
  useShortcuts({ n: () => onMove(1), p: () => onMove(-1), v: () => go(hrefOf(`/events/${id}`)) });
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
  const { fields, sections } = words.event;
  return (
    // Focusable, so that it can be scrolled by keyboard.
    <div className="panel-body" tabIndex={0} role="group" aria-label={sections.decision}>
      <Decision event={event} names={names} />
      <h3>{sections.action}</h3>
      <Action event={event} />
      <h3>{sections.proof}</h3>
      <ProofState event={event} />
      <p>
        <a href={hrefOf(`/events/${event.eventId}`)}>{words.event.page}</a>
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
