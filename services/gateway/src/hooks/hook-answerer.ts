import { AGENT_HEADER, fillTemplate, HOOK_DENIALS, notDecided } from '@countersign/contracts';
import type { HookTool } from '@countersign/contracts';
import { ActionDeniedError, toolCallAction } from '@countersign/client';
import { BODY_LIMITS, JsonRefused, parseJsonStrict } from '@countersign/evidence';
import { HttpAnswer, HttpRefusal } from '@countersign/http-edge';
import type { ApiKeyCaller, RawBody, RouteInput } from '@countersign/http-edge';
import type { NamedHeaders, Outcome, ParsedChecks } from '../check/parsed-checks.js';
import { readCheckHeaders } from '../http/check-headers.js';
import { actingAgent } from './acting-agent.js';
import { verdictOf } from './denial-reason.js';
import { DIALECTS, inWrapper } from './dialects.js';
import type { HookEvent, JsonObject, ToolCall } from './hook-event.js';
import { callKey } from './outcome-reporter.js';
import type { OutcomeReporter } from './outcome-reporter.js';
import { readHook } from './read-hook.js';

export type HookInput = RouteInput<RawBody, { readonly agent?: string }, ApiKeyCaller>;

/** Files that an agent writes are longer than other texts; {@link toolCallAction} splits them. */
const LIMITS = { ...BODY_LIMITS, maxStringBytes: 1024 * 1024 };

/** Answers hooks of coding agents, each in the form of its tool. */
export class HookAnswerer {
  constructor(
    private readonly checks: ParsedChecks,
    private readonly outcomes: OutcomeReporter,
  ) {}

  /** @throws HttpRefusal for everything that is not decided; the edge turns it into a denial in the form of the tool */
  async answer(tool: HookTool, { body, caller, headers, query, sent }: HookInput): Promise<HttpAnswer> {
    const event = readHook(tool, parsedBody(body));
    if (typeof event === 'string') throw new HttpRefusal(400, event);
    const agentId = actingAgent(caller.powers, headers[AGENT_HEADER], query.agent).toLowerCase();
    if (event.when === 'before') return this.#before(tool, event, agentId, caller, readCheckHeaders(sent.rawHeaders));
    const credentials = credentialsOf(headers);
    return this.#after(tool, event, agentId, caller, credentials);
  }

  async #before(
    tool: HookTool,
    event: Extract<HookEvent, { when: 'before' }>,
    agentId: string,
    caller: ApiKeyCaller,
    headers: NamedHeaders,
  ): Promise<HttpAnswer> {
    const { call } = event;
    const { callId } = call;
    const key = callId === undefined ? null : callKey({ ...call, callId });
    const request = { agentId, action: actionOf(tool, call) };
    const outcome = await this.checks.check(request, await this.checks.callerKey(caller.apiKeyId), key, headers);
    return answerTo(tool, outcome, event);
  }

  async #after(
    tool: HookTool,
    { call, outcome, detail }: Extract<HookEvent, { when: 'after' }>,
    agentId: string,
    { accountId }: ApiKeyCaller,
    credentials: Readonly<Record<string, string>>,
  ): Promise<HttpAnswer> {
    const { permission, notice } = DIALECTS[tool];
    const { callId } = call;
    const said = { outcome, ...(detail === undefined ? {} : { detail }) };
    const problem =
      callId === undefined
        ? null
        : await this.outcomes.report({ accountId, agentId, key: callKey({ ...call, callId }) }, said, credentials);
    if (problem === null || notice === null) return bodyOf(permission === null ? null : {});
    return bodyOf(notice(`Countersign: the outcome of ${call.toolName} is not recorded: ${problem}`));
  }
}

/** @throws HttpRefusal 400 */
export function parsedBody(body: RawBody): unknown {
  try {
    return parseJsonStrict(body.joined(), LIMITS);
  } catch (error) {
    if (error instanceof JsonRefused) throw new HttpRefusal(400, error.message);
    throw error;
  }
}

/**
 * The action of a call, as the clients' adapters name its members. The same call gives the same action, so that a
 * repetition is one check.
 * @throws HttpRefusal 413
 */
function actionOf(tool: HookTool, { toolName, input, session, callId, cwd, principal }: ToolCall): object {
  const known = { session, toolCallId: callId, cwd, principal };
  const metadata = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
  try {
    const { actionType, ...members } = toolCallAction({ toolName, input, metadata: { source: tool, ...metadata } });
    return { ...members, type: actionType };
  } catch (error) {
    if (error instanceof ActionDeniedError) throw new HttpRefusal(413, error.message);
    throw error;
  }
}

function answerTo(
  tool: HookTool,
  outcome: Outcome,
  { enforcesAsk, readsWrapper }: Extract<HookEvent, { when: 'before' }>,
): HttpAnswer {
  const { permission, question } = DIALECTS[tool];
  switch (outcome.kind) {
    case 'refused':
      throw new HttpRefusal(outcome.status === 408 ? 503 : outcome.status, outcome.error);
    case 'undecided':
      return bodyOf(fillTemplate(HOOK_DENIALS[tool], notDecided(outcome.reason)), outcome.eventId);
    case 'decided': {
      const { eventId } = outcome.answer;
      const { allowed, needsApproval, reason } = verdictOf(outcome.answer);
      if (allowed) return bodyOf(permission, eventId);
      const asks = needsApproval && enforcesAsk && question !== null;
      const said = asks ? question(reason) : fillTemplate(HOOK_DENIALS[tool], reason);
      return bodyOf(readsWrapper ? { ...said, ...inWrapper(asks ? 'ask' : 'deny', reason) } : said, eventId);
    }
  }
}

function bodyOf(body: JsonObject | null, eventId: string | null = null): HttpAnswer {
  const headers: Readonly<Record<string, string>> = eventId === null ? {} : { 'x-event-id': eventId };
  return body === null
    ? HttpAnswer.text(200, 'text/plain; charset=utf-8', '', headers)
    : new HttpAnswer(200, body, headers);
}

/** The headers of a request that hold its API key. */
function credentialsOf(headers: HookInput['headers']): Readonly<Record<string, string>> {
  const key = headers['x-service-key'];
  if (typeof key === 'string') return { 'x-service-key': key };
  return headers.authorization === undefined ? {} : { authorization: headers.authorization };
}
