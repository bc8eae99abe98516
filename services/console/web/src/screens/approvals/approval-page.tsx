import { useState } from 'react';
import type { ReactNode } from 'react';
import type { ApprovalRecord } from '@countersign/contracts';
import { useAgentNames } from '../../api/agents.js';
import { useApproval, useDecide } from '../../api/approvals.js';
import type { Decision, ShownApproval } from '../../api/approvals.js';
import { useShortcuts } from '../../keyboard.js';
import { hrefOf } from '../../location.js';
import { Confirm } from '../../parts/confirm.js';
import { Code, Fact, Facts } from '../../parts/facts.js';
import { Field } from '../../parts/field.js';
import { Foreign } from '../../parts/foreign.js';
import { Card, Page } from '../../parts/page.js';
import { Problem } from '../../parts/problem.js';
import { Time } from '../../parts/time.js';
import { approvalWords as texts, latencyText } from '../../words/approvals.js';
import { words } from '../../words/en.js';
import { agentName } from '../events/event-words.js';
import { ApprovalBudgets } from './approval-budgets.js';
import { ApprovalHistory } from './approval-history.js';
import { StateBadge } from './approval-list.js';

/** One request: the whole action, the rule, who may decide, and the decision. */
export function ApprovalPage({ id }: { readonly id: string }): ReactNode {
  const approval = useApproval(id);
  const names = useAgentNames();
  const [asking, setAsking] = useState<Decision['decision'] | null>(null);
  const { data } = approval;
  // What cannot be shown can be denied, and not approved.
  const may = (decision: Decision['decision']): boolean =>
    data?.may_decide === true && (decision === 'deny' || !data.action_missing);
  const open = (decision: Decision['decision']): void => (may(decision) ? setAsking(decision) : undefined);
  useShortcuts({ a: () => open('approve'), d: () => open('deny') });
  return (
    <Page
      title={data === undefined ? texts.one : <Foreign text={agentName(data.agent_id, names)} most={120} />}
      name={texts.one}
      actions={
        data?.state === 'pending' ? (
          <>
            {(['deny', 'approve'] as const).map((one) => (
              <button
                key={one}
                type="button"
                className={one === 'approve' ? 'button primary' : 'button'}
                aria-disabled={!may(one)}
                title={may(one) ? undefined : (data.why_not ?? data.action_missing ?? texts.hidden)}
                onClick={() => open(one)}
              >
                {texts[one]}
              </button>
            ))}
          </>
        ) : null
      }
    >
      <p>
        <a href="#/approvals">{texts.back}</a>
      </p>
      {approval.error === null ? null : (
        <Problem what={texts.oneFailed} error={approval.error} retry={() => void approval.refetch()} />
      )}
      {data === undefined ? (
        approval.error === null ? (
          <p role="status">{words.loading}</p>
        ) : null
      ) : (
        <Shown approval={data} name={agentName(data.agent_id, names)} />
      )}
      {asking === null || data === undefined ? null : (
        <Decide approval={data} decision={asking} onClose={() => setAsking(null)} />
      )}
    </Page>
  );
}

function Shown({ approval, name }: { readonly approval: ShownApproval; readonly name: string }): ReactNode {
  const { state, why_not: whyNot, action, action_missing: missing, payload, rule_member: rule } = approval;
  const { event_id: eventId } = approval;
  const isOpen = state === 'pending' || state === 'approved';
  return (
    <>
      {state === 'pending' && whyNot ? (
        <p className="offline" role="status">
          {texts.refused}: <Foreign text={whyNot} most={300} />
        </p>
      ) : null}
      <Card title={texts.facts}>
        <Request approval={approval} name={name} />
      </Card>
      <div className="editor">
        <div className="cards">
          {action === undefined ? (
            <p className="muted">{texts.hidden}</p>
          ) : (
            <Card title={texts.action} lead={scopeText(approval)}>
              {missing ? <Foreign text={missing} most={300} /> : <Code value={action} />}
              {payload === null || payload === undefined ? (
                missing ? null : (
                  <p className="note">{texts.noPayload}</p>
                )
              ) : (
                <>
                  <h3>{texts.payload}</h3>
                  <Code value={payload} />
                </>
              )}
            </Card>
          )}
          {rule ? (
            <Card title={texts.ruleText}>
              <Code value={rule} />
            </Card>
          ) : null}
        </div>
        <div className="cards">
          {isOpen && typeof action === 'object' && action !== null && eventId !== undefined ? (
            <ApprovalBudgets approval={approval} action={action} eventId={eventId} />
          ) : null}
          {approval.requested_at === undefined ? null : (
            <ApprovalHistory approval={approval} requestedAt={approval.requested_at} />
          )}
        </div>
      </div>
      {approval.decisions === undefined ? null : (
        <Card title={texts.decisions}>
          <Decisions decisions={approval.decisions} />
        </Card>
      )}
      <Card title={texts.more}>
        <ul>
          <li>
            <a href={hrefOf('/events', { agent: approval.agent_id })}>{texts.checks}</a>
          </li>
          <li>
            <a href={hrefOf(`/agents/${approval.agent_id}/profile`)}>{texts.profile}</a>
          </li>
        </ul>
      </Card>
    </>
  );
}

/** The actions that an approval allows, in words. */
function scopeText({ reuse, rule_member: rule }: ShownApproval): string {
  if (reuse) return texts.reused(reuse.scope === 'tool', latencyText(1000 * reuse.until_seconds));
  const { ignore = [] } = rule ?? {};
  return ignore.length > 0 ? texts.ignoring(ignore) : texts.actionLead;
}

function Request({ approval, name }: { readonly approval: ShownApproval; readonly name: string }): ReactNode {
  const { state, rule, approvers, requester } = approval;
  return (
    <Facts>
      <Fact name={texts.state}>
        <StateBadge state={state} />
      </Fact>
      <Fact name={texts.agent}>
        <a href={hrefOf(`/agents/${approval.agent_id}`)}>
          <Foreign text={name} most={120} />
        </a>
      </Fact>
      <Fact name={texts.rule}>
        <span className="mono">
          <Foreign text={rule} most={120} />
        </span>
      </Fact>
      {approval.requested_at === undefined ? null : (
        <Fact name={texts.requested}>
          <Time iso={approval.requested_at} zone />
        </Fact>
      )}
      <Fact name={texts.expires}>
        <Time iso={approval.expires_at} zone />
      </Fact>
      {approval.usable_until ? (
        <Fact name={texts.usable}>
          <Time iso={approval.usable_until} zone />
        </Fact>
      ) : null}
      {requester === undefined ? null : (
        <>
          <Fact name={texts.principal}>
            {requester.principal === null ? '–' : <Foreign text={requester.principal} most={200} />}
          </Fact>
          <Fact name={texts.apiKey}>
            <span className="mono">
              <Foreign text={requester.api_key_id} most={80} />
            </span>
          </Fact>
        </>
      )}
      {approvers === undefined ? null : <Fact name={texts.approvers}>{approversText(approvers)}</Fact>}
      {approval.event_id === undefined ? null : (
        <Fact name={texts.check}>
          <a href={hrefOf(`/events/${approval.event_id}`)}>{texts.event}</a>
        </Fact>
      )}
      {approval.used_by === undefined || approval.used_by.length === 0 ? null : (
        <Fact name={texts.used}>
          {approval.used_by.map((event, n) => (
            <a key={event} className={n === 0 ? undefined : 'beside'} href={hrefOf(`/events/${event}`)}>
              {texts.event}
            </a>
          ))}
        </Fact>
      )}
    </Facts>
  );
}

function approversText(approvers: ApprovalRecord['approvers']): string {
  const { roles = [], users = [], min = 1, not_requester: notRequester, not_policy_editor: notEditor } = approvers;
  const who = [...(roles.length > 0 ? [texts.roles(roles)] : []), ...users];
  return [
    `${texts.people(min)} of ${who.length > 0 ? who.join(', ') : texts.anyone}`,
    ...(notRequester === true ? [texts.notRequester] : []),
    ...(notEditor === true ? [texts.notEditor] : []),
  ].join('; ');
}

function Decisions({ decisions }: { readonly decisions: ApprovalRecord['decisions'] }): ReactNode {
  if (decisions.length === 0) return <p className="muted">{texts.noDecisions}</p>;
  return (
    <ol className="attempts">
      {decisions.map((one) => (
        <li key={`${one.user_id} ${one.decided_at}`}>
          <span className={`badge ${one.decision === 'approve' ? 'good' : 'bad'}`}>{texts.decided[one.decision]}</span>{' '}
          <span className="mono">
            <Foreign text={one.user_id} most={80} />
          </span>{' '}
          ({one.role}), <Time iso={one.decided_at} zone />, {texts.after(latencyText(one.latency_ms))}
          {one.comment === null ? null : (
            <p>
              <Foreign text={one.comment} />
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}

function Decide({
  approval,
  decision,
  onClose,
}: {
  readonly approval: ShownApproval;
  readonly decision: Decision['decision'];
  readonly onClose: () => void;
}): ReactNode {
  const decide = useDecide(approval.id);
  const [comment, setComment] = useState('');
  const [shownSha256] = useState(approval.shown_sha256);
  const isApproval = decision === 'approve';
  return (
    <Confirm
      title={isApproval ? texts.approveTitle : texts.denyTitle}
      lead={isApproval ? `${scopeText(approval)} ${texts.approveLead}` : texts.denyLead}
      action={texts[decision]}
      isDanger={!isApproval}
      run={() =>
        decide.mutateAsync({
          decision,
          ...(comment.trim() === '' ? {} : { comment: comment.trim() }),
          ...(shownSha256 === undefined ? {} : { shown_sha256: shownSha256 }),
        })
      }
      onClose={onClose}
    >
      <Field
        label={texts.comment}
        hint={texts.commentHint}
        maxLength={2000}
        value={comment}
        onChange={(event) => setComment(event.target.value)}
      />
    </Confirm>
  );
}
