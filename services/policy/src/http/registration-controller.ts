import { Controller, Inject } from '@nestjs/common';
import { policyRoutes } from '@countersign/contracts';
import type { AgentRecord, QueryOf, RegistrationDraft, WalletRegistration } from '@countersign/contracts';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { RouteInput } from '@countersign/http-edge';
import { agentRecord } from '../domain/agent.js';
import type { Registrations } from '../register-agent/registrations.js';
import { agentId, byUser } from './agents-controller.js';
import { REGISTRATIONS } from './tokens.js';

@Controller()
export class RegistrationController {
  constructor(@Inject(REGISTRATIONS) private readonly registrations: Registrations) {}

  @HttpRoute(policyRoutes.registrationTransaction)
  async draft(
    @Input() { caller, params, query }: RouteInput<unknown, QueryOf<typeof policyRoutes.registrationTransaction>>,
  ): Promise<RegistrationDraft> {
    return this.registrations.draft(caller.accountId, agentId(params), query.walletAddress);
  }

  @HttpRoute(policyRoutes.registerSelfCustody)
  async register(@Input() { caller, params, body }: RouteInput<WalletRegistration>): Promise<AgentRecord> {
    return agentRecord(await this.registrations.register(byUser(caller), agentId(params), body));
  }
}
