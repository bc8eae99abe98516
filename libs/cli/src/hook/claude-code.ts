import type { CheckResult, Countersign } from '@countersign/client';
import { notReported, refusal, SILENT, wordsOf, type HookAnswer } from './answer.js';
import { callKey, type PendingChecks } from './pending-checks.js';
import { actionOf, HookInputError, readToolEvent, type ToolEvent } from './tool-event.js';
import { denialWords, unaskedWords } from '@countersign/mcp-proxy/words';

export interface Asker {
  readonly client: Pick<Countersign, 'check' | 'reportOutcome'>;
  readonly agentId: string;
  readonly baseUrl: string;
}

/**
 * Answers a hook of Claude Code: before a tool call with the decision, after it by reporting what became of it. A call
 * that is allowed is answered with nothing, so that the user's own permissions go on deciding: `allow` would skip them.
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
    return refusal(unaskedWords(error.message));
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
    return deny(unaskedWords(wordsOf(error)));
  }
  const warnings: string[] = [];
  // Of a call that was denied as well: if it is made all the same, that is to be known.
  if (key !== null && result.eventId !== undefined) {
    try {
      pending.remember(key, { eventId: result.eventId, agentId: asked.agentId });
    } catch (error) {
      warnings.push(`its outcome will not be recorded: ${wordsOf(error)}`);
    }
  }
  if (!result.allowed) return deny(denialWords(result, asked.baseUrl));
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
    return notReported(wordsOf(error));
  }
}

function deny(permissionDecisionReason: string): HookAnswer {
  const hookSpecificOutput = { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason };
  return { ...SILENT, stdout: json({ hookSpecificOutput }) };
}

const json = (value: unknown): string => `${JSON.stringify(value)}\n`;
