import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { CommandFailed, EXIT } from '../exit-codes.js';

/** The `action` of a check. */
export interface Action {
  readonly type: string;
  readonly [member: string]: unknown;
}

/**
 * Reads the actions of a recorded file: tau-bench's conversations (a JSON array with `traj`), or JSON lines, each an action or
 * `{action: …}`.
 * @throws CommandFailed 64 naming the file, and the line if there is one
 */
export async function readActions(file: string): Promise<readonly Action[]> {
  const first = await firstCharacter(file);
  if (first === '[') return conversationActions(file);
  const actions: Action[] = [];
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity })) {
    line += 1;
    if (text.trim() !== '') actions.push(lineAction(text, `${file}:${line}`));
  }
  return actions;
}

async function firstCharacter(file: string): Promise<string> {
  const handle = await open(file).catch(() => {
    throw new CommandFailed(EXIT.usage, `cannot read ${file}`);
  });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(256), 0, 256, 0);
    return buffer.toString('utf8', 0, bytesRead).trimStart().charAt(0);
  } finally {
    await handle.close();
  }
}

function lineAction(text: string, location: string): Action {
  const value = parse(text, location);
  const action = isObject(value) && isObject(value['action']) ? value['action'] : value;
  if (!isObject(action) || typeof action['type'] !== 'string')
    throw new CommandFailed(EXIT.usage, `${location}: an action is an object with a "type"`);
  return action as Action;
}

interface Message {
  readonly role?: unknown;
  readonly content?: unknown;
  readonly tool_calls?: unknown;
}

async function conversationActions(file: string): Promise<readonly Action[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(file)) chunks.push(chunk as Buffer);
  const conversations = parse(Buffer.concat(chunks).toString('utf8'), file);
  if (!Array.isArray(conversations)) throw new CommandFailed(EXIT.usage, `${file}: not a list of conversations`);
  return conversations.flatMap((conversation: unknown, i) => {
    const messages = isObject(conversation) ? conversation['traj'] : undefined;
    if (!Array.isArray(messages)) throw new CommandFailed(EXIT.usage, `${file}: conversation ${i} has no "traj"`);
    return (messages as Message[]).filter((message) => message.role === 'assistant').flatMap(messageActions);
  });
}

/** The actions of an assistant's message: its tool calls, or else its text to the customer. */
function messageActions(message: Message): readonly Action[] {
  const calls = Array.isArray(message.tool_calls) ? (message.tool_calls as unknown[]) : [];
  const actions = calls.flatMap((call) => {
    const called = isObject(call) && isObject(call['function']) ? call['function'] : {};
    return typeof called['name'] === 'string' ? [toolAction(called['name'], called['arguments'])] : [];
  });
  if (actions.length > 0) return actions;
  return typeof message.content === 'string' && message.content !== ''
    ? [{ type: 'llm_response', payload: message.content }]
    : [];
}

function toolAction(name: string, given: unknown): Action {
  const payload = typeof given === 'string' ? tolerant(given) : (given ?? null);
  const cost = amounts(payload);
  return { type: 'tool_use', tool_name: name, ...(cost > 0 ? { estimatedCost: cost } : {}), payload };
}

/** A model's arguments may not be JSON: then the text itself is the payload. */
function tolerant(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** Sum of every number named `amount`, in whole cents to avoid binary fractions. */
function amounts(value: unknown): number {
  return Math.round(100 * sum(value)) / 100;
}

function sum(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((total, item) => total + sum(item), 0);
  if (!isObject(value)) return 0;
  return Object.entries(value).reduce(
    (total, [key, item]) => total + (key === 'amount' && typeof item === 'number' && item > 0 ? item : sum(item)),
    0,
  );
}

function parse(text: string, location: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new CommandFailed(EXIT.usage, `${location}: not JSON`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
