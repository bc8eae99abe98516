import type { ApprovalRecord, ApprovalSummary } from '@countersign/contracts';
import { visible, visibleJson } from './visible.js';

/** An approval as the service shows it; those who may neither decide about it nor audit see the first members alone. */
export type ShownApproval = Pick<ApprovalRecord, 'id' | 'state' | 'agent_id' | 'rule' | 'expires_at'> &
  Partial<ApprovalRecord>;

/** A line for each approval: id, state, time of expiry, agent, rule, and whether the caller can decide. */
export function listText(approvals: readonly ApprovalSummary[], hasMore: boolean): string {
  const lines = approvals.map(({ id, state, expires_at: expires, agent_id: agent, rule, may_decide: may }) =>
    visible([id, state.padEnd(8), expires, agent, rule, ...(may ? ['you may decide'] : [])].join('  ')),
  );
  if (approvals.length === 0) lines.push('no approvals');
  if (hasMore) lines.push('and more: see --most');
  return lines.map((line) => `${line}\n`).join('');
}

/** The whole of an approval, in lines: what is asked for, by which rule, until when, and what was decided. */
export function recordText(approval: ShownApproval): string {
  const { id, state, agent_id: agent, rule, expires_at: expires } = approval;
  const head = [`approval   ${id}`, `state      ${state}`, `agent      ${agent}`, `rule       ${rule}`];
  const lines = [...head, `expires    ${expires}`].map(visible);
  if (approval.requested_at !== undefined) lines.push(...timesOf(approval));
  if (approval.shown_sha256 === undefined) {
    lines.push('the action is shown to those who may decide about it, and to auditors');
    return text(lines);
  }
  lines.push(...peopleOf(approval), `shown      ${visible(approval.shown_sha256)}`, '', 'the rule:');
  lines.push(approval.rule_member ? visibleJson(approval.rule_member) : 'it is not known as it was then');
  lines.push('', `the action of check ${visible(String(approval.event_id))}:`);
  lines.push(approval.action_missing ? `not shown: ${visible(approval.action_missing)}` : visibleJson(approval.action));
  if (!approval.action_missing) {
    lines.push('', 'its payload:');
    lines.push(approval.payload === null ? 'none, or it is not stored (store_payload)' : visibleJson(approval.payload));
  }
  return text([...lines, '', ...decisionLines(approval), ...useLines(approval)]);
}

function timesOf({ requested_at: requested, usable_until: until, why_not: refusal }: ShownApproval): string[] {
  const lines = [`requested  ${requested!}`];
  if (until) lines.push(`usable     until ${until}`);
  return [...lines, refusal ? `you        cannot decide: ${refusal}` : 'you        may decide'].map(visible);
}

function peopleOf({ approvers = {}, requester, reuse }: ShownApproval): string[] {
  const { roles, users, min, not_requester: notRequester, not_policy_editor: notEditor } = approvers;
  const named = [
    ...(roles === undefined ? [] : [`roles ${roles.join(', ')}`]),
    ...(users === undefined ? [] : [`users ${users.join(', ')}`]),
    ...(roles === undefined && users === undefined ? ['members and admins'] : []),
    ...(min === undefined || min < 2 ? [] : [`${min} of them`]),
    ...(notRequester === true ? ['not the requester'] : []),
    ...(notEditor === true ? ['not who changed the profile last'] : []),
  ];
  const lines = [`approvers  ${named.join('; ')}`];
  if (requester !== undefined) {
    const behalf = requester.principal === null ? '' : `, on behalf of ${requester.principal}`;
    lines.push(`requester  API key ${requester.api_key_id}${behalf}`);
  }
  if (reuse) lines.push(`reuse      ${JSON.stringify(reuse)}`);
  return lines.map(visible);
}

function decisionLines({ decisions = [] }: ShownApproval): string[] {
  if (decisions.length === 0) return ['not decided yet'];
  return decisions.map(({ decision, user_id: user, role, decided_at: at, latency_ms: latency, comment }) => {
    const said = comment === null ? '' : `: ${JSON.stringify(comment)}`;
    const done = decision === 'approve' ? 'approved' : 'denied';
    return visible(`${done} by ${user} (${role}) at ${at}, ${latency / 1000} s after the request${said}`);
  });
}

function useLines({ used_by: usedBy = [] }: ShownApproval): string[] {
  return usedBy.map((eventId) => visible(`used by check ${eventId}`));
}

function text(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
