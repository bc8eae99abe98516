import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import {
  checkRoutes,
  outcomeRoutes,
  policyRoutes,
  scanRoutes,
  type JsonSchema,
  type Route,
} from '@countersign/contracts';

/** A tool and the route that it calls. */
export interface ApiTool {
  readonly path: string;
  /** Rights of which the key must have one. */
  readonly rights: NonNullable<Route['rights']>;
  /** True if the answer has `allowed`: a refusal is then a result. */
  readonly decides: boolean;
  readonly shown: Tool;
}

const text = { type: 'string' };
/** No member is required: for an error of the caller there is only `error`. */
const decision = {
  type: 'object' as const,
  properties: {
    allowed: { type: 'boolean', description: 'act only if it is true' },
    reason: { ...text, description: 'why not, and what to do instead' },
    severity: text,
    violation_type: text,
    rule: text,
    detail: text,
    code: text,
    eventId: { ...text, description: 'pass it to log_action' },
    would_deny: { ...text, description: 'in observe mode, the rule that would have denied' },
    error: text,
  },
};

const textOrNull = { type: ['string', 'null'] };
const agent = {
  type: 'object' as const,
  properties: {
    id: { ...text, description: 'pass it as agentId' },
    ...{ name: text, status: text, created_at: text, updated_at: text },
    ...{ type: textOrNull, purpose: textOrNull, version: textOrNull },
    behavior_profile: { type: 'object', description: 'what the agent may do' },
    error: text,
  },
};

/** The body of a route as the arguments of a tool. */
function argumentsOf(body: JsonSchema): Tool['inputSchema'] {
  return body as Tool['inputSchema'];
}

export const TOOLS: readonly ApiTool[] = [
  {
    path: policyRoutes.registerAgent.path,
    rights: policyRoutes.registerAgent.rights,
    decides: false,
    shown: {
      name: 'register_agent',
      title: 'Register an agent',
      description:
        'Creates an agent. Its actions are checked under the returned id, with an API key that names it, which an admin issues; not with the key that registered it.',
      inputSchema: argumentsOf(policyRoutes.registerAgent.body),
      outputSchema: agent,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
  },
  {
    path: checkRoutes.mcpCheck.path,
    rights: checkRoutes.mcpCheck.rights,
    decides: true,
    shown: {
      name: 'check_action',
      title: 'Check an action',
      description:
        'Asks whether an action is allowed. Call it before you act, and act only if the answer is allowed: true. The decision is recorded. A denial has the reason, and what to do instead.',
      inputSchema: argumentsOf(checkRoutes.mcpCheck.body),
      outputSchema: decision,
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    },
  },
  {
    path: outcomeRoutes.reportOutcome.path,
    rights: outcomeRoutes.reportOutcome.rights,
    decides: false,
    shown: {
      name: 'log_action',
      title: 'Report the outcome of an action',
      description: 'Reports once whether a checked action succeeded, failed or was skipped.',
      inputSchema: argumentsOf(outcomeRoutes.reportOutcome.body),
      outputSchema: { type: 'object', properties: { eventId: text, error: text } },
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    },
  },
  {
    path: scanRoutes.scan.path,
    rights: scanRoutes.scan.rights,
    decides: true,
    shown: {
      name: 'scan_output',
      title: 'Scan a text',
      description: "Judges a text by the agent's output rules before it is sent. Nothing is recorded or counted.",
      inputSchema: argumentsOf(scanRoutes.scan.body),
      outputSchema: decision,
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
  },
];
