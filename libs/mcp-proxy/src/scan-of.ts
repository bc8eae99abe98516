import type { CheckResult } from '@countersign/client';
import { exactValue } from './exact-numbers.js';
import type { JsonObject, Message } from './message.js';
import { textOfMessage } from './result-texts.js';
import type { ToolGuard } from './tool-guard.js';

/** What a message says to whoever reads it; `null` where that cannot be read. */
export function textOf(message: Message): string | null {
  try {
    return textOfMessage(exactValue(message) as JsonObject);
  } catch {
    return null;
  }
}

/** Whether a text may be seen. Never rejects: what cannot be read (`null`) is not allowed. */
export async function scanOf(
  guard: Pick<ToolGuard, 'scan'>,
  text: string | null,
  length: 'judged' | 'any',
): Promise<CheckResult> {
  const unread = { allowed: false, reason: 'it cannot be read' };
  return text === null ? unread : guard.scan(text, length).catch(() => unread);
}
