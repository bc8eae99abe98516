import { originHeaders } from './check.js';
import { error } from './fragments.js';
import { openObject, type JsonSchema } from './json-schema.js';
import { REASON, route } from './route.js';
import type { JsonTemplate, Route } from './route.js';

/** The coding agents whose hooks are answered, by the last part of the route's path. */
export const HOOK_TOOLS = ['claude-code', 'codex', 'cursor', 'gemini', 'copilot'] as const;
export type HookTool = (typeof HOOK_TOOLS)[number];

const text = { type: 'string', minLength: 1 } as const;
const ofPreToolUse = { permissionDecision: 'deny', permissionDecisionReason: REASON } as const;
const inWrapper = { hookSpecificOutput: { hookEventName: 'PreToolUse', ...ofPreToolUse } } as const;

/** The answer by which each tool denies a call. */
export const HOOK_DENIALS: Readonly<Record<HookTool, JsonTemplate>> = {
  'claude-code': inWrapper,
  codex: inWrapper,
  cursor: { permission: 'deny', user_message: REASON, agent_message: REASON },
  gemini: { decision: 'deny', reason: REASON },
  copilot: ofPreToolUse,
};

const event = openObject({ hook_event_name: text, tool_name: text, tool_input: {} });
const cursorEvent = openObject({ hook_event_name: text });
const copilotEvent: JsonSchema = { anyOf: [openObject({ toolName: text, toolArgs: {} }), event] };

const agentParameter = {
  type: 'string',
  description: 'id of the agent that acts, for an API key that is valid for several agents',
} as const;

/** The agent of a request whose body does not name one. */
export const AGENT_HEADER = 'x-countersign-agent';

const recorded = {
  'x-event-id': 'the event that records this check, or whose result is not known; absent if nothing was recorded',
};

function hook(
  tool: HookTool,
  operationId: string,
  title: string,
  shownBody: JsonSchema,
  permission: { readonly alsoAs?: readonly string[] } = {},
): Route & { readonly body: JsonSchema } {
  return route({
    service: 'gateway',
    method: 'POST',
    path: `/v1/hooks/${tool}`,
    operationId,
    summary: `Answers a hook of ${title} in its own form: a check before a tool call, an outcome after it`,
    tag: 'Hooks',
    auth: 'api-key',
    rights: ['check'],
    headers: { [AGENT_HEADER]: agentParameter, ...originHeaders },
    query: { agent: { ...agentParameter, description: 'as the header `x-countersign-agent`, which takes precedence' } },
    body: {},
    bodyForm: 'raw',
    shownBody,
    refusedAs: { status: 200, body: HOOK_DENIALS[tool] },
    success: 200,
    responses: {
      200: {
        description: 'the answer in the form of the tool; a denial, and everything that is not decided, is 200 as well',
        schema: { type: 'object' },
        headers: recorded,
        ...permission,
      },
      408: error('the body came slower than 1 KiB a second'),
    },
  });
}

export const hookRoutes = {
  claudeCode: hook('claude-code', 'hookClaudeCode', 'Claude Code', event),
  codex: hook('codex', 'hookCodex', 'Codex', event, { alsoAs: ['text/plain'] }),
  cursor: hook('cursor', 'hookCursor', 'Cursor', cursorEvent),
  gemini: hook('gemini', 'hookGemini', 'Gemini CLI', event),
  copilot: hook('copilot', 'hookCopilot', 'GitHub Copilot', copilotEvent),
};
