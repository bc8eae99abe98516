import { readFileSync } from 'node:fs';
import { Countersign, type Action } from '@countersign/client';
import { guardTools } from '@countersign/client/ai-sdk';
import { actionOf as actionOfHook, readToolEvent } from './hook/tool-event.js';
import { actionOf as actionOfProxy, readMessage, readToolCall } from '@countersign/mcp-proxy';
import type { Request, ToolCall } from '@countersign/mcp-proxy';

interface Case {
  readonly name: string;
  readonly input: unknown;
  readonly url?: string;
}

const TABLE = new URL('../../../test-e2e/client-cases/tool-calls.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(TABLE, 'utf8')) as { readonly cases: readonly Case[] };

/** The action that the adapters send to a service. */
async function byAdapter(input: unknown): Promise<Action> {
  const asked: Action[] = [];
  const fetch = (_url: string, { body }: RequestInit): Promise<Response> => {
    const { type, ...action } = (JSON.parse(body as string) as { action: Action & { type: string } }).action;
    asked.push({ ...action, actionType: type });
    return Promise.resolve(new Response('{"allowed":true}'));
  };
  const client = new Countersign({ apiKey: 'k', agentId: 'a', fetch, retries: 0 });
  const { tool } = guardTools(client, { tool: { execute: (_input: unknown) => 'done' } });
  await (tool.execute(input) as unknown as Promise<string>);
  return asked[0]!;
}

function byHook(input: unknown): Action {
  return actionOfHook(
    readToolEvent(JSON.stringify({ hook_event_name: 'PreToolUse', tool_name: 'tool', tool_input: input })),
  );
}

function byProxy(input: unknown): Action {
  const params = { name: 'tool', arguments: input };
  const request = readMessage(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })) as Request;
  return actionOfProxy(readToolCall(request) as ToolCall, null);
}

describe.each([
  ['the adapters', byAdapter],
  ['the hook', byHook],
  ['the proxy', byProxy],
])('%s convert a call to the same action', (_name, actionOf) => {
  // The decisions on such actions are tested with the service.
  it.each(cases.map((one) => [one.name, one] as const))('%s', async (_case, { input, url }) => {
    const { actionType, toolName, url: repeated, payload } = await actionOf(input);
    expect([actionType, toolName, repeated, payload ?? null]).toEqual(['tool_use', 'tool', url, input]);
  });
});
