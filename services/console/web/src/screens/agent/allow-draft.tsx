import { useEffect, useMemo, useRef } from 'react';
import type { ReactNode } from 'react';
import type { EventDetail } from '@countersign/contracts';
import { useRecorded } from '../../api/one-event.js';
import { useExplain } from '../../api/profile.js';
import { hrefOf } from '../../location.js';
import { Foreign } from '../../parts/foreign.js';
import { Card } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { agentWords, allowWords } from '../../words/agent.js';
import { sentAction } from '../events/event-words.js';
import { allowing } from './allowing.js';
import { Differences } from './differences.js';
import { fieldsOf } from './draft.js';
import type { Draft } from './use-draft.js';

interface AllowProps {
  readonly agentId: string;
  readonly eventId: string;
  readonly draft: Draft;
}

/** `/agents/{id}/profile?allow`: the change that would allow a denied check, as a draft that its reader may save. */
export function AllowDraft(props: AllowProps): ReactNode {
  const event = useRecorded(props.eventId);
  if (event.error !== null) return <Problem error={event.error} retry={() => void event.refetch()} />;
  return event.data === undefined ? null : <Drafted key={props.eventId} {...props} event={event.data} />;
}

function Drafted({ agentId, eventId, draft, event }: AllowProps & { readonly event: EventDetail }): ReactNode {
  const { base, fields, fault, isChanged, setFields } = draft;
  const found = useMemo(
    () => (event.agentId === agentId ? allowing(event, fieldsOf(base)) : { why: allowWords.otherAgent }),
    [event, agentId, base],
  );
  const changes = 'changes' in found ? found.changes : null;
  // To the draft as it is now: what was changed in it meanwhile stays.
  const onDraft = allowing(event, fields);
  const { data: explained, error, mutate, reset } = useExplain(agentId);
  useEffect(() => {
    reset();
    if (changes !== null && event.action !== null) mutate({ action: sentAction(event.action), changes });
  }, [changes, event, mutate, reset]);
  // At most once, and only into a draft without changes: what the reader typed or discarded is left alone.
  const offered = useRef(false);
  useEffect(() => {
    if (changes === null || offered.current) return;
    offered.current = true;
    if (!isChanged) setFields({ ...fields, ...changes });
  }, [changes, isChanged, setFields, fields]);
  const answer = changes === null ? undefined : explained?.draft?.answer;
  return (
    <Card title={allowWords.title} {...(changes === null ? {} : { lead: allowWords.lead })}>
      <p>
        <a href={hrefOf(`/events/${eventId}`)}>{allowWords.event}</a>
      </p>
      {'why' in found ? (
        <p className="note" role="status">
          {found.why}
        </p>
      ) : (
        <>
          <Differences
            label={allowWords.title}
            columns={[agentWords.editor.version(base.version), allowWords.draft]}
            rows={Object.entries(found.changes).map(([name, value]) => ({
              name,
              values: [(base as unknown as Readonly<Record<string, unknown>>)[name], value],
            }))}
          />
          <p className="small muted">{found.also}</p>
        </>
      )}
      {error === null ? null : <Problem error={error} />}
      {answer === undefined ? null : (
        <p className="note" role="status">
          {answer.allowed ? allowWords.allowed : <Foreign text={allowWords.stillDenied(answer.reason)} most={600} />}
        </p>
      )}
      {changes === null || fault !== null || 'why' in onDraft ? null : (
        <button type="button" className="button" onClick={() => setFields({ ...fields, ...onDraft.changes })}>
          {allowWords.take}
        </button>
      )}
    </Card>
  );
}
