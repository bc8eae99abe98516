import { Controller, Inject } from '@nestjs/common';
import { policyRoutes } from '@countersign/contracts';
import type { ExplainRequest, Explanation } from '@countersign/contracts';
import type { Counters } from '@countersign/counters';
import { HttpRefusal } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { RouteInput } from '@countersign/http-edge';
import type { ProfilePatch } from '@countersign/policy-engine';
import type { AgentChanges } from '../change-agent/agent-changes.js';
import type { Agent } from '../domain/agent.js';
import { draftProfile } from '../domain/profile.js';
import { readDraft } from '../dry-run/read-request.js';
import { explainCheck } from '../explain/explain-check.js';
import { agentId } from './agents-controller.js';
import { AGENT_CHANGES, COUNTERS } from './tokens.js';

@Controller()
export class ExplainController {
  constructor(
    @Inject(AGENT_CHANGES) private readonly changes: AgentChanges,
    @Inject(COUNTERS) private readonly counters: Pick<Counters, 'agentUsage' | 'ruleBalances'>,
  ) {}

  @HttpRoute(policyRoutes.explainCheck)
  async explain(@Input() { caller, params, body }: RouteInput<ExplainRequest>): Promise<Explanation> {
    const id = agentId(params);
    if (body.agentId.toLowerCase() !== id) {
      throw new HttpRefusal(400, 'agentId is that of another agent than the path names');
    }
    const patch = body.profile === undefined ? null : readDraft(id, body.profile);
    const found = await this.changes.find(caller.accountId, id);
    const agent = patch === null ? found : withDraft(found, patch);
    const usage = await this.counters.agentUsage(id, agent.facts.profile.rate_limit);
    return explainCheck(agent, usage, body.action, (asked) => this.counters.ruleBalances(id, asked));
  }
}

/** The agent with the draft in force. @throws HttpRefusal as a PATCH of the profile would */
function withDraft(agent: Agent, patch: ProfilePatch): Agent {
  const draft = draftProfile(agent, patch);
  if ('kind' in draft) throw new HttpRefusal(draft.status, draft.words);
  // The version to which the draft was applied: it has none of its own.
  const profile = { ...draft.profile, version: agent.facts.profile.version };
  return { ...agent, facts: { ...agent.facts, profile } };
}
