import type { OperationNotes } from './operation-note.js';

const EVERY_FORM =
  'Each call of a tool is a `tool_use` with the arguments as payload, recorded and counted as a check, and durable before the answer. Repetitions of a call with the same id of the tool are one check. ' +
  'The agent is the only one that the key is issued for, else the header `x-countersign-agent`, else the parameter `agent`.';
const NOT_DECIDED =
  'What cannot be decided, a body that is not one of the tool, and an event that is not listed are denials.';
const OUTCOME = 'reports the outcome of the call; the key needs the right `outcome`';

const call = {
  session_id: 'a1b2c3',
  cwd: '/srv/project',
  tool_name: 'Bash',
  tool_input: { command: 'npm test' },
  tool_use_id: 'toolu_01',
};
const inWrapper = {
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: 'Countersign denied this: this tool is off limits.',
  },
};
const reason = 'Countersign denied this: this tool is off limits.';

/** Routes that coding agents call by themselves, or by a command of theirs. */
export const HOOK_NOTES: OperationNotes = {
  hookClaudeCode: {
    body: { ...call, hook_event_name: 'PreToolUse' },
    namedAnswers: {
      200: {
        allowed: { summary: 'Allowed: the permissions of the user decide', value: {} },
        denied: { summary: 'Denied', value: inWrapper },
      },
    },
    description: `For a hook of \`type: "http"\` with \`onFailure: "block"\`, without which Claude Code takes an answer other than 2xx, and none, for a permission. \`PreToolUse\` is a check; \`PostToolUse\` and \`PostToolUseFailure\` ${OUTCOME}. An approval that a rule requires is \`ask\`. ${EVERY_FORM} ${NOT_DECIDED}`,
  },
  hookCodex: {
    body: { ...call, hook_event_name: 'PreToolUse', turn_id: 'turn-1', model: 'gpt-5.2-codex' },
    namedAnswers: { 200: { denied: { summary: 'Denied', value: inWrapper } } },
    description: `For a hook command that prints the answer and ends with 2 and a reason on standard error if there is none. An allowed call has an empty answer, since Codex refuses every other permission. \`PreToolUse\` is a check; \`PostToolUse\` ${OUTCOME}. An approval that a rule requires is a denial. ${EVERY_FORM} ${NOT_DECIDED}`,
  },
  hookCursor: {
    body: { hook_event_name: 'beforeShellExecution', conversation_id: 'c1', command: 'npm test', cwd: '/srv/project' },
    namedAnswers: {
      200: {
        allowed: { summary: 'Allowed', value: { permission: 'allow' } },
        denied: { summary: 'Denied', value: { permission: 'deny', user_message: reason, agent_message: reason } },
      },
    },
    description: `For a hook command with \`failClosed: true\`. \`preToolUse\`, \`beforeShellExecution\`, \`beforeMCPExecution\`, \`beforeReadFile\` and \`subagentStart\` are checks; \`postToolUse\` and \`postToolUseFailure\` ${OUTCOME}. An approval that a rule requires is \`ask\` for a shell command and an MCP tool, else a denial. ${EVERY_FORM} ${NOT_DECIDED}`,
  },
  hookGemini: {
    body: { ...call, hook_event_name: 'BeforeTool', tool_name: 'run_shell_command' },
    namedAnswers: {
      200: {
        allowed: { summary: 'Allowed: the permissions of the user decide', value: {} },
        denied: { summary: 'Denied', value: { decision: 'deny', reason } },
      },
    },
    description: `For a hook command that ends with 2 and a reason on standard error if there is no answer. \`BeforeTool\` is a check. Gemini CLI does not identify its calls, so \`AfterTool\` reports nothing. An approval that a rule requires is a denial. ${EVERY_FORM} ${NOT_DECIDED}`,
  },
  hookCopilot: {
    body: { sessionId: 'a1b2c3', cwd: '/srv/project', toolName: 'bash', toolArgs: { command: 'npm test' } },
    namedAnswers: {
      200: {
        allowed: { summary: 'Allowed: the permissions of the user decide', value: {} },
        denied: { summary: 'Denied', value: { permissionDecision: 'deny', permissionDecisionReason: reason } },
      },
    },
    description: `For a hook command, or a hook of \`type: "http"\`, which Copilot ignores if it fails. Both forms of its bodies are taken: \`preToolUse\` with \`toolName\`, and \`PreToolUse\` with \`tool_name\`. Where the body has an id of the call, the events after it report the outcome. An approval that a rule requires is \`ask\`. ${EVERY_FORM} ${NOT_DECIDED}`,
  },
  litellmGuardrail: {
    body: {
      input_type: 'response',
      litellm_call_id: 'c-1',
      texts: ['Your order is on its way.'],
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'refund', arguments: '{"amount":40}' } }],
      request_data: { user_api_key_alias: 'support-bot' },
    },
    namedAnswers: {
      200: {
        passes: { summary: 'Passes', value: { action: 'NONE' } },
        blocked: { summary: 'Blocked', value: { action: 'BLOCKED', blocked_reason: reason } },
      },
    },
    description:
      'The address is the `api_base` of a guardrail `generic_guardrail_api`; the API key is one of its `headers`. Texts of a request are the payload of an `llm_request`, those of a response of an `llm_response`, and each call of a tool in a response is a `tool_use`: each is a check, in this order, up to the first denial. The agent is the one whose id or name is the alias of LiteLLM’s key, else the only agent of the API key, else that of the header `x-countersign-agent`. What cannot be decided is blocked.',
  },
};
