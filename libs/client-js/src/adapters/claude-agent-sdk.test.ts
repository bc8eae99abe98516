import { Countersign } from '../index.js';
import { guardHooks } from './claude-agent-sdk.js';

interface Seen {
  readonly agentId: string;
  readonly action?: { readonly toolName: string; readonly metadata?: unknown };
  readonly eventId?: string;
  readonly outcome?: string;
}

/** A client of a service that denies the tool `Bash`, and the bodies that it was sent. */
function service(status = 200): { client: Countersign; seen: Seen[] } {
  const seen: Seen[] = [];
  const fetch = (url: string, { body }: RequestInit): Promise<Response> => {
    const sent = JSON.parse(body as string) as Seen;
    seen.push(sent);
    const denies = sent.action?.toolName === 'Bash';
    const answer = denies ? { allowed: false, reason: 'off limits', severity: 'P1' } : { allowed: true };
    const headers = { 'x-event-id': `event-${seen.length}` };
    return Promise.resolve(
      new Response(JSON.stringify(answer), { status: url.endsWith('/log') ? 201 : status, headers }),
    );
  };
  return { client: new Countersign({ apiKey: 'k', agentId: 'a', fetch, retries: 0 }), seen };
}

type Hooks = ReturnType<typeof guardHooks>;
type Event = keyof Hooks;
const { signal } = new AbortController();
const input = { session_id: 's-1', tool_name: 'Read', tool_input: { file_path: 'notes.txt' } };
const DENIED = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' } };

/** Calls the hook of an event as the SDK does. */
const says = (hooks: Hooks, event: Event, id: string, more: object = {}) =>
  hooks[event][0]!.hooks[0]!({ ...input, tool_use_id: id, ...more }, id, { signal });

describe('hooks of the Claude Agent SDK', () => {
  it('grant nothing to an allowed call, report its outcome once, and block where they fail', async () => {
    const { client, seen } = service();
    const hooks = guardHooks(client);
    expect(hooks.PreToolUse[0]?.onFailure).toBe('block');
    expect(await says(hooks, 'PreToolUse', 't1')).toEqual({});
    expect(await says(hooks, 'PreToolUse', 't2')).toEqual({});
    expect(await says(hooks, 'PostToolUseFailure', 't2')).toEqual({});
    for (let n = 0; n < 2; n += 1) expect(await says(hooks, 'PostToolUse', 't1')).toEqual({});
    expect(seen[0]).toMatchObject({
      action: { toolName: 'Read', payload: input.tool_input, metadata: { session: 's-1', toolCallId: 't1' } },
    });
    expect(seen.slice(2).map(({ eventId, outcome }) => [eventId, outcome])).toEqual([
      ['event-2', 'failed'],
      ['event-1', 'succeeded'],
    ]);
  });

  it('deny with the reason, and report a denied call that was made anyway', async () => {
    const { client, seen } = service();
    const hooks = guardHooks(client);
    const said = await says(hooks, 'PreToolUse', 't1', { tool_name: 'Bash' });
    expect(said).toMatchObject(DENIED);
    expect(said.hookSpecificOutput?.permissionDecisionReason).toMatch(/^Not executed: .*off limits/u);
    await says(hooks, 'PostToolUse', 't1', { tool_name: 'Bash' });
    expect(seen[1]).toMatchObject({ eventId: 'event-1', outcome: 'succeeded' });
  });

  it('check the calls of sub-agents, and name these', async () => {
    const { client, seen } = service();
    const subagents = { 'agent-7': 'reviewer-id' } as Readonly<Record<string, string>>;
    const hooks = guardHooks(client, { agentId: ({ metadata }) => subagents[String(metadata?.['subagent'])] });
    const within = { agent_id: 'agent-7', agent_type: 'code-reviewer' };
    expect(await says(hooks, 'PreToolUse', 't1', { ...within, tool_name: 'Bash' })).toMatchObject(DENIED);
    expect(await says(hooks, 'PreToolUse', 't2', within)).toEqual({});
    expect(await says(hooks, 'PreToolUse', 't3')).toEqual({});
    expect(seen.map(({ agentId, action }) => [agentId, action?.metadata])).toEqual([
      ...['t1', 't2'].map((toolCallId) => [
        'reviewer-id',
        { session: 's-1', subagent: 'agent-7', subagentType: 'code-reviewer', toolCallId },
      ]),
      ['a', { session: 's-1', toolCallId: 't3' }],
    ]);
    await says(hooks, 'PostToolUse', 't2', within);
    expect(seen.at(-1)).toMatchObject({ agentId: 'reviewer-id', outcome: 'succeeded' });
  });

  it('deny a call that is not decided or cannot be checked', async () => {
    expect(await says(guardHooks(service(503).client), 'PreToolUse', 't1')).toMatchObject(DENIED);
    const failing = guardHooks(service().client, {
      action: () => {
        throw new Error('no such account');
      },
    });
    const said = await says(failing, 'PreToolUse', 't1');
    expect(said.hookSpecificOutput?.permissionDecisionReason).toMatch(/could not be checked.*no such account/u);
    expect(await says(guardHooks(service().client), 'PreToolUse', 't1', { tool_name: undefined })).toMatchObject(
      DENIED,
    );
  });
});
