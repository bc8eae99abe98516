import { ACCOUNT_NOTES } from './account-notes.js';
import { AGENT_NOTES } from './agent-notes.js';
import { APPROVAL_NOTES } from './approval-notes.js';
import { CHECK_NOTES } from './check-notes.js';
import { HOOK_NOTES } from './hook-notes.js';
import { LEGAL_HOLD_NOTES } from './legal-hold-notes.js';
import type { OperationNote, OperationNotes } from './operation-note.js';
import { PUBLIC_NOTES } from './public-notes.js';
import { RECORD_NOTES } from './record-notes.js';
import { SECOND_FACTOR_NOTES } from './second-factor-notes.js';

/** By operation id. */
export const EVERY_NOTE: OperationNotes = {
  ...CHECK_NOTES,
  ...HOOK_NOTES,
  ...AGENT_NOTES,
  ...APPROVAL_NOTES,
  ...RECORD_NOTES,
  ...LEGAL_HOLD_NOTES,
  ...PUBLIC_NOTES,
  ...ACCOUNT_NOTES,
  ...SECOND_FACTOR_NOTES,
};

export function noteOf(operationId: string): OperationNote | undefined {
  return Object.hasOwn(EVERY_NOTE, operationId) ? EVERY_NOTE[operationId] : undefined;
}
