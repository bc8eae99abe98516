import { Controller, Inject } from '@nestjs/common';
import { policyRoutes } from '@countersign/contracts';
import type { CheckRequest, Explanation } from '@countersign/contracts';
import { CountersUnavailable } from '@countersign/counters';
import type { Counters } from '@countersign/counters';
import { HttpRefusal } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { RouteInput } from '@countersign/http-edge';
import type { AgentChanges } from '../change-agent/agent-changes.js';
import { explainCheck } from '../explain/explain-check.js';
import { agentId } from './agents-controller.js';
import { AGENT_CHANGES, COUNTERS } from './tokens.js';

@Controller()
export class ExplainController {
  constructor(
    @Inject(AGENT_CHANGES) private readonly changes: AgentChanges,
    @Inject(COUNTERS) private readonly counters: Pick<Counters, 'agentUsage'>,
  ) {}

  @HttpRoute(policyRoutes.explainCheck)
  async explain(@Input() { caller, params, body }: RouteInput<CheckRequest>): Promise<Explanation> {
    const id = agentId(params);
    if (body.agentId.toLowerCase() !== id) {
      throw new HttpRefusal(400, 'agentId is that of another agent than the path names');
    }
    const agent = await this.changes.find(caller.accountId, id);
    try {
      const usage = await this.counters.agentUsage(id, agent.facts.profile.rate_limit);
      return await explainCheck(agent, usage, body.action);
    } catch (error) {
      if (error instanceof CountersUnavailable) {
        throw new HttpRefusal(503, 'spending and rate cannot be read now: try again');
      }
      throw error;
    }
  }
}
