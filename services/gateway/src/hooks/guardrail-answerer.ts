import { AGENT_HEADER } from '@countersign/contracts';
import { HttpAnswer, HttpRefusal } from '@countersign/http-edge';
import { ReadingBudget } from '@countersign/policy-engine';
import type { NamedHeaders, ParsedChecks } from '../check/parsed-checks.js';
import type { AgentIndex } from '../follow/agent-index.js';
import type { KnownKey } from '../follow/read-model.js';
import { readCheckHeaders } from '../http/check-headers.js';
import { actingAgent } from './acting-agent.js';
import { verdictOf } from './denial-reason.js';
import { parsedBody } from './hook-answerer.js';
import type { HookInput } from './hook-answerer.js';
import { readGuardrail } from './read-guardrail.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Answers LiteLLM's generic guardrail. */
export class GuardrailAnswerer {
  constructor(
    private readonly checks: ParsedChecks,
    private readonly names: Pick<AgentIndex, 'find'>,
  ) {}

  /** @throws HttpRefusal for everything that is not decided; the edge turns it into `BLOCKED` */
  async answer({ body, caller, headers, sent }: HookInput): Promise<HttpAnswer> {
    const request = readGuardrail(parsedBody(body));
    if (typeof request === 'string') throw new HttpRefusal(400, request);
    const key = await this.checks.callerKey(caller.apiKeyId);
    const { keyAlias } = request;
    const agentId =
      keyAlias === undefined ? actingAgent(caller.powers, headers[AGENT_HEADER]) : this.#agentOf(keyAlias, key);
    return this.#decide(agentId, request.actions, key, readCheckHeaders(sent.rawHeaders));
  }

  /** One after the other: what follows a denial is not about to happen. */
  async #decide(
    agentId: string,
    actions: readonly object[],
    key: KnownKey,
    headers: NamedHeaders,
  ): Promise<HttpAnswer> {
    const budget = new ReadingBudget();
    let eventId = '';
    for (const action of actions) {
      const outcome = await this.checks.check({ agentId, action }, key, null, headers, { budget });
      if (outcome.kind === 'refused')
        throw new HttpRefusal(outcome.status === 408 ? 503 : outcome.status, outcome.error);
      if (outcome.kind === 'undecided') throw new HttpRefusal(503, outcome.reason);
      const { allowed, reason } = verdictOf(outcome.answer);
      ({ eventId } = outcome.answer);
      if (!allowed) {
        return new HttpAnswer(200, { action: 'BLOCKED', blocked_reason: reason }, { 'x-event-id': eventId });
      }
    }
    return new HttpAnswer(200, { action: 'NONE' }, { 'x-event-id': eventId });
  }

  /** @throws HttpRefusal 404 unless exactly one agent that the key may act as has this id or name */
  #agentOf(alias: string, { accountId, agents }: KnownKey): string {
    if (UUID.test(alias)) return alias.toLowerCase();
    const found = this.names.find(accountId, alias).filter((id) => agents === null || agents.has(id));
    if (found.length === 1) return found[0]!;
    const problem = found.length === 0 ? 'no agent that this API key is valid for' : 'several agents';
    throw new HttpRefusal(
      404,
      `the alias of the LiteLLM key is the name of ${problem}: use the id of an agent as alias`,
    );
  }
}
