import { unknownField } from '@countersign/contracts';
import type { CheckAction, CheckRequest } from '@countersign/contracts';

const UUID = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/;
const ACTION_TEXTS = ['url', 'dataScope', 'tool_name', 'toolName'] as const;

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The body of a check, or what to change in it. Equivalent to the schema `checkBody` of contracts, but written by hand
 * because every check runs it; a property test compares the two.
 */
export function readCheck(body: unknown): CheckRequest | string {
  if (!isObject(body)) return 'send an object with agentId and action';
  for (const member in body) {
    if (member === 'agentId' || member === 'action') continue;
    if (member === 'actionType') return 'actionType is not taken: send action.type';
    return `${unknownField(member, ['agentId', 'action'])}. Put what describes the action into action`;
  }
  const agentId = body['agentId'];
  if (agentId === undefined) return 'agentId is missing';
  if (typeof agentId !== 'string' || !UUID.test(agentId)) return 'agentId must be a UUID in the form 8-4-4-4-12';
  const action = body['action'];
  if (action === undefined) return 'action is missing';
  if (!isObject(action)) return 'action must be an object';
  const problem = actionProblem(action);
  return problem ?? { agentId, action: action as CheckAction };
}

function actionProblem(action: JsonObject): string | null {
  const type = action['type'];
  if (type === undefined) return 'action.type is missing';
  if (typeof type !== 'string') return 'action.type must be a string';
  if (type === '') return 'action.type must not be empty';
  for (const member of ACTION_TEXTS) {
    const value = action[member];
    if (value !== undefined && typeof value !== 'string') return `action.${member} must be a string, or left out`;
  }
  if (action['dataScope'] === '') return 'action.dataScope must not be empty: leave it out where there is none';
  const cost = action['estimatedCost'];
  if (cost !== undefined) {
    if (typeof cost !== 'number') return 'action.estimatedCost must be a number of US dollars, or left out';
    if (cost < 0) return 'action.estimatedCost must not be below zero';
  }
  const metadata = action['metadata'];
  if (metadata !== undefined && !isObject(metadata)) return 'action.metadata must be an object, or left out';
  return null;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
