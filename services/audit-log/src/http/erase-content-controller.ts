import { Controller, Inject } from '@nestjs/common';
import { auditLogRoutes, type ErasureQuery } from '@countersign/contracts';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import { ERASURE } from '../tokens.js';
import type { Erasure } from '../erase-content/erasure.js';

@Controller()
export class EraseContentController {
  constructor(@Inject(ERASURE) private readonly erasure: Erasure) {}

  @HttpRoute(auditLogRoutes.eraseContent)
  erase(@Input() { params, query, caller }: RouteInput<unknown, ErasureQuery>): Promise<void> {
    return this.erasure.erase(caller, params['eventId']!.toLowerCase(), query.reason ?? null);
  }
}
