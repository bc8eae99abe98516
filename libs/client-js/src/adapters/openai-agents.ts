import { requireFunctions } from '../check-options.js';
import { isDenied, type BegunAction, type Guard } from './begun-action.js';
import { CheckedCalls, type InterruptOptions } from './interrupt.js';
import { beginToolCall, endToolCall, requireToolGuardOptions, type ToolCall } from './tool-call.js';

export type { InterruptOptions, PendingApproval } from './interrupt.js';
export type { ToolCall, ToolGuardOptions } from './tool-call.js';

/** The used part of the argument of `tool` of `@openai/agents`. */
interface ToolDefinition {
  readonly name?: string;
  readonly outputSchema?: unknown;
  readonly errorFunction?: unknown;
  readonly needsApproval?: boolean | NeedsApproval;
  readonly execute: (input: unknown, context?: unknown, details?: ToolCallDetails) => unknown;
}

type NeedsApproval = (context: unknown, input: unknown, callId?: string) => Promise<boolean>;

interface ToolCallDetails {
  readonly toolCall?: { readonly callId?: string };
  readonly signal?: AbortSignal;
}

/**
 * Wraps `tool` of the OpenAI Agents SDK so that calls of its tools are checked before they are executed. The model gets a text
 * as the output of a denied call, with the reason and what to do instead. The function `tool` is wrapped and not its result,
 * because the result turns errors into outputs, so that failures would be reported as successes. For a tool with an
 * `outputSchema`, which a text does not match, a denial is thrown as an `ActionDeniedError` to its `errorFunction`.
 *
 * With the option `interrupt`, a call that a person has to approve interrupts the run (`result.interruptions`), as a tool with
 * `needsApproval` does. Run its state again once the person has decided, whether or not the interruption was approved there.
 * @param tool the function of that name of `@openai/agents`; the returned one replaces it, and throws a TypeError for a tool
 * with an `outputSchema` and no `errorFunction`
 */
export function guardTool<F extends (definition: never) => unknown>(
  countersign: Guard,
  tool: F,
  options: InterruptOptions = {},
): F {
  requireToolGuardOptions(options, ['interrupt']);
  requireFunctions({ ...options }, ['interrupt']);
  const checked = options.interrupt === undefined ? null : new CheckedCalls(countersign, options);
  const guarded = (definition: ToolDefinition): unknown => {
    const given = definition.name ?? definition.execute.name;
    let toolName = given;
    const isStructured = definition.outputSchema !== undefined;
    if (isStructured && typeof definition.errorFunction !== 'function') {
      throw new TypeError(
        `the tool ${toolName} has an outputSchema: give an errorFunction, which makes an output of a denial`,
      );
    }
    const callOf = (input: unknown, toolCallId: string | undefined): ToolCall => ({
      toolName,
      input,
      ...(toolCallId === undefined ? {} : { toolCallId }),
    });
    const { needsApproval: own = false } = definition;
    const needsApproval: NeedsApproval = async (context, input, callId) => {
      const needsOwn = typeof own === 'function' ? await own(context, input, callId) : own;
      return needsOwn || (await checked?.isPending(context, callOf(input, callId))) === true;
    };
    const guardedDefinition: ToolDefinition = {
      ...definition,
      ...(checked === null ? {} : { needsApproval }),
      name: given,
      execute: async (input, context, details) => {
        const call = callOf(input, details?.toolCall?.callId);
        let begun: BegunAction;
        try {
          begun = await (checked === null
            ? beginToolCall(countersign, call, options, details?.signal)
            : checked.begin(context, call, details?.signal));
        } catch (error) {
          if (isDenied(error) && !isStructured) return error.message;
          throw error;
        }
        return endToolCall(begun, () => definition.execute(input, context, details));
      },
    };
    const made = tool(guardedDefinition as never);
    // The model sees the name that the SDK derives from the given one, such as refund_order for "refund order".
    const { name } = (made ?? {}) as { readonly name?: unknown };
    if (typeof name === 'string' && name !== '') toolName = name;
    return made;
  };
  return guarded as unknown as F;
}
