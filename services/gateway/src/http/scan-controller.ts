import { Controller, Inject } from '@nestjs/common';
import { scanRoutes } from '@countersign/contracts';
import type { ScanRequest } from '@countersign/contracts';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { ApiKeyCaller, RouteInput } from '@countersign/service-kit';
import type { Scanner } from '../scan/scanner.js';

export const SCANNER = Symbol('scanner');

@Controller()
export class ScanController {
  constructor(@Inject(SCANNER) private readonly scanner: Scanner) {}

  @HttpRoute(scanRoutes.scan)
  scan(
    @Input() { body, caller }: RouteInput<ScanRequest, unknown, ApiKeyCaller>,
  ): Promise<Readonly<Record<string, unknown>>> {
    return this.scanner.scan(caller.accountId, body);
  }
}
