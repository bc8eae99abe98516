import { Controller, Inject } from '@nestjs/common';
import { identityRoutes } from '@countersign/contracts';
import type { Role } from '@countersign/contracts';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { RouteInput } from '@countersign/http-edge';
import { userRecord } from '../domain/members.js';
import type { UserRecord } from '../domain/members.js';
import type { Users } from '../manage-users/users.js';
import type { IdentityStore } from '../store/port.js';
import { idOf } from './paths.js';
import type { Paging } from './paths.js';
import { IDENTITY_STORE, USERS } from './tokens.js';

interface NewUser {
  readonly email: string;
  readonly role: Role;
  readonly password: string;
}

@Controller()
export class UsersController {
  constructor(
    @Inject(USERS) private readonly users: Users,
    @Inject(IDENTITY_STORE) private readonly store: IdentityStore,
  ) {}

  @HttpRoute(identityRoutes.listUsers)
  async list(@Input() { caller, query }: RouteInput<unknown, Paging>): Promise<object> {
    const { limit, offset } = query;
    const { items, total } = await this.store.users(caller.accountId, limit, offset);
    return { users: items.map(userRecord), total, limit, offset };
  }

  @HttpRoute(identityRoutes.createUser)
  async create(@Input() { caller, body }: RouteInput<NewUser>): Promise<UserRecord> {
    return userRecord(await this.users.create(caller.accountId, body.email, body.role, body.password));
  }

  @HttpRoute(identityRoutes.updateUser)
  async update(@Input() { caller, params, body }: RouteInput<{ readonly role: Role }>): Promise<UserRecord> {
    return userRecord(await this.users.setRole(caller.accountId, idOf(params), body.role));
  }

  @HttpRoute(identityRoutes.deleteUser)
  remove(@Input() { caller, params }: RouteInput): Promise<void> {
    return this.users.remove(caller.accountId, idOf(params));
  }
}
