import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { ApiAnswer, Headers } from '../answer/api.js';
import { TOOLS } from './tools.js';

type Body = ApiAnswer['body'];

const UNDECIDED = 'it is not said whether this is allowed: do not act, ask again in a moment';

/**
 * Calls a tool; its result is the answer of its route with the id of the event that records it. A denial is a result, so that
 * the model reads the reason and what to do instead. Errors of the caller (400, 404, 409), and an answer whose `allowed` is not
 * a boolean, are errors of the tool.
 * @param traceparent of the call; of a check that is recorded, the result repeats it in `_meta`
 */
export async function callTool(
  name: string,
  given: Readonly<Record<string, unknown>>,
  ask: (path: string, body: unknown) => Promise<ApiAnswer>,
  { traceparent }: Headers = {},
): Promise<CallToolResult> {
  const tool = TOOLS.find(({ shown }) => shown.name === name);
  if (tool === undefined) {
    const names = TOOLS.map(({ shown }) => shown.name).join(', ');
    return failed({ error: `there is no tool ${name}: use ${names}` });
  }
  const { status, body, eventId, wouldDeny } = await ask(tool.path, given);
  const isDenied = tool.decides && body['allowed'] === false;
  if (status >= 300 && !isDenied) return failed(errorOf(status, body));
  if (tool.decides && typeof body['allowed'] !== 'boolean') return failed({ error: UNDECIDED });
  const structuredContent = {
    ...body,
    ...(eventId === null ? {} : { eventId }),
    ...(wouldDeny === undefined ? {} : { would_deny: wouldDeny }),
  };
  const isTraced = tool.decides && eventId !== null && traceparent !== undefined;
  return {
    content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
    structuredContent,
    ...(isTraced ? { _meta: { traceparent } } : {}),
  };
}

/** Takes only the reason and the code from an answer that is not one of the route, never `allowed`. */
function errorOf(status: number, { error, reason, code }: Body): Body {
  const why =
    [error, reason].find((text) => typeof text === 'string') ?? `the service answered ${status}: ${UNDECIDED}`;
  return { error: why, ...(typeof code === 'string' ? { code } : {}) };
}

function failed(body: Body): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(body) }], structuredContent: { ...body } };
}
