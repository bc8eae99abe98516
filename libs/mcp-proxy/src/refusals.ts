import type { CheckResult } from '@countersign/client';
import { denialMessage } from './denial-messages.js';
import type { JsonObject } from './message.js';

/** Result of a tool that was not called, or whose own result is withheld: explains to a model why, and what to do instead. */
export type Refusal = JsonObject;

/**
 * The call was not sent to the server.
 * @param traceparent of the call, which a refusal that was recorded repeats in `_meta`
 */
export function notCalled(tool: string, why: CheckResult, baseUrl: string, traceparent?: string): Refusal {
  const refused = refusal(`The tool ${quoted(tool)} was not called. ${denialMessage(why, baseUrl)}`, why);
  if (traceparent === undefined || why.eventId === undefined) return refused;
  return { ...refused, _meta: { ...(refused['_meta'] as JsonObject), traceparent } };
}

/** Asks the user of a client to open the page on which a person decides about a call. */
export function approvalQuestion(tool: string, { reason, rule }: CheckResult): string {
  const why = reason === undefined ? '' : ` ${reason}`;
  const by = rule === undefined ? '' : ` (${rule})`;
  return `The tool ${quoted(tool)} waits for an approval${by}.${why} Open the page to decide; you need to be signed in there.`;
}

/** Like {@link notCalled}, if no check was sent. */
export function notAsked(tool: string, why: string): Refusal {
  return refusal(`The tool ${quoted(tool)} was not called: ${why}.`, { allowed: false, reason: why });
}

/** The server has answered, and the answer is not forwarded. */
export function withheld(tool: string | undefined, why: CheckResult, baseUrl: string): Refusal {
  const which = tool === undefined ? 'The tool' : `The tool ${quoted(tool)}`;
  const done = `${which} was called and has answered, but its result is withheld. What it did is done: do not repeat the call to see it.`;
  return refusal(`${done} ${denialMessage(why, baseUrl)}`, why);
}

/** Like {@link withheld}, for any other message of a server. */
export function withheldMessage(what: string, why: CheckResult, baseUrl: string): string {
  return `${what} is withheld. ${denialMessage(why, baseUrl)}`;
}

/** The call was sent, and there is no answer to forward. */
export function unanswered(tool: string, why: string): Refusal {
  const text = `The tool ${quoted(tool)} was called, but there is no answer that can be shown: ${why}. It may have taken effect: find out before you repeat it.`;
  return refusal(text, { allowed: true, reason: why });
}

/**
 * Without `structuredContent`: clients validate that against the tool's output schema. Programs read the facts in
 * `_meta`, by their names of the API.
 */
function refusal(text: string, { allowed, reason, severity, violations, ...more }: CheckResult): Refusal {
  const facts = {
    allowed,
    reason,
    severity,
    code: violations?.[0] ?? more.code,
    violation_type: more.violationType,
    rule: more.rule,
    detail: more.detail,
    category: more.category,
    budget: more.budget,
    decision: more.decision,
    next_action: more.nextAction,
    patch: more.patch,
    missing: more.missing,
    approval_id: more.approvalId,
    approval_url: more.approvalUrl,
    expires_at: more.expiresAt,
    upgrade_url: more.upgradeUrl,
    eventId: more.eventId,
  };
  return { isError: true, content: [{ type: 'text', text }], _meta: { 'countersign/decision': facts } };
}

function quoted(tool: string): string {
  return JSON.stringify(tool.length > 200 ? `${tool.slice(0, 200)}…` : tool);
}
