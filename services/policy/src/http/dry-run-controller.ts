import { Controller, Inject } from '@nestjs/common';
import { policyRoutes } from '@countersign/contracts';
import type { DryRunAnswer } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { RouteInput } from '@countersign/http-edge';
import type { AgentChanges } from '../change-agent/agent-changes.js';
import { draftProfile } from '../domain/profile.js';
import type { DryRuns } from '../dry-run/dry-runs.js';
import { readDryRun } from '../dry-run/read-request.js';
import { agentId } from './agents-controller.js';
import { AGENT_CHANGES, DRY_RUNS } from './tokens.js';

@Controller()
export class DryRunController {
  constructor(
    @Inject(AGENT_CHANGES) private readonly changes: AgentChanges,
    @Inject(DRY_RUNS) private readonly dryRuns: DryRuns,
  ) {}

  @HttpRoute(policyRoutes.dryRunProfile)
  async dryRun(@Input() { caller, params, body }: RouteInput): Promise<DryRunAnswer> {
    const id = agentId(params);
    const { patch, checks } = readDryRun(id, body);
    const agent = await this.changes.find(caller.accountId, id);
    const draft = draftProfile(agent, patch);
    if ('kind' in draft) throw new HttpRefusal(draft.status, draft.words);
    return this.dryRuns.run({ agentId: id, profile: agent.facts.profile, draft: draft.profile }, checks);
  }
}
