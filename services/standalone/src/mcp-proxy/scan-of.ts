import type { CheckResult } from '@countersign/client';
import { exactValue } from './exact-numbers.js';
import type { JsonObject, Message } from './message.js';
import { textOfMessage } from './result-texts.js';
import type { ToolGuard } from './tool-guard.js';

/** Whether what a message says may be seen. Never rejects: what cannot be read is not allowed. */
export async function scanOf(
  guard: Pick<ToolGuard, 'scan'>,
  message: Message,
  length: 'judged' | 'any',
): Promise<CheckResult> {
  try {
    return await guard.scan(textOfMessage(exactValue(message) as JsonObject), length);
  } catch {
    return { allowed: false, reason: 'it cannot be read' };
  }
}
