import type { HookTool } from '@countersign/contracts';
import { DIALECTS, eventNames } from './dialects.js';
import type { CallMembers, EventForm } from './dialects.js';
import { isObject } from './hook-event.js';
import type { HookEvent, JsonObject, ToolCall } from './hook-event.js';

/**
 * Reads the body of a hook in the form of its tool; a text says why it is not one. Members that are not read are ignored,
 * so that a later version of the tool may add some.
 */
export function readHook(tool: HookTool, body: unknown): HookEvent | string {
  const { eventOf, events, foreign } = DIALECTS[tool];
  if (!isObject(body)) return 'the body of a hook is an object';
  const other = foreign.find(({ isIn }) => isIn(body));
  if (other !== undefined) return `this is a body of ${other.of}, and ${tool} was expected`;
  const name = eventOf(body);
  const form = name !== undefined && Object.hasOwn(events, name) ? events[name] : undefined;
  if (form === undefined) return `this hook is for the events ${eventNames(tool).join(', ')}`;
  return form.when === 'before' ? before(form, body) : after(form.when, form, body);
}

function before(form: EventForm, body: JsonObject): HookEvent | string {
  const call = callIn(form, body);
  return typeof call === 'string'
    ? call
    : { when: 'before', call, enforcesAsk: form.enforcesAsk === true, readsWrapper: form.readsWrapper === true };
}

function after(when: 'succeeded' | 'failed', form: EventForm, body: JsonObject): HookEvent | string {
  const call = callIn(form, body);
  if (typeof call === 'string') return call;
  const denied = body['failure_type'] === 'permission_denied';
  const detail = body['is_interrupt'] === true ? 'interrupted by the user' : undefined;
  return { when: 'after', call, outcome: denied ? 'skipped' : when, detail };
}

function callIn({ members, ofTool }: EventForm, body: JsonObject): ToolCall | string {
  const toolName = ofTool?.name ?? textIn(body, members.tool);
  if (toolName === undefined) return `${members.tool} is missing, or not a text`;
  const input = ofTool === undefined ? inputIn(members, body) : picked(body, ofTool.input);
  if (input === undefined) {
    return ofTool === undefined
      ? `${members.input} is missing, or neither an object nor a text`
      : `${ofTool.input[0]} is missing, or not a text`;
  }
  return {
    toolName,
    input,
    session: textIn(body, members.session),
    callId: members.callId === undefined ? undefined : textIn(body, members.callId),
    cwd: textIn(body, 'cwd'),
    principal: members.principal === undefined ? undefined : textIn(body, members.principal),
  };
}

/** Arguments are an object; some tools send its JSON text. */
function inputIn({ input: name }: CallMembers, body: JsonObject): unknown {
  const input = Object.hasOwn(body, name) ? body[name] : undefined;
  if (isObject(input)) return input;
  if (typeof input !== 'string') return undefined;
  try {
    const held: unknown = JSON.parse(input);
    return isObject(held) ? held : input;
  } catch {
    return input;
  }
}

/** The named members, of which the first must be a text. */
function picked(body: JsonObject, names: readonly string[]): JsonObject | undefined {
  if (textIn(body, names[0]!) === undefined) return undefined;
  return Object.fromEntries(names.filter((name) => Object.hasOwn(body, name)).map((name) => [name, body[name]]));
}

function textIn(body: JsonObject, name: string): string | undefined {
  const value = Object.hasOwn(body, name) ? body[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}
