import type { HookTool } from '@countersign/contracts';
import type { JsonObject } from './hook-event.js';

/** The members of a body that describe a call, by their names in it. */
export interface CallMembers {
  readonly session: string;
  /** Absent: the tool does not identify its calls. */
  readonly callId?: string;
  readonly tool: string;
  readonly input: string;
  readonly principal?: string;
}

/** How an event of a tool is read. */
export interface EventForm {
  readonly when: 'before' | 'succeeded' | 'failed';
  readonly members: CallMembers;
  /** Events of one kind of tool: its name, and the members that are its arguments. Absent: the body has both. */
  readonly ofTool?: { readonly name: string; readonly input: readonly string[] };
  readonly enforcesAsk?: true;
  /** A program that sends this event reads a denial in `hookSpecificOutput`, and another one that does so beside it. */
  readonly readsWrapper?: true;
}

/** A member that another tool sends, and this one does not. */
interface ForeignMark {
  readonly of: string;
  readonly isIn: (body: JsonObject) => boolean;
}

/** The form in which one coding agent calls its hooks, and the answers that it understands besides a denial. */
export interface Dialect {
  readonly events: Readonly<Record<string, EventForm>>;
  /** Name of the event; `undefined`: the body has none. */
  readonly eventOf: (body: JsonObject) => string | undefined;
  readonly foreign: readonly ForeignMark[];
  /** The body of the answer for an allowed call; `null`: an empty one. */
  readonly permission: JsonObject | null;
  /** The answer that has the tool ask its user. */
  readonly question: ((reason: string) => JsonObject) | null;
  /** The answer to a report that was not recorded. */
  readonly notice: ((text: string) => JsonObject) | null;
}

const named = (body: JsonObject): string | undefined => {
  const name = body['hook_event_name'];
  return typeof name === 'string' ? name : undefined;
};

const SNAKE: CallMembers = { session: 'session_id', callId: 'tool_use_id', tool: 'tool_name', input: 'tool_input' };
const CAMEL: CallMembers = { session: 'sessionId', callId: 'toolCallId', tool: 'toolName', input: 'toolArgs' };
const GEMINI: CallMembers = { session: 'session_id', tool: 'tool_name', input: 'tool_input' };
const CURSOR: CallMembers = { ...SNAKE, session: 'conversation_id', principal: 'user_email' };
const CURSOR_UNNAMED: CallMembers = { session: 'conversation_id', tool: '', input: '', principal: 'user_email' };

const BY_CURSOR: ForeignMark = {
  of: 'Cursor',
  isIn: (body) => 'cursor_version' in body || 'conversation_id' in body,
};
const BY_CODEX: ForeignMark = { of: 'Codex', isIn: (body) => 'turn_id' in body };
/** Copilot's bodies in the names of Claude Code have a time, and no transcript before a call. */
const BY_COPILOT: ForeignMark = {
  of: 'GitHub Copilot',
  isIn: (body) => 'timestamp' in body && !('transcript_path' in body),
};
/** Identifiers of calls as Anthropic's models give them. */
const BY_CLAUDE: ForeignMark = {
  of: 'Claude Code',
  isIn: ({ tool_use_id: id }) => typeof id === 'string' && /^(?:srv)?toolu_/.test(id),
};
const TIMELESS: ForeignMark = {
  of: 'Claude Code or Codex',
  isIn: (body) => 'transcript_path' in body && !('timestamp' in body) && 'hook_event_name' in body,
};

/** The form in which Claude Code, Codex and VS Code read a decision. */
export const inWrapper = (permissionDecision: string, permissionDecisionReason: string): JsonObject => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason },
});
const notice = (systemMessage: string): JsonObject => ({ systemMessage });

const OF_PASCAL = {
  PreToolUse: { when: 'before', members: SNAKE, enforcesAsk: true },
  PostToolUse: { when: 'succeeded', members: SNAKE },
  PostToolUseFailure: { when: 'failed', members: SNAKE },
} as const;

const ofCursor = (name: string, input: readonly string[], enforcesAsk = false): EventForm => ({
  when: 'before',
  members: CURSOR_UNNAMED,
  ofTool: { name, input },
  ...(enforcesAsk ? { enforcesAsk } : {}),
});

/** By tool. Each entry follows the documentation of the tool, which the vectors beside this file name. */
export const DIALECTS: Readonly<Record<HookTool, Dialect>> = {
  'claude-code': {
    events: OF_PASCAL,
    eventOf: named,
    foreign: [BY_CURSOR, BY_CODEX, BY_COPILOT],
    permission: {},
    question: (reason) => inWrapper('ask', reason),
    notice,
  },
  codex: {
    events: {
      PreToolUse: { when: 'before', members: SNAKE },
      PostToolUse: { when: 'succeeded', members: SNAKE },
    },
    eventOf: named,
    foreign: [BY_CURSOR, BY_CLAUDE, BY_COPILOT],
    permission: null,
    question: null,
    notice,
  },
  cursor: {
    events: {
      preToolUse: { when: 'before', members: CURSOR },
      beforeShellExecution: ofCursor('Shell', ['command', 'cwd'], true),
      beforeMCPExecution: { when: 'before', members: CURSOR, enforcesAsk: true },
      beforeReadFile: ofCursor('Read', ['file_path']),
      beforeTabFileRead: ofCursor('TabRead', ['file_path']),
      subagentStart: ofCursor('Task', ['subagent_type', 'task']),
      postToolUse: { when: 'succeeded', members: CURSOR },
      postToolUseFailure: { when: 'failed', members: CURSOR },
    },
    eventOf: named,
    foreign: [BY_CODEX],
    permission: { permission: 'allow' },
    question: (reason) => ({ permission: 'ask', user_message: reason, agent_message: reason }),
    notice: null,
  },
  gemini: {
    events: {
      BeforeTool: { when: 'before', members: GEMINI },
      AfterTool: { when: 'succeeded', members: GEMINI },
    },
    eventOf: named,
    foreign: [BY_CURSOR, BY_CODEX],
    permission: {},
    question: null,
    notice,
  },
  copilot: {
    events: {
      // As Copilot sends it in the names of VS Code, and as VS Code sends it.
      ...OF_PASCAL,
      PreToolUse: { ...OF_PASCAL.PreToolUse, readsWrapper: true },
      preToolUse: { when: 'before', members: CAMEL, enforcesAsk: true },
      postToolUse: { when: 'succeeded', members: CAMEL },
      postToolUseFailure: { when: 'failed', members: CAMEL },
    },
    // Bodies in its own names do not name their event.
    eventOf: (body) => {
      if (!('toolName' in body)) return named(body);
      return 'toolResult' in body ? 'postToolUse' : 'error' in body ? 'postToolUseFailure' : 'preToolUse';
    },
    foreign: [BY_CURSOR, BY_CODEX, TIMELESS],
    permission: {},
    question: (reason) => ({ permissionDecision: 'ask', permissionDecisionReason: reason }),
    notice: null,
  },
};

/** Events of each tool by whether they are answered before a call, for messages. */
export function eventNames(tool: HookTool): readonly string[] {
  return Object.keys(DIALECTS[tool].events);
}
