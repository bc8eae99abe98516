import type { ReactNode } from 'react';
import type { EventRecord } from '@countersign/contracts';
import { hrefOf } from '../../location.js';
import { Code, Fact } from '../../parts/facts.js';
import { Foreign } from '../../parts/foreign.js';
import { Icon } from '../../parts/icons.js';
import { Time } from '../../parts/time.js';
import { asWords, number, words } from '../../words/en.js';
import { isAccountEvent } from './account-events.js';
import { agentName, outcomeOf, sentAction, sentenceOf } from './event-words.js';

/** The answer in one sentence, and what it rests on. */
export function Decision({
  event,
  names,
}: {
  readonly event: EventRecord;
  readonly names: ReadonlyMap<string, string>;
}): ReactNode {
  const { label, tone } = outcomeOf(event);
  const name = agentName(event.agentId, names);
  const { fields } = words.event;
  return (
    <>
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
        {event.rule === null || event.rule === undefined ? null : (
          <Fact name={fields.rule}>
            <a href={hrefOf('/events', { rule: event.rule })}>
              <Foreign text={event.rule} most={512} />
            </a>
          </Fact>
        )}
        {event.severity === null ? null : <Fact name={fields.severity}>{event.severity}</Fact>}
        <Fact name={fields.agent}>
          <a href={hrefOf(`/agents/${event.agentId}`)}>
            <Foreign text={name} most={200} />
          </a>
        </Fact>
        <Fact name={fields.time}>
          <Time iso={event.occurredAt} zone />
          {event.ahead === true ? <span className="note">{words.events.ahead}</span> : null}
        </Fact>
        {event.profileVersion === null ? null : <Fact name={fields.profile}>{number(event.profileVersion)}</Fact>}
      </dl>
    </>
  );
}

/** Says that the event is anchored, or waits for it. */
export function ProofState({ event }: { readonly event: Pick<EventRecord, 'anchored'> }): ReactNode {
  return (
    <p className={event.anchored ? 'proof anchored' : 'proof'}>
      <Icon name={event.anchored ? 'check' : 'clock'} />
      {event.anchored ? words.event.anchored : words.event.pending}
    </p>
  );
}

/** The action of a check as it was sent, or the committed value of another event. */
export function Action({ event: { action, type } }: { readonly event: EventRecord }): ReactNode {
  if (action === null) {
    const { erased, noContent, ofPeople } = words.event;
    const why = type === 'action.checked' ? erased : isAccountEvent(type) ? ofPeople : noContent;
    return <p className="muted">{why}</p>;
  }
  if (type !== 'action.checked') return <Code value={action} />;
  const sent = Object.entries(sentAction(action));
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
