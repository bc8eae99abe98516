import { APPROVAL_ID_PATTERN, APPROVAL_STATES } from '../approvals.js';
import { bodyErrors, error, isoTime, sessionErrors, sha256Hex, uuid } from './fragments.js';
import { nullable, object, openObject, type BodyOf, type JsonOf, type QueryOf } from './json-schema.js';
import { route } from './route.js';
import { ruleMember } from './rules.js';

const text = { type: 'string' } as const;
const approvalId = {
  type: 'string',
  pattern: APPROVAL_ID_PATTERN,
  description: '`approval_id` of the denial',
} as const;
const state = {
  type: 'string',
  enum: APPROVAL_STATES,
  description:
    '`pending` until it is decided; `consumed` once a check has used it; `expired`: not decided, or not used, in time',
} as const;

/** Members that the API key of the agent reads. */
const shown = {
  id: approvalId,
  state,
  agent_id: uuid,
  rule: { ...text, description: 'id of the rule' },
  expires_at: { ...isoTime, description: 'until then it can be decided' },
} as const;

const summary = {
  ...shown,
  requested_at: isoTime,
  usable_until: { ...nullable(isoTime), description: 'of an approved one: until then a check may use it' },
  may_decide: { type: 'boolean', description: 'the caller can decide now' },
  why_not: { ...nullable(text), description: 'why the caller cannot' },
} as const;

const decision = object({
  decision: { type: 'string', enum: ['approve', 'deny'] },
  user_id: text,
  role: text,
  decided_at: isoTime,
  latency_ms: { type: 'integer', minimum: 0, description: 'from the request to the decision' },
  comment: nullable(text),
  shown_sha256: nullable(sha256Hex),
});

const requester = object({
  api_key_id: text,
  principal: { ...nullable(text), description: 'on whose behalf the agent acts, as the check says' },
});

const detail = {
  event_id: { ...uuid, description: 'the first check that asked for it' },
  rule_sha256: sha256Hex,
  rule_member: { ...nullable(ruleMember), description: 'the rule as it was then; `null`: not known' },
  binding_sha256: sha256Hex,
  shown_sha256: { ...sha256Hex, description: 'digest of what is decided about: send it back with the decision' },
  approvers: { ...ruleMember.properties.approvers, description: 'as the rule names them; empty: members and admins' },
  reuse: nullable(ruleMember.properties.reuse),
  requester,
  action: { description: 'as the check sent it; `null`: see `action_missing`' },
  payload: { description: 'of the action; `null`: none, or it was not stored' },
  action_missing: { ...nullable(text), description: 'why `action` is `null`' },
  decisions: {
    type: 'array',
    items: decision,
    description: 'oldest first; of several people where the rule asks for them',
  },
  used_by: { type: 'array', items: uuid, description: 'the newest checks that used it' },
} as const;

const approvalSummary = openObject(summary);
/** An approval in the list. */
export type ApprovalSummary = JsonOf<typeof approvalSummary>;

const approvalRecord = openObject({ ...summary, ...detail });
/** An approval as it is shown to who may decide about it, and to auditors. */
export type ApprovalRecord = JsonOf<typeof approvalRecord>;

/** The part of an approval that its agent reads. */
export type ApprovalStatus = JsonOf<ReturnType<typeof openObject<typeof shown>>>;

const oneApproval = {
  type: 'object',
  required: Object.keys(shown),
  properties: { ...summary, ...detail },
} as const;

const noApproval = error('no such approval');
const notNow = error('credentials, the counters or the store cannot be used at the moment');
const of = { service: 'policy', tag: 'Approvals' } as const;

export const approvalRoutes = {
  listApprovals: route({
    ...of,
    method: 'GET',
    path: '/v1/approvals',
    operationId: 'listApprovals',
    summary: 'Approvals of the account, newest request first',
    auth: 'session',
    query: {
      status: state,
      agentId: uuid,
      limit: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
      cursor: { type: 'string', maxLength: 200, description: '`next_cursor` of the page before' },
    },
    success: 200,
    responses: {
      200: {
        description: 'a page; `next_cursor` is `null` on the last one',
        schema: object({ approvals: { type: 'array', items: approvalSummary }, next_cursor: nullable(text) }),
      },
      400: bodyErrors[400],
      401: sessionErrors[401],
      503: notNow,
    },
  }),
  getApproval: route({
    ...of,
    method: 'GET',
    path: '/v1/approvals/{approvalId}',
    operationId: 'getApproval',
    summary: 'One approval; waits for its decision if asked to',
    auth: 'api-key-or-session',
    rights: ['check', 'read'],
    params: { approvalId },
    query: {
      wait: {
        type: 'integer',
        minimum: 0,
        maximum: 30,
        default: 0,
        description: 'seconds to wait until it is decided or over; the answer comes at once when it is',
      },
    },
    success: 200,
    responses: {
      200: { description: 'to an API key, and to people who could not decide, its state alone', schema: oneApproval },
      400: bodyErrors[400],
      401: error('no valid session, and no valid API key with this right'),
      404: noApproval,
      503: notNow,
    },
  }),
  decideApproval: route({
    ...of,
    method: 'POST',
    path: '/v1/approvals/{approvalId}/decide',
    operationId: 'decideApproval',
    summary: 'Approves or denies an action, as the person of the session',
    auth: 'session',
    params: { approvalId },
    body: {
      type: 'object',
      required: ['decision'],
      properties: {
        decision: { type: 'string', enum: ['approve', 'deny'] },
        comment: { type: 'string', maxLength: 2000, description: 'recorded with the decision' },
        shown_sha256: { ...sha256Hex, description: 'of the answer that the person was shown' },
      },
      additionalProperties: false,
    },
    success: 200,
    responses: {
      200: {
        description: 'the approval with the decision; still `pending` where more people must approve',
        schema: approvalRecord,
      },
      ...bodyErrors,
      401: sessionErrors[401],
      403: error('the rule does not let this person decide, or the person has decided already'),
      404: noApproval,
      409: error(
        'it is decided or over; the agent is frozen or inactive, so it cannot be approved; or `shown_sha256` is not that of this approval',
      ),
      503: notNow,
    },
  }),
} as const;

export type DecisionBody = BodyOf<typeof approvalRoutes.decideApproval>;
export type ApprovalsQuery = QueryOf<typeof approvalRoutes.listApprovals>;
