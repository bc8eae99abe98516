import { homedir } from 'node:os';
import { join } from 'node:path';
import { inheritedEnvironment } from '@countersign/process/client-environment';

/** The coding agents that `countersign hook install` sets up. */
export const SETUP_TOOLS = ['claude-code', 'codex', 'cursor', 'gemini', 'copilot'] as const;
export type SetupTool = (typeof SETUP_TOOLS)[number];
export type Scope = 'user' | 'project';

export type Json = Readonly<Record<string, unknown>>;

/** Where a hook asks, without the API key: that stays in the environment, or in a file of the user alone. */
export interface Place {
  readonly url: string;
  readonly agentId: string;
  /** The file with the headers of commands. */
  readonly headersFile: string;
}

/** Result of one run of a hook. A hook over HTTP ends with 0 for a 2xx answer, else with 1. */
export interface HookRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ToolSetup {
  readonly title: string;
  readonly file: (scope: Scope, cwd: string) => string;
  /** Exists where the tool is in use. */
  readonly folder: () => string;
  /** Members that a new settings file has beside `hooks`. */
  readonly base: Json;
  /** Entries by event. */
  readonly hooks: (place: Place) => Readonly<Record<string, Json>>;
  /** Reports whether the tool blocks the call after this run, as its documentation says. */
  readonly blocks: (run: HookRun) => boolean;
  /** The problem of an installed entry before a call, by which it would let calls run; `null`: none. */
  readonly problem: (entry: Json) => string | null;
  readonly event: string;
  /** A call, as the tool sends it. */
  readonly call: Json;
  readonly afterwards: string;
  readonly uncovered: readonly string[];
}

/** curl ends before the tool's own timeout, after which most tools let the call run. */
const CURL_SECONDS = 20;
const HOOK_SECONDS = 30;
const UNANSWERED = 'Countersign did not answer, so this is not allowed. Ask the user whether it runs.';

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A path in a shell command; the settings of a project serve users with other home folders as well. */
function shellPath(path: string): string {
  const home = `${homedir()}/`;
  return path.startsWith(home) ? `"$HOME"/${quoted(path.slice(home.length))}` : quoted(path);
}

/** A command that prints the answer, or ends with 2 and a reason if there is none. */
function command({ url, headersFile }: Place): string {
  const headers = `-H 'content-type: application/json' -H @${shellPath(headersFile)}`;
  const curl = `curl -sS --fail --max-time ${CURL_SECONDS} --data-binary @- ${headers} ${quoted(url)}`;
  return `${curl} || { echo ${quoted(UNANSWERED)} >&2; exit 2; }`;
}

const inHome = (variable: string, folder: string): string =>
  inheritedEnvironment()[variable] ?? join(homedir(), folder);
const ofScope =
  (home: () => string, user: string, project: string) =>
  (scope: Scope, cwd: string): string =>
    scope === 'user' ? join(home(), user) : join(cwd, project);

function jsonIn(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Json) : null;
  } catch {
    return null;
  }
}

const wrapped = (text: string): Json => (jsonIn(text)?.['hookSpecificOutput'] ?? {}) as Json;
const hasText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';
const blocksAs = (decision: unknown): boolean => decision === 'deny' || decision === 'block';
const shortTimeout = (entry: Json, name: string, unit: number): string | null =>
  typeof entry[name] === 'number' && entry[name] < (CURL_SECONDS + 1) * unit
    ? `its ${name} ends before the command does, and the tool then lets the call run`
    : null;

const grouped = (entry: Json): Json => ({ hooks: [entry] });
const claudeHome = (): string => inHome('CLAUDE_CONFIG_DIR', '.claude');
const codexHome = (): string => inHome('CODEX_HOME', '.codex');
const copilotHome = (): string => inHome('COPILOT_HOME', '.copilot');
const cursorHome = (): string => join(homedir(), '.cursor');
const geminiHome = (): string => join(homedir(), '.gemini');

const pascalCall = { session_id: 'canary', tool_name: 'countersign_canary', tool_input: { canary: true } };

export const TOOL_SETUPS: Readonly<Record<SetupTool, ToolSetup>> = {
  'claude-code': {
    title: 'Claude Code',
    file: ofScope(claudeHome, 'settings.json', '.claude/settings.json'),
    folder: claudeHome,
    base: {},
    hooks: ({ url, agentId }) => {
      const entry = {
        type: 'http',
        url,
        timeout: HOOK_SECONDS,
        headers: { 'x-service-key': '$COUNTERSIGN_API_KEY', 'x-countersign-agent': agentId },
        allowedEnvVars: ['COUNTERSIGN_API_KEY'],
      };
      return {
        PreToolUse: grouped({ ...entry, onFailure: 'block' }),
        PostToolUse: grouped(entry),
        PostToolUseFailure: grouped(entry),
      };
    },
    blocks: ({ code, stdout }) => code !== 0 || wrapped(stdout)['permissionDecision'] === 'deny',
    problem: (entry) =>
      entry['onFailure'] === 'block' ? null : 'it has no "onFailure": "block": a call runs if the hook fails',
    event: 'PreToolUse',
    call: { ...pascalCall, hook_event_name: 'PreToolUse' },
    afterwards:
      'Set COUNTERSIGN_API_KEY in the environment of Claude Code, and start it again. It must be 2.1.295 or later: earlier ones ignore onFailure.',
    uncovered: [
      'files that a prompt names with @ are read without a hook',
      'settings with "disableAllHooks": true, and versions before 2.1.295, whose hooks do not block when they fail',
    ],
  },
  codex: {
    title: 'Codex',
    file: ofScope(codexHome, 'hooks.json', '.codex/hooks.json'),
    folder: codexHome,
    base: {},
    hooks: (place) => {
      const entry = { type: 'command', command: command(place), timeout: HOOK_SECONDS };
      return { PreToolUse: grouped(entry), PostToolUse: grouped(entry) };
    },
    blocks: ({ code, stdout, stderr }) => {
      if (code === 2) return hasText(stderr);
      const said = wrapped(stdout);
      return code === 0 && said['permissionDecision'] === 'deny' && hasText(said['permissionDecisionReason']);
    },
    problem: (entry) => shortTimeout(entry, 'timeout', 1),
    event: 'PreToolUse',
    call: { ...pascalCall, hook_event_name: 'PreToolUse', turn_id: 'canary', model: 'canary' },
    afterwards: 'Open /hooks in Codex and trust the hook: until then Codex skips it.',
    uncovered: [
      'hooks that were not trusted with /hooks, or are off by features.hooks = false',
      'tools that Codex runs without hooks, such as its own web search',
    ],
  },
  cursor: {
    title: 'Cursor',
    file: ofScope(cursorHome, 'hooks.json', '.cursor/hooks.json'),
    folder: cursorHome,
    base: { version: 1 },
    hooks: (place) => {
      const entry = { command: command(place), timeout: HOOK_SECONDS };
      return { preToolUse: { ...entry, failClosed: true }, postToolUse: entry, postToolUseFailure: entry };
    },
    // With `failClosed`, whatever is not a decision blocks.
    blocks: ({ code, stdout }) => code !== 0 || jsonIn(stdout)?.['permission'] !== 'allow',
    problem: (entry) =>
      entry['failClosed'] === true ? shortTimeout(entry, 'timeout', 1) : 'it has no "failClosed": true',
    event: 'preToolUse',
    call: { ...pascalCall, conversation_id: 'canary', hook_event_name: 'preToolUse' },
    afterwards: 'Start Cursor again. Its settings show the hook under Hooks.',
    uncovered: ['inline completions (Tab), which call no preToolUse', 'versions of Cursor without preToolUse'],
  },
  gemini: {
    title: 'Gemini CLI',
    file: ofScope(geminiHome, 'settings.json', '.gemini/settings.json'),
    folder: geminiHome,
    base: {},
    hooks: (place) => ({
      BeforeTool: grouped({
        type: 'command',
        name: 'countersign',
        command: command(place),
        timeout: HOOK_SECONDS * 1000,
      }),
    }),
    blocks: ({ code, stdout, stderr }) => {
      const said = jsonIn(stdout.trim() === '' ? stderr : stdout);
      if (said !== null) return blocksAs(said['decision']);
      return code !== 0 && code !== 1 && (hasText(stdout) || hasText(stderr));
    },
    problem: (entry) => shortTimeout(entry, 'timeout', 1000),
    event: 'BeforeTool',
    call: { ...pascalCall, hook_event_name: 'BeforeTool' },
    afterwards: 'Start Gemini CLI again; in a project, it asks whether the hook is trusted.',
    uncovered: ['outcomes: Gemini CLI does not identify its calls', 'hooks that are disabled with /hooks'],
  },
  copilot: {
    title: 'GitHub Copilot CLI',
    file: ofScope(copilotHome, 'hooks/countersign.json', '.github/hooks/countersign.json'),
    folder: copilotHome,
    base: { version: 1 },
    hooks: (place) => ({ preToolUse: { type: 'command', bash: command(place), timeoutSec: HOOK_SECONDS } }),
    blocks: ({ code, stdout }) => code !== 0 || jsonIn(stdout)?.['permissionDecision'] === 'deny',
    problem: (entry) =>
      entry['type'] === 'http'
        ? 'Copilot lets a call run if a hook of the type http fails: use a command'
        : shortTimeout(entry, 'timeoutSec', 1),
    event: 'preToolUse',
    call: { sessionId: 'canary', timestamp: 0, cwd: '/', toolName: 'countersign_canary', toolArgs: { canary: true } },
    afterwards: 'Start Copilot CLI again.',
    uncovered: [
      'outcomes: Copilot does not identify its calls',
      'the cloud agent, unless its firewall allows the address and the repository has the hook',
      'Windows, where Copilot reads "powershell" instead of "bash"',
    ],
  },
};

/** An event that no tool has: the answer is a denial, whatever the profile says. */
export const CANARY: Json = { hook_event_name: 'CountersignCanary', tool_name: 'countersign_canary', tool_input: {} };
