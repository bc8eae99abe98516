import type { Action } from '@countersign/client';
import type { Asker } from './claude-code.js';
import { notReported, refusal, SILENT, wordsOf, type HookAnswer } from './answer.js';
import { HookInputError, jsonObject, type JsonObject } from './tool-event.js';
import { denialWords, unaskedWords } from './words.js';

const OUTCOMES = ['succeeded', 'failed', 'skipped'] as const;

/**
 * Whether the action on standard input may be done, for any program that runs a command before it acts: exit code 0 or 2,
 * the decision as a line of JSON on standard output, and why not on standard error.
 */
export async function answerCheck(text: string, asker: () => Promise<Asker>): Promise<HookAnswer> {
  try {
    const action = actionIn(jsonObject(text));
    const { client, baseUrl } = await asker();
    const { error, ...result } = await client.check(action);
    const stdout = `${JSON.stringify(result)}\n`;
    if (!result.allowed) return refusal(denialWords({ ...result, ...(error && { error }) }, baseUrl), stdout);
    const warning = result.failedOpen === true ? `countersign: not checked, and let through: ${result.reason}\n` : '';
    return { ...SILENT, stdout, stderr: warning };
  } catch (error) {
    return refusal(unaskedWords(wordsOf(error)));
  }
}

/** Reports what became of a checked action: `{eventId, outcome, detail?}` on standard input. */
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
    return notReported(wordsOf(error));
  }
}

/** An action as `POST /v1/check` takes it, or as the clients do, alone or as the member `action`. */
function actionIn(input: JsonObject): Action {
  const inner = input['action'];
  const {
    type,
    actionType = type,
    ...members
  } = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? (inner as JsonObject) : input;
  if (typeof actionType !== 'string' || actionType === '') {
    throw new HookInputError(
      'an action is a JSON object with a type, such as {"type":"tool_use","tool_name":"deploy"}',
    );
  }
  return { ...members, actionType };
}
