import { FROZEN_REASON } from '../../check-answer.js';
import { EXAMPLE } from './operation-note.js';
import type { OperationNotes } from './operation-note.js';

const denied = {
  allowed: false,
  reason:
    'This type of action is off limits (rule off_limits_actions: wire_transfer). Do not retry it; ask whoever manages this agent if it is needed.',
  severity: 'P1',
  violation_type: 'off_limits_action',
  rule: 'off_limits_actions:wire_transfer',
};
const expired = {
  allowed: false,
  reason: 'The sandbox has expired. Upgrade the plan to go on.',
  severity: 'P3',
  code: 'sandbox_expired',
  upgrade_url: 'https://countersign.example/upgrade',
};
const frozen = {
  allowed: false,
  reason: FROZEN_REASON,
  severity: 'P1',
  code: 'agent_frozen',
};
const capped = {
  allowed: false,
  reason: 'The plan has reached its action cap for this month. Upgrade the plan, or wait for the next month.',
  severity: 'P3',
  code: 'plan_action_cap',
  upgrade_url: 'https://countersign.example/upgrade',
};
const undecided = {
  allowed: false,
  reason: 'The decision could not be made durable in time. Do not act; try again.',
  severity: 'P1',
  code: 'deadline_exceeded',
};

const check = {
  bodies: {
    call: {
      summary: 'A call of an API',
      value: { agentId: EXAMPLE.agent, action: { type: 'http_call', url: 'https://api.example.com/v1/orders' } },
    },
    tool: {
      summary: 'A tool, with what it costs and what it is given',
      value: {
        agentId: EXAMPLE.agent,
        action: {
          type: 'tool_use',
          tool_name: 'orders.create',
          estimatedCost: 12.5,
          payload: { sku: 'A-17', amount: 1 },
        },
      },
    },
    output: {
      summary: 'What a model is about to say',
      value: { agentId: EXAMPLE.agent, action: { type: 'llm_response', payload: 'Your order is on its way.' } },
    },
    data: {
      summary: 'Data that is about to be read',
      value: { agentId: EXAMPLE.agent, action: { type: 'data_access', dataScope: 'orders.read' } },
    },
  },
  namedAnswers: {
    200: {
      allowed: { summary: 'Allowed: act, then report the outcome', value: { allowed: true } },
      denied: { summary: 'Denied: do not act', value: denied },
    },
  },
  answers: { 402: expired, 403: frozen, 429: capped, 503: undecided },
};

const evaluation = {
  subject: { type: 'agent', id: EXAMPLE.agent },
  action: { name: 'http_call' },
  resource: { type: 'url', id: 'https://api.example.com/v1/orders' },
};

const unevaluated = { decision: false, context: { reason: undecided.reason, code: undecided.code } };

/** Routes that an agent asks with its API key. */
export const CHECK_NOTES: OperationNotes = {
  checkAction: {
    ...check,
    description:
      'Ask before you act, and act on `200` with `allowed: true` alone. The profile of the agent decides, in the order off-limits and allowed actions, APIs, data scope, output, spending, rate; the first rule that denies is the answer. Each check is an event, denials too, and counts towards the plan; what is denied counts towards neither spending nor rate.\n\nSend an `Idempotency-Key` if you may try again: within 24 hours the same key with the same body has the same answer and counts once; an answer that allows is repeated for 10 minutes, while the agent’s profile is the same and it is not frozen.',
  },
  mcpCheck: {
    ...check,
    description: '`POST /v1/check` under the path of the other helpers: same body, same answers, same record.',
  },
  accessEvaluation: {
    body: evaluation,
    answers: {
      200: { decision: true, context: { event_id: EXAMPLE.event, policy_coverage: 'governed' } },
      503: unevaluated,
    },
    description:
      'For programs that speak AuthZEN: the agent is the subject, and each evaluation is a check, recorded and counted as one. A denial is `200` with `decision: false`; `context` says why.',
  },
  accessEvaluations: {
    body: {
      subject: evaluation.subject,
      action: evaluation.action,
      evaluations: [
        { resource: evaluation.resource },
        { resource: { type: 'url', id: 'https://api.example.com/v1/customers' } },
      ],
    },
    answers: { 503: unevaluated },
    description:
      'Up to 100 evaluations, each with what it does not say itself taken from the request. `evaluations_semantic` says whether all are made, or those up to the first denial or permission. It takes no `Idempotency-Key`.',
  },
  mcpLog: {
    body: { agentId: EXAMPLE.agent, eventId: EXAMPLE.event, outcome: 'succeeded' },
    answers: { 201: { eventId: EXAMPLE.event } },
    description:
      'A check says what was allowed; only its outcome says what was done, and reports show it. Without `eventId` it is of the agent’s latest check. One outcome a check: another is 409. That something was done although it was refused makes an alert, and `Gap, review required` in reports. Taken for frozen agents too.',
  },
  mcpScan: {
    body: { agentId: EXAMPLE.agent, text: 'My card is 4111 1111 1111 1111.' },
    description:
      'For drafts and for what tools return: personal data, secrets, topics and length as the profile’s `output_rules` say. What was found is never quoted. To have it recorded, send the text as `payload` of a check.',
  },
  mcpTools: {
    body: { agentId: EXAMPLE.agent, tools: ['orders.create', 'wire_transfer'] },
    description:
      'To show a model only what it may use: each name judged by the rules that speak of tools alone. It replaces no check, since a call may be denied for what it is given, and the profile may change.',
  },
  mcpRegister: {
    body: { name: 'Order desk', type: 'assistant', purpose: 'answers questions about orders' },
    description:
      'A new agent of the key’s account. It begins with the account’s default profile, or where none is set with what any of the key’s agents is denied. No key gets a new limit by it: unless the account’s first key registered it, it is checked only by a key that names it in `agentIds`, which an admin issues by `POST /v1/api-keys`; any other is 404. It is not idempotent: a second request makes a second agent.',
  },
  mcp: {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    description:
      'Point an MCP client here, with the API key as bearer token. Each POST is answered by itself, in JSON; there is no session and no stream, so `GET` is 405. A denial is the result of a tool, with the reason, not a protocol error.',
  },
};
