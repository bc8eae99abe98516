import { EXAMPLE } from './operation-note.js';
import type { OperationNotes } from './operation-note.js';

const SHOWN = 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c';
const status = {
  id: 'apr_3f0e7a52-41bd-4c0f-9d52-0c8a5a1f7b21',
  state: 'pending',
  agent_id: EXAMPLE.agent,
  rule: 'large_transfer',
  expires_at: '2026-03-01T10:30:00.000Z',
} as const;
const summary = {
  ...status,
  requested_at: EXAMPLE.at,
  usable_until: null,
  may_decide: true,
  why_not: null,
} as const;
const approval = {
  ...summary,
  event_id: EXAMPLE.event,
  rule_sha256: '7d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730',
  rule_member: { id: 'large_transfer', tools: ['transfer'], effect: 'approve', approvers: { roles: ['admin'] } },
  binding_sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
  shown_sha256: SHOWN,
  approvers: { roles: ['admin'] },
  reuse: null,
  requester: { api_key_id: '5a1d6c0e-7f43-4f0b-8a55-3a0b7d9a1c11', principal: null },
  action: { type: 'tool_use', tool: 'transfer', args: { to: 'ACC-7', amount: '1200.00' } },
  payload: null,
  action_missing: null,
  decisions: [],
  used_by: [],
} as const;
const decided = {
  ...approval,
  state: 'approved',
  usable_until: '2026-03-01T10:30:00.000Z',
  may_decide: false,
  why_not: 'you have decided about this: another person does',
  decisions: [
    {
      decision: 'approve',
      user_id: '0b9a6f0e-2f0a-4d9c-9a53-5c1f7f6f2b10',
      role: 'admin',
      decided_at: '2026-03-01T09:31:12.000Z',
      latency_ms: 72_000,
      comment: 'agreed with the customer by phone',
      shown_sha256: SHOWN,
    },
  ],
} as const;

const evaluated = {
  subject: { type: 'user', id: 'alice@example.com' },
  resource: { type: 'document', id: 'q4-plan' },
  action: { name: 'can_read' },
} as const;
const task = {
  id: 'arq_3f0e7a52-41bd-4c0f-9d52-0c8a5a1f7b21',
  status: 'pending',
  status_endpoint: 'https://countersign.example.com/access/v1/requests/arq_3f0e7a52-41bd-4c0f-9d52-0c8a5a1f7b21',
  expires_at: '2026-03-01T10:30:00.000Z',
  links: { review: 'https://countersign.example.com/console#approvals/apr_3f0e7a52-41bd-4c0f-9d52-0c8a5a1f7b21' },
  display: { title: 'Access request submitted', description: 'The action waits for a person who may decide about it.' },
} as const;
const result = {
  mode: 'reevaluate',
  approval: {
    id: 'apr_3f0e7a52-41bd-4c0f-9d52-0c8a5a1f7b21',
    approved_at: '2026-03-01T09:31:12.000Z',
    approved_until: '2026-03-01T10:30:00.000Z',
  },
} as const;

/** Actions that wait for a person. */
export const APPROVAL_NOTES: OperationNotes = {
  listApprovals: {
    description:
      'What the action is, is shown by the approval itself, to people who could decide. Approvals that are over are listed for 90 days; their events stay.',
    answers: { 200: { approvals: [summary], next_cursor: null } },
  },
  getApproval: {
    description:
      'With `wait`, the answer comes as soon as the approval is decided or over, and after the wait otherwise. An agent asks with its API key, and gets the state alone; the key must be valid for the agent. Once it is `approved`, send the same action again: a gateway may need a moment until it knows.\n\nA person who could decide, and an auditor, see the action as the archive has it, the rule as it was then, the requester and the decisions.',
    namedAnswers: {
      200: {
        person: { summary: 'To a person who could decide', value: approval },
        agent: { summary: 'To the API key of the agent', value: status },
      },
    },
  },
  decideApproval: {
    body: { decision: 'approve', comment: 'agreed with the customer by phone', shown_sha256: SHOWN },
    description:
      'Takes the session of a person whom the rule lets decide; no API key and no link decides. An approval is for exactly this action, and is used up by the next check of it, which the whole profile judges again. One denial ends the request, however many people must approve. The decision is recorded as an event with the person, the role, the comment and the time that it took.',
    answers: { 200: decided },
  },
  requestAccess: {
    body: {
      ...evaluated,
      context: { business_justification: 'Needed for customer renewal review' },
      denial: {
        evaluation_id: EXAMPLE.event,
        expires_at: '2026-03-01T09:40:00.000Z',
        reason: 'approval_required',
        binding_token: 'eyJhbGciOiJFZERTQSJ9.eyJldmFsdWF0aW9uX2lkIjoi4oCmIn0.c2lnbmF0dXJl',
      },
    },
    answers: { 202: { task }, 201: { task: { ...task, status: 'approved' }, result } },
    description:
      'For PEPs of the AuthZEN Access Request and Approval Profile. A denied evaluation with `context.access_request` waits for an approval already; this gives the PEP a task for it. The binding token says which evaluation was denied: subject, resource, action and context have to be those of that evaluation. An `Idempotency-Key` with another body is 409; of an approval the first 20 keys are compared.',
  },
  getAccessTask: {
    answers: { 200: { task: { ...task, status: 'approved' }, result } },
    description:
      'Once the task is approved, ask for the evaluation again with `result.approval` as `context.approval`. The key must be valid for the agent; a task of another account is 404.',
  },
  getAccessKeys: {
    answers: {
      200: {
        keys: [
          {
            kty: 'OKP',
            crv: 'Ed25519',
            x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
            kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
            use: 'sig',
            alg: 'EdDSA',
          },
        ],
      },
    },
    description: 'Every process of the installation has the same key. It is not one of those that sign reports.',
  },
};
