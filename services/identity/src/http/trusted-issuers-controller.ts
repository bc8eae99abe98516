import { Controller, Inject } from '@nestjs/common';
import { trustedIssuerRoutes } from '@countersign/contracts';
import type { NewTrustedIssuer, TrustedIssuerRecord } from '@countersign/contracts';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { RouteInput } from '@countersign/http-edge';
import type { TrustedIssuers } from '../operate/trusted-issuers.js';
import { idOf } from './paths.js';
import { TRUSTED_ISSUERS } from './tokens.js';

@Controller()
export class TrustedIssuersController {
  constructor(@Inject(TRUSTED_ISSUERS) private readonly trusted: TrustedIssuers) {}

  @HttpRoute(trustedIssuerRoutes.listTrustedIssuers)
  async list(@Input() { caller }: RouteInput): Promise<object> {
    return { trustedIssuers: await this.trusted.list(caller.accountId) };
  }

  @HttpRoute(trustedIssuerRoutes.createTrustedIssuer)
  create(@Input() { caller, body }: RouteInput<NewTrustedIssuer>): Promise<TrustedIssuerRecord> {
    return this.trusted.create(caller, body);
  }

  @HttpRoute(trustedIssuerRoutes.deleteTrustedIssuer)
  remove(@Input() { caller, params }: RouteInput): Promise<void> {
    return this.trusted.remove(caller, idOf(params));
  }
}
