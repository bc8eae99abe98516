import type { EvaluationParts, JsonValue } from '@countersign/contracts';
import { APPROVAL_ID_PATTERN } from '@countersign/contracts';

/** An evaluation as a check is made of it: its subject is the agent. */
export interface ActingEvaluation {
  readonly parts: EvaluationParts;
  /** The subject as it was sent, where it is not the agent. */
  readonly onBehalfOf: NonNullable<EvaluationParts['subject']> | null;
  /** The text of `context.agent`, where it names the agent: a client id, or the id of the agent. */
  readonly client: string | null;
  /** `context.time` is a time of RFC 3339: the profile has it as the time of the evaluation, which an approval does not bind. */
  readonly isTimed: boolean;
  /** The approval that `context.approval` presents; `null`: none. */
  readonly approvalId: string | null;
}

const APPROVAL_ID = new RegExp(APPROVAL_ID_PATTERN);
/** RFC 3339, section 5.6. */
const TIME = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;
const NO_AGENT =
  'subject.type must be agent; for another subject name the agent by context.agent, or send an API key that is limited to one agent';
const UNREADABLE_AGENT =
  'context.agent must be a client id, the id of an agent or an object with its id; leave it out where the API key is limited to one agent';

/**
 * Finds the agent of an evaluation: the subject, if its type is `agent`; else the agent that acts for it, which `context.agent`
 * names by its client id (COAZ-MCP, section "Information Model"), its id or an object with its `id`, or, where there is none,
 * which the API key is limited to. The approval of `context.approval` (AuthZEN
 * Access Request and Approval Profile, "Completion Semantics") is how the evaluation is asked, and no part of the action.
 * @param agents of the API key; `null`: all of the account
 * @returns what to change in the evaluation, as text
 */
export function actingEvaluation(
  { context, ...asked }: EvaluationParts,
  agents: ReadonlySet<string> | null,
): ActingEvaluation | string {
  const { subject } = asked;
  const approvalId = presented(context?.['approval']);
  const { approval: _approval, ...others } = context ?? {};
  const own = approvalId === null ? context : Object.keys(others).length === 0 ? undefined : others;
  const time = context?.['time'];
  const asks = { approvalId, isTimed: typeof time === 'string' && TIME.test(time) };
  const parts = own === undefined ? asked : { ...asked, context: own };
  if (subject?.type === undefined || subject.type === 'agent')
    return { parts, onBehalfOf: null, client: null, ...asks };
  if (subject.id === undefined) return 'subject.id is missing';
  const agent = context?.['agent'];
  const client = typeof agent === 'string' ? agent : null;
  const named = client ?? idOf(agent);
  // A caller that names an agent in a way that cannot be read does not mean the agent of its key.
  if (named === null && agent !== undefined) return UNREADABLE_AGENT;
  const id = named ?? (agents?.size === 1 ? [...agents][0]! : null);
  if (id === null) return NO_AGENT;
  return { parts: { ...parts, subject: { type: 'agent', id } }, onBehalfOf: subject, client, ...asks };
}

function presented(approval: JsonValue | undefined): string | null {
  const id = idOf(approval);
  return id !== null && APPROVAL_ID.test(id) ? id : null;
}

function idOf(value: JsonValue | undefined): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { id } = value as { readonly [member: string]: JsonValue };
  return typeof id === 'string' ? id : null;
}
