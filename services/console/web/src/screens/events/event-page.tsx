import { useState } from 'react';
import type { ReactNode } from 'react';
import type { EventDetail, Role } from '@countersign/contracts';
import { useAgentNames } from '../../api/agents.js';
import { eventProof, useEvent } from '../../api/one-event.js';
import { useShortcuts } from '../../keyboard.js';
import { hrefOf } from '../../location.js';
import { Code, Fact, Facts } from '../../parts/facts.js';
import { Foreign } from '../../parts/foreign.js';
import { Card, Page } from '../../parts/page.js';
import { Copy, Problem } from '../../parts/problem.js';
import { saveFile } from '../../parts/save-file.js';
import { Time } from '../../parts/time.js';
import { useVerifier } from '../../verify/use-verifier.js';
import { RpcField, Verdict } from '../../verify/verdict.js';
import { allowWords } from '../../words/agent.js';
import { number, words } from '../../words/en.js';
import { erasureWords } from '../../words/erasure.js';
import { eventPageWords } from '../../words/event-page.js';
import { verifyWords } from '../../words/verify.js';
import { whyNotAllowed } from '../agent/allowing.js';
import { baseUrlOf, quoted } from '../connect/snippets.js';
import { EraseDialog } from './erase-dialog.js';
import { sentAction } from './event-words.js';
import { EventRules } from './explanation.js';
import { Action, Decision, ProofState } from './event-parts.js';
import { FollowUps } from './follow-ups.js';
import { ProofPath } from './proof-path.js';

/** `/events/{eventId}`: a decision, its action, its proof, and what became of it. */
export function EventPage({ id, role }: { readonly id: string; readonly role: Role }): ReactNode {
  const event = useEvent(id);
  const names = useAgentNames();
  return (
    <Page title={eventPageWords.title}>
      <p>
        <a href="#/events">{eventPageWords.back}</a>
      </p>
      {event.error === null ? null : (
        <Problem what={eventPageWords.failed} error={event.error} retry={() => void event.refetch()} />
      )}
      {event.data === undefined ? (
        event.error === null ? (
          <p className="late" role="status">
            {words.loading}
          </p>
        ) : null
      ) : (
        <>
          <Card title={eventPageWords.decision}>
            <Decision event={event.data} names={names} />
            {event.data.outcome === 'denied' ? <AllowThis event={event.data} /> : null}
          </Card>
          <Proof event={event.data} />
          {event.data.type === 'action.checked' ? <EventRules eventId={id} /> : null}
          <ActionCard event={event.data} mayErase={role === 'admin'} />
          {event.data.type === 'action.checked' ? <Outcomes event={event.data} /> : null}
          {event.data.allowed === false ? <FollowUps event={event.data} role={role} /> : null}
          <Card title={eventPageWords.record}>
            <More event={event.data} />
            <details className="raw">
              <summary>{eventPageWords.leaf}</summary>
              <Copy text={JSON.stringify(event.data.leaf)} />
              <Code value={event.data.leaf} />
            </details>
          </Card>
        </>
      )}
    </Page>
  );
}

/** The way to a draft that would allow a denied check, or why there is none. */
function AllowThis({ event }: { readonly event: EventDetail }): ReactNode {
  const why = whyNotAllowed(event);
  return why === null ? (
    <p>
      <a className="button" href={hrefOf(`/agents/${event.agentId}/profile`, { allow: event.eventId })}>
        {allowWords.action}
      </a>
    </p>
  ) : (
    <p className="small muted">{why}</p>
  );
}

/** The action, to ask about again, or for an admin to erase. */
function ActionCard({ event, mayErase }: { readonly event: EventDetail; readonly mayErase: boolean }): ReactNode {
  const [isErasing, setErasing] = useState(false);
  const erasable = mayErase && event.type === 'action.checked' && event.action !== null;
  return (
    <Card
      title={eventPageWords.action}
      actions={
        <>
          {event.type !== 'action.checked' || event.action === null ? null : (
            <>
              <Copy text={curlOf(event)} label={eventPageWords.curl} />
              <a href={hrefOf(`/agents/${event.agentId}/playground`, { event: event.eventId })}>
                {eventPageWords.playground}
              </a>
            </>
          )}
          {erasable ? (
            <button type="button" className="button" onClick={() => setErasing(true)}>
              {erasureWords.erase}
            </button>
          ) : null}
        </>
      }
    >
      <Action event={event} />
      {isErasing ? <EraseDialog eventId={event.eventId} onClose={() => setErasing(false)} /> : null}
    </Card>
  );
}

/** The check as a command for a shell, in ASCII, with a place for the key. */
function curlOf({ agentId, action }: EventDetail): string {
  const body = JSON.stringify({ agentId, action: sentAction(action) }).replace(
    /[^ -~]/g,
    (unit) => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const url = quoted(`${baseUrlOf(document.baseURI)}/v1/check`);
  return `curl -sS ${url} -H 'content-type: application/json' -H 'x-service-key: csn_live_…' -d ${quoted(body)}`;
}

/** Where the event stands in the log and on the chain, and its verification in this browser. */
function Proof({ event }: { readonly event: EventDetail }): ReactNode {
  const { eventId, sequence, window, dueBy } = event;
  const verification = useVerifier();
  const [failure, setFailure] = useState<unknown>(null);
  const { fields } = eventPageWords;
  const verify = (): void => verification.start(() => eventProof(eventId));
  const save = (): void => {
    setFailure(null);
    eventProof(eventId).then((content) => saveFile(content, `proof-${eventId}.json`), setFailure);
  };
  useShortcuts({ v: verify });
  return (
    <Card
      title={eventPageWords.proof}
      lead={eventPageWords.proofLead}
      actions={
        <button type="button" className="button" onClick={save}>
          {eventPageWords.download}
        </button>
      }
    >
      <ProofState event={event} />
      {failure === null ? null : <Problem error={failure} />}
      <div className="verify-row">
        <RpcField />
        <button type="button" className="button primary" onClick={verify}>
          {verifyWords.action}
        </button>
      </div>
      <Verdict verification={verification} />
      {event.anchored ? <ProofPath eventId={eventId} /> : null}
      <Facts>
        <Fact name={fields.sequence}>{number(sequence)}</Fact>
        {dueBy === null ? null : (
          <Fact name={fields.due}>
            <Time iso={dueBy} zone />
          </Fact>
        )}
        {window === null ? null : (
          <>
            <Fact name={fields.window}>
              <Time iso={window.windowStart} /> – <Time iso={window.windowEnd} zone />
            </Fact>
            <Fact name={fields.range}>
              {number(window.firstSequence)} – {number(window.lastSequence)}
            </Fact>
            <Fact name={fields.root}>
              <code>{window.merkleRoot}</code> <Copy text={window.merkleRoot} />
            </Fact>
            <Fact name={fields.transaction}>
              <code>{window.txSignature}</code> <Copy text={window.txSignature} />
            </Fact>
            <Fact name={fields.block}>{number(window.blockHeight)}</Fact>
            <Fact name={fields.anchoredAt}>
              <Time iso={window.anchoredAt} zone />
            </Fact>
          </>
        )}
      </Facts>
    </Card>
  );
}

/** Outcomes that were reported of the action. */
function Outcomes({ event: { outcomes, unanswered } }: { readonly event: EventDetail }): ReactNode {
  return (
    <Card title={eventPageWords.outcomes}>
      {unanswered ? <p className="note">{eventPageWords.unanswered}</p> : null}
      {outcomes.length === 0 ? <p className="muted">{eventPageWords.noOutcome}</p> : null}
      <Facts>
        {outcomes.map(({ eventId, occurredAt, outcome, detail }) => (
          <Fact key={eventId} name={outcome ?? '–'}>
            <a href={hrefOf(`/events/${eventId}`)}>
              <Time iso={occurredAt} zone />
            </a>
            {detail === null || detail === undefined ? null : <Code value={detail} />}
          </Fact>
        ))}
      </Facts>
    </Card>
  );
}

/** Ids and hashes. */
function More({ event }: { readonly event: EventDetail }): ReactNode {
  const { eventId, refersTo, coverage, apiKeyId, profileSha256, payloadSha256 } = event;
  const { fields } = eventPageWords;
  return (
    <Facts>
      <Fact name={fields.id}>
        <code>{eventId}</code> <Copy text={eventId} />
      </Fact>
      {refersTo === null ? null : (
        <Fact name={fields.refersTo}>
          <a className="mono" href={hrefOf(`/events/${refersTo}`)}>
            {refersTo}
          </a>
        </Fact>
      )}
      {coverage === null ? null : (
        <Fact name={fields.coverage}>
          {coverage === 'governed' ? eventPageWords.governed : eventPageWords.ungoverned}
        </Fact>
      )}
      {profileSha256 === null ? null : (
        <Fact name={fields.profile}>
          <code>{profileSha256}</code>
        </Fact>
      )}
      {apiKeyId === null ? null : (
        <Fact name={fields.key}>
          <code>
            <Foreign text={apiKeyId} most={80} />
          </code>
        </Fact>
      )}
      {payloadSha256 === null ? null : (
        <Fact name={fields.commitment}>
          <code>{payloadSha256}</code>
        </Fact>
      )}
    </Facts>
  );
}
