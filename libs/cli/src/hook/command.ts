import type { Action, CallOptions } from '@countersign/client';
import type { Asker } from './claude-code.js';
import { notReported, refusal, SILENT, errorMessage, type HookAnswer } from './answer.js';
import { HookInputError, jsonObject, type JsonObject } from './tool-event.js';
import { denialMessage, uncheckedMessage } from '@countersign/mcp-proxy/denial-messages';

const OTHER_AGENT =
  'agentId is not the agent that this hook is set up for: leave it out, or configure the hook with --any-agent';

const OUTCOMES = ['succeeded', 'failed', 'skipped'] as const;

/**
 * Checks the action on standard input, for any program that runs a command before it acts: exit code 0 or 2, the
 * decision as a line of JSON on standard output, and the reason of a denial on standard error.
 * @param anyAgent whether the input may name another agent than the configured one
 */
export async function answerCheck(text: string, asker: () => Promise<Asker>, anyAgent = false): Promise<HookAnswer> {
  try {
    const { action, options } = checkIn(jsonObject(text));
    const { client, baseUrl, agentId: configured } = await asker();
    if (!anyAgent && options.agentId !== undefined && options.agentId.toLowerCase() !== configured.toLowerCase()) {
      throw new HookInputError(OTHER_AGENT);
    }
    const { error, ...result } = await client.check(action, options);
    const stdout = `${JSON.stringify(result)}\n`;
    if (!result.allowed) return refusal(denialMessage({ ...result, ...(error && { error }) }, baseUrl), stdout);
    const warning = result.failedOpen === true ? `countersign: not checked, and let through: ${result.reason}\n` : '';
    return { ...SILENT, stdout, stderr: warning };
  } catch (error) {
    return refusal(uncheckedMessage(errorMessage(error)));
  }
}

/** Reports the outcome of a checked action: `{eventId, outcome, detail?}` on standard input. */
export async function answerOutcome(text: string, asker: () => Promise<Asker>): Promise<HookAnswer> {
  try {
    const { eventId, outcome, detail } = jsonObject(text);
    const known = OUTCOMES.find((one) => one === outcome);
    if (typeof eventId !== 'string') throw new HookInputError('eventId: the one that the check gave');
    if (known === undefined) throw new HookInputError(`outcome: one of ${OUTCOMES.join(', ')}`);
    const { client } = await asker();
    await client.reportOutcome({ eventId, outcome: known, ...(typeof detail === 'string' ? { detail } : {}) });
    return SILENT;
  } catch (error) {
    return notReported(errorMessage(error));
  }
}

/**
 * Reads an action alone, as `POST /v1/check` or the clients take it; or, if there is no `type`, the members `action`
 * and `agentId` of a body of `POST /v1/check`.
 * @throws HookInputError
 */
function checkIn(input: JsonObject): { readonly action: Action; readonly options: CallOptions } {
  const { action: inner, agentId } = input;
  const isBody = !('type' in input || 'actionType' in input) && isObject(inner);
  const { type, actionType = type, ...members } = isBody ? inner : input;
  if (typeof actionType !== 'string' || actionType === '') {
    throw new HookInputError(
      'an action is a JSON object with a type, such as {"type":"tool_use","tool_name":"deploy"}',
    );
  }
  const action = { ...members, actionType };
  if (!isBody || agentId === undefined) return { action, options: {} };
  if (typeof agentId !== 'string' || agentId === '') throw new HookInputError('agentId: the id of an agent');
  return { action, options: { agentId } };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
