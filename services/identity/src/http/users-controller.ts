import { Controller, Inject } from '@nestjs/common';
import { identityRoutes } from '@countersign/contracts';
import type { BodyOf, PageQuery, UserRecord } from '@countersign/contracts';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { RouteInput } from '@countersign/http-edge';
import { userRecord } from '../domain/members.js';
import type { Users } from '../manage-users/users.js';
import type { IdentityStore } from '../store/port.js';
import { idOf } from './paths.js';
import { IDENTITY_STORE, USERS } from './tokens.js';

@Controller()
export class UsersController {
  constructor(
    @Inject(USERS) private readonly users: Users,
    @Inject(IDENTITY_STORE) private readonly store: IdentityStore,
  ) {}

  @HttpRoute(identityRoutes.listUsers)
  async list(@Input() { caller, query }: RouteInput<unknown, PageQuery>): Promise<object> {
    const { limit, offset } = query;
    const { items, total } = await this.store.users(caller.accountId, limit, offset);
    return { users: items.map(userRecord), total, limit, offset };
  }

  @HttpRoute(identityRoutes.createUser)
  async create(@Input() { caller, body }: RouteInput<BodyOf<typeof identityRoutes.createUser>>): Promise<UserRecord> {
    return userRecord(await this.users.create(caller, body.email, body.role, body.password));
  }

  @HttpRoute(identityRoutes.updateUser)
  async update(
    @Input() { caller, params, body }: RouteInput<BodyOf<typeof identityRoutes.updateUser>>,
  ): Promise<UserRecord> {
    return userRecord(await this.users.setRole(caller, idOf(params), body.role));
  }

  @HttpRoute(identityRoutes.deleteUser)
  remove(@Input() { caller, params }: RouteInput): Promise<void> {
    return this.users.remove(caller, idOf(params));
  }
}
