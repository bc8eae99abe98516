import { denialBody } from '@countersign/contracts';
import type { ToolsRequest } from '@countersign/contracts';
import type { Counters } from '@countersign/counters';
import { judgeTool } from '@countersign/policy-engine';
import { agentInForce, type KeyHolder, type Known } from './agent-in-force.js';

/** Lists the tools that an agent may not use at all. Nothing is recorded or counted. */
export class ToolLister {
  constructor(
    private readonly known: Known,
    private readonly counters: Pick<Counters, 'version'>,
  ) {}

  /**
   * Each tool in the given order, with the verdict on its name: a denied name stays denied whatever else a call
   * contains, since all that an action names must be allowed. Rules that are only observed deny nothing, and a freeze
   * does not concern tools.
   * @throws HttpRefusal as {@link agentInForce}
   */
  async tools(holder: KeyHolder, { agentId, tools }: ToolsRequest): Promise<{ readonly tools: readonly object[] }> {
    const { profile } = await agentInForce(this.known, this.counters, holder, agentId);
    return {
      tools: tools.map((name) => {
        const violation = judgeTool(profile, name);
        if (violation === null || profile.observe) return { name, allowed: true };
        return { name, ...denialBody(violation, violation.extras) };
      }),
    };
  }
}
