import type { CheckResult } from '@countersign/client';
import { denialWords } from './words.js';
import type { JsonObject } from './message.js';

/** A result of a tool that was not called, or whose own result must not be seen: a model reads why, and what to do instead. */
export type Refusal = JsonObject;

/** The call was not sent to the server. */
export function notCalled(tool: string, why: CheckResult, baseUrl: string): Refusal {
  return refusal(`The tool ${quoted(tool)} was not called. ${denialWords(why, baseUrl)}`, why);
}

/** As {@link notCalled}, where nothing was asked. */
export function notAsked(tool: string, why: string): Refusal {
  return refusal(`The tool ${quoted(tool)} was not called: ${why}.`, { allowed: false, reason: why });
}

/** The server has answered, and the answer stays with the proxy. */
export function withheld(tool: string | undefined, why: CheckResult, baseUrl: string): Refusal {
  const which = tool === undefined ? 'The tool' : `The tool ${quoted(tool)}`;
  const done = `${which} was called and has answered, but its result is withheld. What it did is done: do not repeat the call to see it.`;
  return refusal(`${done} ${denialWords(why, baseUrl)}`, why);
}

/** As {@link withheld}, of anything else that a server says. */
export function withheldWords(what: string, why: CheckResult, baseUrl: string): string {
  return `${what} is withheld. ${denialWords(why, baseUrl)}`;
}

/** The call was sent, and no answer will come. */
export function unanswered(tool: string, why: string): Refusal {
  const words = `The tool ${quoted(tool)} was called, but there is no answer that can be shown: ${why}. It may have taken effect: find out before you repeat it.`;
  return refusal(words, { allowed: true, reason: why });
}

/**
 * Without `structuredContent`: clients hold that against the schema of the tool's own results. Programs read the facts in
 * `_meta`, under names as the API has them.
 */
function refusal(text: string, { allowed, reason, severity, violations, ...more }: CheckResult): Refusal {
  const facts = {
    allowed,
    reason,
    severity,
    code: violations?.[0],
    violation_type: more.violationType,
    rule: more.rule,
    detail: more.detail,
    category: more.category,
    upgrade_url: more.upgradeUrl,
    eventId: more.eventId,
  };
  return { isError: true, content: [{ type: 'text', text }], _meta: { 'countersign/decision': facts } };
}

function quoted(tool: string): string {
  return JSON.stringify(tool.length > 200 ? `${tool.slice(0, 200)}…` : tool);
}
