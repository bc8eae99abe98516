import { ActionDeniedError, toolCallAction } from '@countersign/client';
import { isObject } from './hook-event.js';
import type { JsonObject } from './hook-event.js';

/** A request of LiteLLM's generic guardrail, as checks. */
export interface GuardrailRequest {
  /** Alias of the key that LiteLLM's caller used; `undefined`: it has none. */
  readonly keyAlias: string | undefined;
  /** Actions of `POST /v1/check`, at least one, in the order in which they are checked. */
  readonly actions: readonly object[];
}

/**
 * Reads the body of LiteLLM's generic guardrail API (`GenericGuardrailAPIRequest`, LiteLLM 1.108); a text says why it is not
 * one. Tool calls of a request are those of earlier responses, and were checked with them.
 */
export function readGuardrail(body: unknown): GuardrailRequest | string {
  if (!isObject(body)) return 'the body of a guardrail is an object';
  const { input_type: type, texts = null, tool_calls: calls = null, request_data: data = null } = body;
  if (type !== 'request' && type !== 'response') return 'input_type is neither request nor response';
  if (texts !== null && !isListOfTexts(texts)) return 'texts is not a list of texts';
  if (calls !== null && !Array.isArray(calls)) return 'tool_calls is not a list';
  if (data !== null && !isObject(data)) return 'request_data is not an object';
  const metadata = metadataOf(body, data ?? {});
  const toolActions: object[] = [];
  for (const call of type === 'response' ? (calls ?? []) : []) {
    const action = toolAction(call, metadata);
    if (typeof action === 'string') return action;
    toolActions.push(action);
  }
  const said = contentOf(texts ?? []);
  const text = said === undefined && toolActions.length > 0 ? [] : [textAction(type, said, metadata)];
  return { keyAlias: textOf(data?.['user_api_key_alias']), actions: [...text, ...toolActions] };
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** `undefined`: there is none. */
function contentOf(texts: readonly string[]): string | readonly string[] | undefined {
  const said = texts.filter((text) => text.trim() !== '');
  return said.length === 1 ? said[0] : said.length === 0 ? undefined : said;
}

function textAction(type: 'request' | 'response', payload: unknown, metadata: JsonObject): object {
  return {
    type: type === 'request' ? 'llm_request' : 'llm_response',
    ...(payload === undefined ? {} : { payload }),
    metadata,
  };
}

function toolAction(call: unknown, metadata: JsonObject): object | string {
  const called = isObject(call) && isObject(call['function']) ? call['function'] : undefined;
  const toolName = textOf(called?.['name']);
  if (toolName === undefined) return 'a tool call has no function.name';
  const { arguments: sent = null } = called!;
  const callId = isObject(call) ? textOf(call['id']) : undefined;
  try {
    const { actionType, ...members } = toolCallAction({
      toolName,
      input: typeof sent === 'string' ? (objectIn(sent) ?? sent) : sent,
      metadata: { ...metadata, ...(callId === undefined ? {} : { toolCallId: callId }) },
    });
    return { ...members, type: actionType };
  } catch (error) {
    if (error instanceof ActionDeniedError) return error.message;
    throw error;
  }
}

function metadataOf(body: JsonObject, data: JsonObject): JsonObject {
  const known = {
    source: 'litellm',
    callId: textOf(body['litellm_call_id']),
    session: textOf(body['litellm_trace_id']),
    model: textOf(body['model']),
    principal: textOf(data['user_api_key_end_user_id']) ?? textOf(data['user_api_key_user_id']),
    images: Array.isArray(body['images']) && body['images'].length > 0 ? body['images'].length : undefined,
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const held: unknown = JSON.parse(text);
    return isObject(held) ? held : undefined;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
