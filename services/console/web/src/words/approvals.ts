import type { ApprovalState } from '@countersign/contracts';

/** Texts of the screen of approvals. */
export const approvalWords = {
  title: 'Approvals',
  one: 'Approval',
  parts: 'Approvals by state',
  all: 'All',
  states: {
    pending: 'Pending',
    approved: 'Approved',
    denied: 'Denied',
    expired: 'Expired',
    consumed: 'Used',
  } satisfies Record<ApprovalState, string>,
  table: 'Approvals, newest request first',
  columns: { time: 'Requested', state: 'State', agent: 'Agent', rule: 'Rule', expires: 'Expires', open: 'Open' },
  open: 'Review',
  see: 'Open',
  failed: 'Approvals could not be read',
  oneFailed: 'The approval could not be read',
  empty: 'Nothing waits for a decision',
  emptyLead:
    'Where a rule has the effect “approve”, an action is denied until a person has approved it. It appears here at once.',
  emptyState: 'No approvals in this state',
  back: 'All approvals',
  hidden:
    'The action is shown to people who may decide about it, and to auditors. The rule does not name you or your role.',
  facts: 'Request',
  agent: 'Agent',
  rule: 'Rule',
  state: 'State',
  requested: 'Requested',
  expires: 'Can be decided until',
  usable: 'Can be used until',
  principal: 'On behalf of',
  apiKey: 'API key',
  check: 'First check',
  event: 'Open event',
  approvers: 'Approvers',
  people: (min: number) => (min === 1 ? 'one person' : `${min} different people`),
  anyone: 'members and admins',
  roles: (names: readonly string[]) => `role ${names.join(' or ')}`,
  notRequester: 'not who requested it',
  notEditor: 'not the last editor of the profile',
  action: 'Action',
  actionLead: 'As the check sent it. Exactly this is approved, once, for this agent and rule.',
  ignoring: (paths: readonly string[]) =>
    `As the check sent it. It is approved once, for this agent and rule, and may differ in ${paths.join(', ')}.`,
  reused: (isTool: boolean, time: string) =>
    `${isTool ? 'Every call of this tool by this agent, whatever its arguments,' : 'This action, any number of times,'} may be performed for ${time} after the approval.`,
  payload: 'Content of the action',
  noPayload:
    'The content of actions is not stored: `store_payload` of the profile is off. Only its commitment is known here.',
  ruleText: 'The rule that asks',
  decisions: 'Decisions',
  noDecisions: 'No one has decided yet.',
  decided: { approve: 'approved', deny: 'denied' },
  after: (seconds: string) => `after ${seconds}`,
  used: 'Used by',
  history: {
    ofSession: 'Before it, in the session it names',
    ofAgent: 'Before it, by this agent',
    session: 'The action names the session',
    bySession: 'Events whose session came by header or token alone are not found.',
    noSession:
      'The action names no session in its metadata, so these are the newest events of the agent, of all its sessions. A session that came by header or token is not looked for.',
    failed: 'The events before the request could not be read',
    empty: 'This is the first event of the agent.',
    emptySession: (most: number) =>
      `None of the newest ${most} events of the agent before the request names this session.`,
    table: 'Events before the request, newest first',
    columns: { time: 'Time', outcome: 'Outcome', action: 'Action' },
    noContent: 'Open event',
  },
  budgets: {
    title: 'What is left of budgets',
    lead: 'By the profile and the balances of now; nothing is counted.',
    failed: 'What is left could not be read',
    none: 'No limit or fact of the profile in force applies to this action.',
    noPayload:
      'The content of the action is not stored. A limit that reads it is not shown, or not as the check will be charged to it.',
    leftOut: {
      session:
        'The recorded check could not be read. If it had a session by header or token, facts and limits that depend on it may differ from these figures.',
      token:
        'The check came with a token. Facts and limits that depend on its issuer or its actors may differ from these figures.',
    },
    fits: 'Has room for this action.',
    exceeded: 'Would be exceeded by this action.',
  },
  more: 'Before you decide',
  checks: 'Other checks of this agent',
  profile: 'Agent and its profile in force',
  approve: 'Approve',
  deny: 'Deny',
  approveTitle: 'Approve this action?',
  approveLead: 'The whole profile is judged again when the agent performs the action.',
  denyTitle: 'Deny this action?',
  denyLead: 'The same action stays denied until the request expires.',
  comment: 'Comment',
  commentHint: 'Recorded with your decision, in the evidence.',
  refused: 'You cannot decide',
} as const;

/** `3 s`, `4 min`, `2 h`. */
export function latencyText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
