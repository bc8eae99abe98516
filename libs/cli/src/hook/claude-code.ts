import type { CheckResult, Countersign } from '@countersign/client';
import { notReported, refusal, SILENT, errorMessage, type HookAnswer } from './answer.js';
import { callKey, type PendingChecks } from './pending-checks.js';
import { actionOf, HookInputError, readToolEvent, type ToolEvent } from './tool-event.js';
import { denialMessage, uncheckedMessage } from '@countersign/mcp-proxy/denial-messages';

export interface Asker {
  readonly client: Pick<Countersign, 'check' | 'reportOutcome'>;
  readonly agentId: string;
  readonly baseUrl: string;
}

/**
 * Answers a hook of Claude Code: with the decision before a tool call, by reporting the outcome after it. An allowed
 * call is answered with nothing, so that the user's own permissions still decide: `allow` would skip them.
 */
export async function answerClaudeCode(
  text: string,
  asker: () => Promise<Asker>,
  pending: PendingChecks,
): Promise<HookAnswer> {
  let event: ToolEvent;
  try {
    event = readToolEvent(text);
  } catch (error) {
    if (!(error instanceof HookInputError)) throw error;
    return refusal(uncheckedMessage(error.message));
  }
  return event.when === 'before' ? before(event, asker, pending) : after(event, event.when, asker, pending);
}

async function before(event: ToolEvent, asker: () => Promise<Asker>, pending: PendingChecks): Promise<HookAnswer> {
  const { sessionId, toolUseId } = event;
  const key = toolUseId === undefined ? null : callKey(sessionId, toolUseId);
  let asked: Asker;
  let result: CheckResult;
  try {
    asked = await asker();
    result = await asked.client.check(actionOf(event), key === null ? {} : { idempotencyKey: `hook-${key}` });
  } catch (error) {
    return deny(uncheckedMessage(errorMessage(error)));
  }
  const warnings: string[] = [];
  // Also for a denied call: if it is made anyway, its outcome is recorded.
  if (key !== null && result.eventId !== undefined) {
    try {
      pending.remember(key, { eventId: result.eventId, agentId: asked.agentId });
    } catch (error) {
      warnings.push(`its outcome will not be recorded: ${errorMessage(error)}`);
    }
  }
  if (!result.allowed) return deny(denialMessage(result, asked.baseUrl));
  if (result.failedOpen === true) warnings.push(`it was not checked, and is let through: ${result.reason ?? ''}`);
  if (warnings.length === 0) return SILENT;
  return { ...SILENT, stdout: json({ systemMessage: `Countersign: ${event.toolName}: ${warnings.join('; ')}` }) };
}

async function after(
  { sessionId, toolUseId, interrupted }: ToolEvent,
  outcome: 'succeeded' | 'failed',
  asker: () => Promise<Asker>,
  pending: PendingChecks,
): Promise<HookAnswer> {
  const check = toolUseId === undefined ? null : pending.take(callKey(sessionId, toolUseId));
  if (check === null) return notReported('no check of this tool call is known here; was the hook before it run?');
  const { eventId, agentId } = check;
  try {
    const { client } = await asker();
    await client.reportOutcome(
      { eventId, outcome, ...(interrupted ? { detail: 'interrupted by the user' } : {}) },
      { agentId },
    );
    return SILENT;
  } catch (error) {
    return notReported(errorMessage(error));
  }
}

function deny(permissionDecisionReason: string): HookAnswer {
  const hookSpecificOutput = { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason };
  return { ...SILENT, stdout: json({ hookSpecificOutput }) };
}

const json = (value: unknown): string => `${JSON.stringify(value)}\n`;
