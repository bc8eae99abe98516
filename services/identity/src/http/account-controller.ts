import { Controller, Inject } from '@nestjs/common';
import { identityRoutes } from '@countersign/contracts';
import type { AccountRecord } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { RouteInput } from '@countersign/http-edge';
import type { ServiceContext } from '@countersign/service-kit';
import { accountRecord } from '../domain/account-record.js';
import type { Usage } from '../domain/account-record.js';
import type { DefaultProfiles } from '../operate/default-profile.js';
import type { IdentityStore } from '../store/port.js';
import { DEFAULT_PROFILES, IDENTITY_STORE, SERVICE_CONTEXT } from './tokens.js';

@Controller()
export class AccountController {
  constructor(
    @Inject(IDENTITY_STORE) private readonly store: IdentityStore,
    @Inject(DEFAULT_PROFILES) private readonly defaults: DefaultProfiles,
    @Inject(SERVICE_CONTEXT) private readonly context: ServiceContext,
  ) {}

  @HttpRoute(identityRoutes.getAccount)
  async get(@Input() { caller }: RouteInput): Promise<AccountRecord> {
    const account = await this.store.account(caller.accountId);
    if (account === null) throw new HttpRefusal(401, 'the account of this session is gone');
    const [usage, now] = await this.#counted(caller.accountId);
    return accountRecord(account, usage, now);
  }

  @HttpRoute(identityRoutes.getDefaultProfile)
  async getDefault(@Input() { caller }: RouteInput): Promise<object> {
    return { profile: await this.defaults.get(caller.accountId) };
  }

  @HttpRoute(identityRoutes.putDefaultProfile)
  async putDefault(@Input() { caller, body }: RouteInput): Promise<object> {
    const { profile, warnings } = await this.defaults.put(caller, body);
    return { profile, ...(warnings.length === 0 ? {} : { warnings }) };
  }

  /** Usage and time, both from the counters. */
  async #counted(accountId: string): Promise<[Usage, number]> {
    const { counters, log } = this.context;
    try {
      return await Promise.all([counters.usage(accountId), counters.now()]);
    } catch (error) {
      log.error({ err: error }, 'usage cannot be read');
      throw new HttpRefusal(503, 'the usage cannot be read at the moment: try again', { 'Retry-After': '1' });
    }
  }
}
