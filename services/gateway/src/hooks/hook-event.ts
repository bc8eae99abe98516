/** One call of a tool, as a coding agent describes it to its hooks. */
export interface ToolCall {
  readonly toolName: string;
  /** The arguments: an object, or text. */
  readonly input: unknown;
  readonly session: string | undefined;
  /** The same before and after the call, and unique in its session; `undefined`: the tool gives none. */
  readonly callId: string | undefined;
  readonly cwd: string | undefined;
  /** The person for whom the agent acts. */
  readonly principal: string | undefined;
}

/** The report of a hook: a call that is about to be made, or that was made. */
export type HookEvent =
  | {
      readonly when: 'before';
      readonly call: ToolCall;
      /** The tool asks its user if the answer says so. */
      readonly enforcesAsk: boolean;
      /** The decision is sent in `hookSpecificOutput` as well. */
      readonly readsWrapper: boolean;
    }
  | {
      readonly when: 'after';
      readonly call: ToolCall;
      readonly outcome: 'succeeded' | 'failed' | 'skipped';
      readonly detail: string | undefined;
    };

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
