import { needsApproval } from '../approval.js';
import { isDenied, type BegunAction, type Guard } from './begun-action.js';
import { beginToolCall, type ToolCall, type ToolGuardOptions } from './tool-call.js';

/** A call that a person has still to decide about in Countersign. No arguments of the call: plain JSON, for any store. */
export interface PendingApproval {
  readonly approvalId: string;
  readonly toolName: string;
  /** Id by the framework, by which its own interruption is found. */
  readonly toolCallId?: string;
  /** Where a person decides, after a login. */
  readonly approvalUrl?: string;
  /** ISO 8601 time after which the action has to be asked for again. */
  readonly expiresAt?: string;
  /** Reason of the rule. */
  readonly reason?: string;
}

export interface InterruptOptions extends ToolGuardOptions {
  /**
   * Interrupts the run by the framework's own means where a person has to approve a call. Called with what waits, before
   * the run is interrupted; in LangGraph this is its own `interrupt`. A resumed call is checked again, and executed only if
   * Countersign allows it then: an answer that was given to the framework decides nothing. Default: such a call is denied.
   */
  readonly interrupt?: (pending: PendingApproval) => unknown;
}

/** Milliseconds for which a resumed call waits: a decision reaches a gateway a moment after a person has made it. */
const RESUMED_WAIT_MS = 3000;

/** The call that waits for a person after an error of `beginToolCall`; `null`: none does. */
export function pendingOf({ toolName, toolCallId }: ToolCall, error: unknown): PendingApproval | null {
  if (!isDenied(error) || !needsApproval(error.result)) return null;
  const { approvalId, approvalUrl, expiresAt, reason } = error.result;
  const known = Object.entries({ toolCallId, approvalUrl, expiresAt, reason }).filter(
    ([, value]) => value !== undefined,
  );
  return { approvalId, toolName, ...Object.fromEntries(known) };
}

/**
 * Checks a call that was interrupted before: under a new key, and with the id of its approval once that is decided.
 * @throws as `beginToolCall`
 */
export function beginResumedCall(
  countersign: Guard,
  call: ToolCall,
  options: InterruptOptions,
  signal: AbortSignal | undefined,
): Promise<BegunAction> {
  return beginToolCall(countersign, call, options, signal, RESUMED_WAIT_MS);
}

/** Milliseconds for which an allowed call may still be executed: a later execution is checked again. */
const VERDICT_MS = 60_000;

interface CheckedCall {
  /** Tool, agent and input. */
  readonly what: string;
  readonly begun: Promise<BegunAction>;
  readonly until: number;
}

/** Calls that are checked where a framework asks whether they need an approval, until it executes them. */
export class CheckedCalls {
  readonly #ofRuns = new WeakMap<object, Map<string, CheckedCall>>();

  /** @param now milliseconds of a monotonic clock */
  constructor(
    private readonly countersign: Guard,
    private readonly options: InterruptOptions,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Checks a call, each time that it is asked about. A denial, or the lack of a decision, is kept for {@link begin}.
   * @param run the framework's object of the run, which {@link begin} is given as well
   * @returns `true` if the run is to be interrupted
   * @throws TypeError if run or call are not known, so that the check could not be found again; errors of `interrupt`
   */
  async isPending(run: unknown, call: ToolCall): Promise<boolean> {
    const { toolCallId } = call;
    if (typeof run !== 'object' || run === null || toolCallId === undefined) {
      throw new TypeError('this version of the framework is not known: it asks for an approval without run and call');
    }
    const calls = this.#ofRuns.get(run) ?? new Map<string, CheckedCall>();
    this.#ofRuns.set(run, calls);
    // Of an earlier call of this id that was never executed.
    calls.delete(toolCallId);
    const begun = beginToolCall(this.countersign, call, this.options);
    try {
      await begun;
    } catch (error) {
      const pending = pendingOf(call, error);
      if (pending !== null) {
        // Of a call of this id that was checked meanwhile.
        calls.delete(toolCallId);
        await this.options.interrupt?.(pending);
        return true;
      }
    }
    calls.set(toolCallId, { what: this.#whatOf(call), begun, until: this.now() + VERDICT_MS });
    return false;
  }

  /**
   * The check of {@link isPending}, once, and only of the same call a short time ago; otherwise a new one, as of a call that
   * was resumed. Rejects as `beginToolCall`.
   */
  async begin(run: unknown, call: ToolCall, signal: AbortSignal | undefined): Promise<BegunAction> {
    const { toolCallId = '' } = call;
    const calls = typeof run === 'object' && run !== null ? this.#ofRuns.get(run) : undefined;
    const checked = calls?.get(toolCallId);
    calls?.delete(toolCallId);
    if (checked?.what === this.#whatOf(call) && this.now() < checked.until) return checked.begun;
    return beginResumedCall(this.countersign, call, this.options, signal);
  }

  #whatOf(call: ToolCall): string {
    return JSON.stringify([call.toolName, this.options.agentId?.(call) ?? null, JSON.stringify(call.input) ?? '']);
  }
}
