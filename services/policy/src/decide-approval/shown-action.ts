import type { BehaviorProfile, EventArchive, EventWithProfile, JsonValue, RuleMember } from '@countersign/contracts';
import type { Approval } from '../domain/approval.js';

/** The action of an approval as the archive has it, with the rule of then. */
export interface ShownAction {
  readonly action: JsonValue;
  readonly payload: JsonValue;
  readonly rule: RuleMember | null;
  /** Why there is no action; `null`: there is. */
  readonly missing: string | null;
}

/**
 * Reads the action in the archive, where content is erased: this service has no copy of it.
 * @param archive `null`: it cannot be reached
 */
export async function shownAction(
  archive: Pick<EventArchive, 'withProfile'> | null,
  { accountId, eventId, ruleId }: Approval,
): Promise<ShownAction> {
  const none = (missing: string): ShownAction => ({ action: null, payload: null, rule: null, missing });
  let found: EventWithProfile | null;
  try {
    if (archive === null) return none('the archive cannot be asked at the moment');
    found = await archive.withProfile(accountId, eventId);
  } catch {
    return none('the archive cannot be asked at the moment');
  }
  if (found === null) return none('the archive does not have the check yet');
  const { action, payload } = found.event.envelope.openings;
  const rule = ruleOf(found.profile, ruleId);
  if (action?.value === undefined) return { ...none('the content of the check was erased'), rule };
  return { action: action.value, payload: payload?.value ?? null, rule, missing: null };
}

function ruleOf(profile: BehaviorProfile | null, ruleId: string): RuleMember | null {
  return profile?.rules?.find(({ id }) => id === ruleId) ?? null;
}
