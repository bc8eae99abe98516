import { Controller, Inject } from '@nestjs/common';
import { eventExplanationRoutes } from '@countersign/contracts';
import type { EventArchive, EventExplanation } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import type { RouteInput } from '@countersign/http-edge';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { HttpRoute, Input } from '@countersign/service-kit';
import { notNow } from '../change-agent/agent-changes.js';
import { explainEvent } from '../explain/explain-event.js';
import { ARCHIVE } from './tokens.js';

@Controller()
export class ExplainEventController {
  constructor(@Inject(ARCHIVE) private readonly archive: () => Pick<EventArchive, 'withProfile'> | null) {}

  @HttpRoute(eventExplanationRoutes.explainEvent)
  async explain(@Input() { caller, params }: RouteInput): Promise<EventExplanation> {
    const archive = this.archive();
    if (archive === null) throw notNow('audit-log cannot be asked at the moment: try again');
    const found = await archive.withProfile(caller.accountId, params['eventId']!.toLowerCase());
    if (found?.event.envelope.leaf.type !== 'action.checked') throw new HttpRefusal(404, 'no such check');
    return explainEvent(found, nodeCrypto.sha256);
  }
}
