import type { CheckResult } from '@countersign/client';
import { exactValue } from './exact-numbers.js';
import type { JsonObject, Message } from './message.js';
import { textOfMessage } from './result-texts.js';
import type { ToolGuard } from './tool-guard.js';

/** The readable text of a message; `null` if it cannot be extracted. */
export function textOf(message: Message): string | null {
  try {
    return textOfMessage(exactValue(message) as JsonObject);
  } catch {
    return null;
  }
}

/** Scans a text. Never rejects: an unreadable text (`null`) is not allowed. */
export async function scanOf(
  guard: Pick<ToolGuard, 'scan'>,
  text: string | null,
  length: 'judged' | 'any',
): Promise<CheckResult> {
  const unread = { allowed: false, reason: 'it cannot be read' };
  return text === null ? unread : guard.scan(text, length).catch(() => unread);
}
