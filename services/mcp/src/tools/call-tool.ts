import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { ApiAnswer } from '../answer/api.js';
import { TOOLS } from './tools.js';

/**
 * What a tool gives: the answer of its route and the event that records it. A denial is a result, so that the model reads
 * why and what to do instead; what the caller has to change (400, 404, 409) is an error of the tool.
 */
export async function callTool(
  name: string,
  given: Readonly<Record<string, unknown>>,
  ask: (path: string, body: unknown) => Promise<ApiAnswer>,
): Promise<CallToolResult> {
  const tool = TOOLS.find(({ shown }) => shown.name === name);
  if (tool === undefined) {
    const names = TOOLS.map(({ shown }) => shown.name).join(', ');
    return failed({ error: `there is no tool ${name}: use ${names}` });
  }
  const { status, body, eventId } = await ask(tool.path, given);
  const isDenied = tool.decides && body['allowed'] === false;
  if (status >= 300 && !isDenied) return failed(body);
  const structuredContent = { ...body, ...(eventId === null ? {} : { eventId }) };
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
}

function failed(body: Readonly<Record<string, unknown>>): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(body) }], structuredContent: { ...body } };
}
