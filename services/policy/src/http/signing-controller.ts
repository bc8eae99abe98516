import { Controller, Inject } from '@nestjs/common';
import { agentSigningRoutes } from '@countersign/contracts';
import type { AgentKeyRecord, AgentSigningRecord, NewAgentKey } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { AgentChanges } from '../change-agent/agent-changes.js';
import { readNewKey, signingRecord } from '../domain/signing.js';
import { agentId, byUser } from './agents-controller.js';
import { AGENT_CHANGES } from './tokens.js';

/** How an agent signs its checks. */
@Controller()
export class SigningController {
  constructor(@Inject(AGENT_CHANGES) private readonly changes: AgentChanges) {}

  @HttpRoute(agentSigningRoutes.getAgentSigning)
  async get(@Input() { caller, params }: RouteInput): Promise<AgentSigningRecord> {
    return signingRecord(await this.changes.find(caller.accountId, agentId(params)));
  }

  @HttpRoute(agentSigningRoutes.addAgentKey)
  async add(@Input() { caller, params, body }: RouteInput<NewAgentKey>): Promise<AgentKeyRecord> {
    const key = readNewKey(body);
    if (typeof key === 'string') throw new HttpRefusal(400, key);
    const agent = await this.changes.changeSigning(byUser(caller), agentId(params), { kind: 'add', ...key });
    return signingRecord(agent).signingKeys.find(({ id }) => id === key.id)!;
  }

  @HttpRoute(agentSigningRoutes.removeAgentKey)
  async remove(@Input() { caller, params }: RouteInput): Promise<void> {
    await this.changes.changeSigning(byUser(caller), agentId(params), { kind: 'remove', id: params['keyId']! });
  }

  @HttpRoute(agentSigningRoutes.requireAgentSignature)
  async require(
    @Input() { caller, params, body }: RouteInput<{ readonly required: boolean }>,
  ): Promise<AgentSigningRecord> {
    const { required } = body;
    return signingRecord(
      await this.changes.changeSigning(byUser(caller), agentId(params), { kind: 'require', required }),
    );
  }
}
