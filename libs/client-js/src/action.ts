/** What an agent is about to do. Further members are the caller's own and are kept with the event. */
export interface Action {
  /** The field `action.type`: `http_call`, `llm_response`, `data_access`, `tool_use`, or a word of one's own. */
  readonly actionType: string;
  readonly url?: string;
  readonly toolName?: string;
  /** Of a `data_access`. */
  readonly dataScope?: string;
  /** US dollars. */
  readonly estimatedCost?: number;
  /** What is sent or said: any JSON value. */
  readonly payload?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly [member: string]: unknown;
}

/** Body of `POST /v1/check`, as text. @throws TypeError where the action is not one, or has no JSON form */
export function checkBody(agentId: string, action: Action): string {
  const { actionType, ...members } = action;
  if (typeof actionType !== 'string' || actionType === '') {
    throw new TypeError('an action has an actionType, such as "tool_use"');
  }
  return JSON.stringify({ agentId, action: { ...members, type: actionType } });
}
