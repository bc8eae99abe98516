import { Controller, Inject } from '@nestjs/common';
import { alertsRoutes, type AlertConfigBody, type AlertTestBody, type PageQuery } from '@countersign/contracts';
import { HttpAnswer } from '@countersign/http-edge';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { Destinations } from '../destinations.js';
import { DESTINATIONS } from '../tokens.js';

@Controller()
export class AlertConfigsController {
  constructor(@Inject(DESTINATIONS) private readonly destinations: Destinations) {}

  @HttpRoute(alertsRoutes.listAlertConfigs)
  list(@Input() { caller }: RouteInput): unknown {
    return this.destinations.list(caller.accountId);
  }

  @HttpRoute(alertsRoutes.putAlertConfig)
  async put(@Input() { caller, body }: RouteInput<AlertConfigBody>): Promise<unknown> {
    const { made, record } = await this.destinations.put(caller, body);
    return made ? HttpAnswer.text(201, 'application/json', JSON.stringify(record)) : record;
  }

  @HttpRoute(alertsRoutes.deleteAlertConfig)
  remove(@Input() { caller, params }: RouteInput): Promise<void> {
    return this.destinations.remove(caller, params['id']!.toLowerCase());
  }

  @HttpRoute(alertsRoutes.testAlertConfig)
  test(@Input() { caller, params }: RouteInput): unknown {
    return this.destinations.test(caller, params['id']!.toLowerCase());
  }

  @HttpRoute(alertsRoutes.testNewAlertConfig)
  testNew(@Input() { caller, body }: RouteInput<AlertTestBody>): unknown {
    return this.destinations.testNew(caller, body);
  }

  @HttpRoute(alertsRoutes.retryDelivery)
  retry(@Input() { caller, params }: RouteInput): unknown {
    return this.destinations.sendAgain(caller, params['id']!.toLowerCase(), params['deliveryId']!);
  }

  @HttpRoute(alertsRoutes.listDeliveries)
  deliveries(@Input() { caller, params, query }: RouteInput<unknown, PageQuery>): unknown {
    return this.destinations.deliveries(caller.accountId, params['id']!.toLowerCase(), query.limit, query.offset);
  }
}
