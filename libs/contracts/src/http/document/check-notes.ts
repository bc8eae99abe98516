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
const pending = {
  allowed: false,
  reason:
    'The action needs the approval of a person (rule large_transfer). Send the same action again once it is given.',
  severity: 'P2',
  violation_type: 'approval_required',
  rule: 'rules:large_transfer',
  decision: 'step_up',
  code: 'approval_pending',
  next_action: 'retry',
  approval_id: 'apr_3f0e7a52-41bd-4c0f-9d52-0c8a5a1f7b21',
  approval_url: 'https://countersign.example/console#approvals/apr_3f0e7a52-41bd-4c0f-9d52-0c8a5a1f7b21',
  expires_at: '2026-11-26T15:00:00.000Z',
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
      summary: 'A tool, with its cost and arguments',
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
      summary: 'A response of a model, before it is sent',
      value: { agentId: EXAMPLE.agent, action: { type: 'llm_response', payload: 'Your order is on its way.' } },
    },
    data: {
      summary: 'An access to data',
      value: { agentId: EXAMPLE.agent, action: { type: 'data_access', dataScope: 'orders.read' } },
    },
  },
  namedAnswers: {
    200: {
      allowed: { summary: 'Allowed: act, then report the outcome', value: { allowed: true } },
      denied: { summary: 'Denied: do not act', value: denied },
      pending: { summary: 'Denied until a person approves: do not act, send it again later', value: pending },
    },
  },
  answers: { 402: expired, 403: frozen, 429: capped, 503: undecided },
};

const evaluation = {
  subject: { type: 'agent', id: EXAMPLE.agent },
  action: { name: 'http_call' },
  resource: { type: 'url', id: 'https://api.example.com/v1/orders' },
};

/** As a gateway of the tool protocol sends it: AuthZEN, profile COAZ-MCP, default mapping of `tools/call`. */
const toolCall = {
  subject: { type: 'identity', id: 'alice@example.com' },
  action: { name: 'tools/call' },
  resource: { type: 'tool', id: 'orders.create' },
  context: { agent: EXAMPLE.client },
};

const unevaluated = { decision: false, context: { reason: undecided.reason, code: undecided.code } };

/** Routes that agents call with an API key. */
export const CHECK_NOTES: OperationNotes = {
  checkAction: {
    ...check,
    description:
      'Ask before each action, and act only on `200` with `allowed: true`. The profile of the agent decides, in the order off-limits and allowed actions, APIs, data scope, output, spending, rate; the first rule that denies determines the answer. Each check, including denials, is recorded as an event and counts towards the plan; denied checks count towards neither spending nor rate.\n\nSend an `Idempotency-Key` if you may retry: within 24 hours the same key with the same body gets the same answer and counts once; an answer that allows is repeated for 10 minutes, while the agent’s profile is the same and it is not frozen.\n\nWith `decision: step_up` a person can allow the action: send the same action again, with another `Idempotency-Key`, until it is allowed or `next_action` is no longer `retry`. The approval is bound to this action and is used up by the check that it allows. With `modify` it can be allowed in another form: apply `patch` (RFC 6902) to `action`, and check the result, which is judged as any other. With `defer` it may be allowed later: provide what is `missing`, and check again after `retry_after` seconds.',
  },
  mcpCheck: {
    ...check,
    description: '`POST /v1/check` under the path of the tool protocol: same body, same answers, same record.',
  },
  accessEvaluation: {
    bodies: {
      agent: { summary: 'An agent', value: evaluation },
      client: { summary: 'A user, for whom the agent with an OAuth client acts (COAZ-MCP)', value: toolCall },
    },
    namedAnswers: {
      200: {
        allowed: {
          summary: 'Allowed',
          value: { decision: true, context: { event_id: EXAMPLE.event, policy_coverage: 'governed' } },
        },
        unknown: {
          summary: 'Denied: the client is that of no agent',
          value: {
            decision: false,
            context: {
              code: 'unknown_client',
              reason:
                'context.agent is the OAuth client id of no agent that is active or frozen and that this API key is valid for. Nothing is recorded: an event belongs to an agent',
            },
          },
        },
      },
    },
    answers: { 503: unevaluated },
    description:
      'For AuthZEN clients: the agent is the subject, and each evaluation is a check, recorded and counted as one. A denial is `200` with `decision: false`; `context` has the reason. A gateway of the tool protocol (COAZ-MCP) sends a user as subject and the OAuth client id of the agent as `context.agent`.',
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
      'Up to 100 evaluations; members that one lacks are taken from the request. `evaluations_semantic` determines if all are made, or only those up to the first denial or permission. `Idempotency-Key` is not supported.',
  },
  mcpLog: {
    body: { agentId: EXAMPLE.agent, eventId: EXAMPLE.event, outcome: 'succeeded' },
    answers: { 201: { eventId: EXAMPLE.event } },
    description:
      'A check records what was allowed; its outcome records what was done, and reports show it. Without `eventId` it belongs to the agent’s latest check. One outcome for each check: another is 409. The execution of a refused action causes an alert, and `Gap, review required` in reports. Accepted for frozen agents as well.',
  },
  mcpScan: {
    body: { agentId: EXAMPLE.agent, text: 'My card is 4111 1111 1111 1111.' },
    description:
      'For drafts and for results of tools: personal data, secrets, topics and length according to the profile’s `output_rules`. The answer never quotes what was found. To record the result, send the text as `payload` of a check.',
  },
  mcpTools: {
    body: { agentId: EXAMPLE.agent, tools: ['orders.create', 'wire_transfer'] },
    description:
      'To offer a model only the tools that it may use: each name is judged by the rules for tools only. It does not replace checks, since a call may be denied for its arguments, and the profile may change.',
  },
  mcpRegister: {
    body: { name: 'Order desk', type: 'assistant', purpose: 'answers questions about orders' },
    description:
      'Creates an agent in the key’s account. It starts with the account’s default profile or, if none is set, with everything denied that is denied to any of the key’s agents. No key gets access to it: unless the account’s first key registered it, its checks need a key that names it in `agentIds`, which an admin issues by `POST /v1/api-keys`; with any other key they are 404. Not idempotent: a second request creates a second agent.',
  },
  mcp: {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    description:
      'The address for MCP clients, with the API key as bearer token. Each POST is answered on its own, in JSON; there are no sessions and no streams, so `GET` is 405. A denial is the result of a tool, with the reason, not a protocol error.',
  },
};
