import { Controller, Inject } from '@nestjs/common';
import { scanRoutes } from '@countersign/contracts';
import type { ScanRequest, ToolsRequest } from '@countersign/contracts';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { ApiKeyCaller, RouteInput } from '@countersign/http-edge';
import type { Scanner } from '../scan/scanner.js';
import type { ToolLister } from '../scan/tool-lister.js';

export const SCANNER = Symbol('scanner');
export const TOOL_LISTER = Symbol('tool lister');

@Controller()
export class ScanController {
  constructor(
    @Inject(SCANNER) private readonly scanner: Scanner,
    @Inject(TOOL_LISTER) private readonly lister: ToolLister,
  ) {}

  @HttpRoute(scanRoutes.scan)
  scan(
    @Input() { body, caller }: RouteInput<ScanRequest, unknown, ApiKeyCaller>,
  ): Promise<Readonly<Record<string, unknown>>> {
    return this.scanner.scan(caller, body);
  }

  @HttpRoute(scanRoutes.tools)
  tools(@Input() { body, caller }: RouteInput<ToolsRequest, unknown, ApiKeyCaller>): Promise<object> {
    return this.lister.tools(caller, body);
  }
}
