import { readFileSync } from 'node:fs';
import { callTool } from './call-tool.js';

const TABLE = new URL('../../../../test-e2e/client-cases/tool-calls.json', import.meta.url);
const { cases } = JSON.parse(readFileSync(TABLE, 'utf8')) as {
  readonly cases: readonly { name: string; input: unknown; url?: string; refused?: string }[];
};

/** What the API is asked for a check of this action; `null` where it is not asked. */
async function askedFor(action: object): Promise<{ action: Record<string, unknown> | null; said: string }> {
  let asked: Record<string, unknown> | null = null;
  const answer = await callTool('check_action', { agentId: 'a', action }, (_path, body) => {
    asked = (body as { action: Record<string, unknown> }).action;
    return Promise.resolve({ status: 200, body: { allowed: true }, eventId: null });
  });
  return { action: asked, said: JSON.stringify(answer) };
}

describe('a call of a tool that a model asks about', () => {
  it.each(cases.map((one) => [one.name, one] as const))('%s', async (_name, { input, url, refused }) => {
    const { action, said } = await askedFor({ type: 'tool_use', tool_name: 'tool', payload: input });
    if (refused === undefined) expect([action?.['payload'], action?.['url']]).toEqual([input, url]);
    else expect([action, said]).toEqual([null, expect.stringContaining(refused)]);
  });

  it('keeps the address that it names, and is not looked into where it calls no tool', async () => {
    const payload = { url: 'https://a.example/' };
    const named = { type: 'tool_use', url: 'https://b.example/', payload };
    const other = { type: 'llm_response', payload };
    for (const action of [named, other]) expect((await askedFor(action)).action).toEqual(action);
  });
});
