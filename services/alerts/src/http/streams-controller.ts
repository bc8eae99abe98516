import { Controller, Inject } from '@nestjs/common';
import { streamRoutes, type NewStreamBody, type StreamChangeBody } from '@countersign/contracts';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { Streams } from '../streams/streams.js';
import { STREAMS } from '../tokens.js';

@Controller()
export class StreamsController {
  constructor(@Inject(STREAMS) private readonly streams: Streams) {}

  @HttpRoute(streamRoutes.listStreams)
  list(@Input() { caller }: RouteInput): unknown {
    return this.streams.list(caller.accountId);
  }

  @HttpRoute(streamRoutes.createStream)
  create(@Input() { caller, body }: RouteInput<NewStreamBody>): unknown {
    return this.streams.create(caller, body);
  }

  @HttpRoute(streamRoutes.getStream)
  get(@Input() { caller, params }: RouteInput): unknown {
    return this.streams.get(caller.accountId, params['id']!.toLowerCase());
  }

  @HttpRoute(streamRoutes.changeStream)
  change(@Input() { caller, params, body }: RouteInput<StreamChangeBody>): unknown {
    return this.streams.change(caller, params['id']!.toLowerCase(), body);
  }

  @HttpRoute(streamRoutes.deleteStream)
  remove(@Input() { caller, params }: RouteInput): Promise<void> {
    return this.streams.remove(caller, params['id']!.toLowerCase());
  }

  @HttpRoute(streamRoutes.testStream)
  test(@Input() { caller, params }: RouteInput): unknown {
    return this.streams.test(caller, params['id']!.toLowerCase());
  }
}
