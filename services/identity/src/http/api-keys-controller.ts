import { Controller, Inject } from '@nestjs/common';
import { identityRoutes } from '@countersign/contracts';
import type { NewApiKey, PageQuery } from '@countersign/contracts';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { RouteInput } from '@countersign/http-edge';
import { apiKeyRecord, issuedKeyRecord } from '../domain/members.js';
import type { ApiKeys } from '../issue-api-keys/api-keys.js';
import type { IdentityStore } from '../store/port.js';
import { idOf } from './paths.js';
import { API_KEYS, IDENTITY_STORE } from './tokens.js';

@Controller()
export class ApiKeysController {
  constructor(
    @Inject(API_KEYS) private readonly apiKeys: ApiKeys,
    @Inject(IDENTITY_STORE) private readonly store: IdentityStore,
  ) {}

  @HttpRoute(identityRoutes.listApiKeys)
  async list(@Input() { caller, query }: RouteInput<unknown, PageQuery>): Promise<object> {
    const { limit, offset } = query;
    const { items, total } = await this.store.apiKeys(caller.accountId, limit, offset);
    return { apiKeys: items.map(apiKeyRecord), total, limit, offset };
  }

  @HttpRoute(identityRoutes.createApiKey)
  async create(@Input() { caller, body }: RouteInput<NewApiKey>): Promise<object> {
    const { apiKey, key } = await this.apiKeys.issue(caller, body);
    return { ...issuedKeyRecord(apiKey), key };
  }

  @HttpRoute(identityRoutes.revokeApiKey)
  revoke(@Input() { caller, params }: RouteInput): Promise<void> {
    return this.apiKeys.revoke(caller, idOf(params));
  }
}
