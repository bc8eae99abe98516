import type { JsonValue, PatchOperation } from '@countersign/contracts';
import { applied, UNFIT, type CopyBudget } from './apply-patch.js';

/** An action with the operations that led to it. */
export interface Modified {
  readonly action: Readonly<Record<string, unknown>>;
  readonly patch: readonly PatchOperation[];
}

/**
 * The operations of a rule that an action has the members for, in their order, and the action after them: those that
 * RFC 6902 has as an error are left out, so that a rule can remove a member that only some actions have.
 * @returns `null` where none fits, or where the budget is used up
 */
export function fittingPatch(
  action: Readonly<Record<string, unknown>>,
  patch: readonly PatchOperation[],
  budget: CopyBudget,
): Modified | null {
  let value = action as JsonValue;
  const fitting: PatchOperation[] = [];
  for (const operation of patch) {
    const result = applied(value, operation, budget);
    if (result === UNFIT) continue;
    value = result;
    fitting.push(operation);
  }
  return fitting.length === 0 || budget.left < 0
    ? null
    : { action: value as Readonly<Record<string, unknown>>, patch: fitting };
}
