import { Controller, Inject } from '@nestjs/common';
import { policyRoutes } from '@countersign/contracts';
import type { AgentBody, AgentRecord, AgentsQuery, BodyOf } from '@countersign/contracts';
import { randomUUID as uuidV4 } from 'node:crypto';
import { HttpRefusal } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { ApiKeyCaller, RouteInput, SessionCaller } from '@countersign/http-edge';
import { agentRecord, readAgentBody } from '../domain/agent.js';
import type { AgentFields } from '../domain/agent.js';
import type { AgentChanges, Caller } from '../change-agent/agent-changes.js';
import type { KeyRegistrations } from '../register-by-key/key-registrations.js';
import type { PolicyStore } from '../store/port.js';
import { AGENT_CHANGES, KEY_REGISTRATIONS, POLICY_STORE } from './tokens.js';

type ReasonBody = BodyOf<typeof policyRoutes.freezeAgent>;

@Controller()
export class AgentsController {
  constructor(
    @Inject(AGENT_CHANGES) private readonly changes: AgentChanges,
    @Inject(KEY_REGISTRATIONS) private readonly registrations: KeyRegistrations,
    @Inject(POLICY_STORE) private readonly store: PolicyStore,
  ) {}

  @HttpRoute(policyRoutes.createAgent)
  async create(@Input() input: RouteInput<AgentBody>): Promise<AgentRecord> {
    return agentRecord(await this.changes.create(uuidV4(), byUser(input.caller), newFields(input.body)));
  }

  @HttpRoute(policyRoutes.registerAgent)
  async register(@Input() input: RouteInput<AgentBody, unknown, ApiKeyCaller>): Promise<AgentRecord> {
    return agentRecord(await this.registrations.register(input.caller, newFields(input.body)));
  }

  @HttpRoute(policyRoutes.listAgents)
  async list(@Input() { caller, query }: RouteInput<unknown, AgentsQuery>): Promise<object> {
    const { limit, offset, status, q: text, sort } = query;
    const filter = {
      ...(status === undefined ? {} : { status }),
      ...(text === undefined ? {} : { text }),
      isByName: sort === 'name',
    };
    const { items, total } = await this.store.list(caller.accountId, limit, offset, filter);
    return { agents: items.map(agentRecord), total, limit, offset };
  }

  @HttpRoute(policyRoutes.getAgent)
  async get(@Input() { caller, params }: RouteInput): Promise<AgentRecord> {
    return agentRecord(await this.changes.find(caller.accountId, agentId(params)));
  }

  @HttpRoute(policyRoutes.readAgentByKey)
  async getByKey(@Input() { caller, params }: RouteInput<unknown, unknown, ApiKeyCaller>): Promise<AgentRecord> {
    return agentRecord(await this.changes.find(caller.accountId, agentId(params)));
  }

  @HttpRoute(policyRoutes.updateAgent)
  async update(@Input() { caller, params, body }: RouteInput<AgentBody>): Promise<AgentRecord> {
    return agentRecord(await this.changes.update(byUser(caller), agentId(params), fieldsOf(body)));
  }

  @HttpRoute(policyRoutes.freezeAgent)
  async freeze(@Input() { caller, params, body }: RouteInput<ReasonBody>): Promise<AgentRecord> {
    return agentRecord(await this.changes.freeze(byUser(caller), agentId(params), body.reason ?? null));
  }

  @HttpRoute(policyRoutes.unfreezeAgent)
  async unfreeze(@Input() { caller, params, body }: RouteInput<ReasonBody>): Promise<AgentRecord> {
    return agentRecord(await this.changes.unfreeze(byUser(caller), agentId(params), body.reason ?? null));
  }

  @HttpRoute(policyRoutes.deactivateAgent)
  async deactivate(@Input() { caller, params, body }: RouteInput<ReasonBody>): Promise<AgentRecord> {
    return agentRecord(await this.changes.deactivate(byUser(caller), agentId(params), body.reason ?? null));
  }
}

export function byUser(caller: SessionCaller): Caller {
  return { accountId: caller.accountId, actor: { kind: 'user', id: caller.userId }, apiKeyId: null };
}

export function byKey({ accountId, apiKeyId }: ApiKeyCaller): Caller {
  return { accountId, apiKeyId, actor: { kind: 'api_key', id: apiKeyId } };
}

/** Ids are kept in lower case and asked for in either. */
export function agentId(params: Readonly<Record<string, string>>): string {
  return params['id']!.toLowerCase();
}

function fieldsOf(body: AgentBody): Partial<AgentFields> {
  const read = readAgentBody(body);
  if ('error' in read) throw new HttpRefusal(400, read.error);
  return read.fields;
}

function newFields(body: AgentBody): AgentFields {
  const { name, type, purpose, version, oauthClientIds } = fieldsOf(body);
  if (name === undefined) throw new HttpRefusal(400, 'name is required');
  const described = { name, type: type ?? null, purpose: purpose ?? null, version: version ?? null };
  return oauthClientIds === undefined ? described : { ...described, oauthClientIds };
}
