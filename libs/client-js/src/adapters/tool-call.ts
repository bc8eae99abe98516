import type { Action } from '../action.js';
import { ActionDeniedError } from '../action-denied.js';
import { requireFunctions, requireKnown } from '../check-options.js';
import { isUnavailable } from '../errors.js';
import type { CallOptions } from '../options.js';
import type { CheckResult } from '../result.js';
import { toolCallAction } from '../tool-action.js';
import { whole } from '../whole.js';
import { begin, isDenied, type BegunAction, type Guard } from './begun-action.js';

/** A model's call of a tool, as a framework passes it on. */
export interface ToolCall {
  readonly toolName: string;
  /** The model's input, parsed by the tool's schema. */
  readonly input: unknown;
  /** Id by the framework, which is not globally unique: some models count from 0 in each run. */
  readonly toolCallId?: string;
  /** More that the framework says of the call, for the metadata of the action. */
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface ToolGuardOptions {
  /**
   * Members of the action that replace those of the default: `actionType: 'tool_use'`, `toolName`, the input as `payload`,
   * its argument `url` as `url`, the call's id in `metadata`. A spending limit counts the `estimatedCost` that this returns.
   */
  readonly action?: (call: ToolCall) => Partial<Action>;
  /** The agent that acts, if it is not the client's. */
  readonly agentId?: (call: ToolCall) => string | undefined;
  /**
   * Idempotency key of the check. Default: a new one for each execution, so that each is judged, counted and reported on its
   * own. Return one that names the run and the call if a repeated execution is to be the same check.
   */
  readonly idempotencyKey?: (call: ToolCall) => string | undefined;
}

const OPTIONS = ['action', 'agentId', 'idempotencyKey'] as const satisfies readonly (keyof ToolGuardOptions)[];

/**
 * @param more names of options of one adapter
 * @throws TypeError if an option is unknown or not a function
 */
export function requireToolGuardOptions(options: ToolGuardOptions, more: readonly string[] = []): void {
  requireKnown(options, [...OPTIONS, ...more], 'options');
  requireFunctions(options, OPTIONS);
}

/**
 * Begins a call of a tool if it is allowed.
 * @param waitForApprovalMs Default: the client's
 * @throws ActionDeniedError with a message for the model; otherwise as `guard` does before it executes
 */
export async function beginToolCall(
  countersign: Guard,
  call: ToolCall,
  options: ToolGuardOptions,
  signal?: AbortSignal,
  waitForApprovalMs?: number,
): Promise<BegunAction> {
  try {
    const wait = waitForApprovalMs === undefined ? {} : { waitForApprovalMs };
    return await begin(countersign, actionOf(call, options), { ...callOptionsOf(call, options, signal), ...wait });
  } catch (error) {
    if (!isDenied(error)) throw error;
    const denied = new ActionDeniedError(error.result);
    denied.message = wordsFor(call, error.result);
    throw denied;
  }
}

/**
 * Executes a call of a tool that has begun, and reports its outcome.
 * @returns the result of `execute`
 * @throws errors of `execute`; TypeError if it returns a generator, which has not executed anything yet
 */
export async function endToolCall<T>(begun: BegunAction, execute: () => T | PromiseLike<T>): Promise<T> {
  let value: T;
  try {
    value = whole(await execute());
  } catch (error) {
    await begun.failed();
    throw error;
  }
  await begun.succeeded();
  return value;
}

function actionOf(given: ToolCall, { action }: ToolGuardOptions): Action {
  const { toolName, input, toolCallId, metadata: more } = given;
  const call = {
    ...{ toolName, input },
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(more === undefined ? {} : { metadata: more }),
  };
  const metadata = { ...more, ...(toolCallId === undefined ? {} : { toolCallId }) };
  const known = Object.keys(metadata).length === 0 ? {} : { metadata };
  return toolCallAction({ toolName, input, ...known }, action?.(call));
}

function callOptionsOf(call: ToolCall, options: ToolGuardOptions, signal: AbortSignal | undefined): CallOptions {
  const agentId = options.agentId?.(call);
  const idempotencyKey = options.idempotencyKey?.(call);
  return {
    ...(agentId === undefined ? {} : { agentId }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(signal === undefined ? {} : { signal }),
  };
}

/** Text for the model in place of a result: nothing was done, the reason, and what to do instead. */
function wordsFor({ toolName }: ToolCall, { reason = 'no reason was given', violations }: CheckResult): string {
  const [code] = violations ?? [];
  if (code !== undefined && isUnavailable(code)) {
    return `Not executed: nobody decided whether ${toolName} may be called (${code}). Go on without it, or try again later.`;
  }
  const why = /[.!?]$/u.test(reason) ? reason : `${reason}.`;
  if (code === undefined) return `Not executed: this call of ${toolName} was denied: ${why}`;
  if (code === 'invalid_request') return `Not executed: ${toolName} cannot be called so: ${why} Change its arguments.`;
  return `Not executed: ${toolName} may not be called: ${why} Another try changes nothing: tell whoever asked.`;
}
