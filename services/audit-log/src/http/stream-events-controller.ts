import { Controller, Inject } from '@nestjs/common';
import { accountStream, eventStreamRoutes } from '@countersign/contracts';
import type { EventStreamQuery } from '@countersign/contracts';
import { EVENT_STREAM, HttpAnswer } from '@countersign/http-edge';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { Projection } from '@countersign/topics';
import { eventFilter } from '../domain/event-filter.js';
import { shownTo } from '../domain/event-record.js';
import { agentIdsOf } from '../domain/owned-agent.js';
import type { OwnedAgent } from '../domain/owned-agent.js';
import { ArrivalWatch } from '../live/arrival-watch.js';
import { LiveFeed } from '../live/live-feed.js';
import { OpenFeeds } from '../live/open-feeds.js';
import type { EventStore } from '../store/port.js';
import { AGENTS, CLOCK, STORE } from '../tokens.js';

@Controller()
export class StreamEventsController {
  readonly #open = new OpenFeeds();
  readonly #watch: ArrivalWatch;

  constructor(
    @Inject(STORE) private readonly store: EventStore,
    @Inject(AGENTS) private readonly agents: Projection<OwnedAgent>,
    @Inject(CLOCK) private readonly clock: () => number,
  ) {
    this.#watch = new ArrivalWatch(store);
  }

  @HttpRoute(eventStreamRoutes.streamEvents)
  stream(@Input() { query, headers, caller, identifyAgain }: RouteInput<unknown, EventStreamQuery>): HttpAnswer {
    const { accountId, sessionId, role } = caller;
    const { seconds, ...filter } = query;
    const lastEventId = headers['last-event-id'];
    const feed = new LiveFeed(this.#watch, this.store, {
      accountId,
      filter: eventFilter(filter),
      shown: (event) => shownTo(role, event),
      lastEventId: typeof lastEventId === 'string' ? lastEventId : undefined,
      endsAfterMs: seconds === undefined ? null : seconds * 1000,
      agentIds: () => [...agentIdsOf(this.agents, accountId), accountStream(accountId)],
      identifyAgain,
      clock: this.clock,
    });
    const pieces = this.#counted({ accountId, sessionId }, feed);
    // The proxy in front passes each piece on at once.
    return HttpAnswer.stream(200, EVENT_STREAM, pieces, { 'x-accel-buffering': 'no' });
  }

  /** Holds a place from the first piece that is asked for until the last, however the feed ends. */
  async *#counted(of: Parameters<OpenFeeds['open']>[0], feed: LiveFeed): AsyncGenerator<string, void, void> {
    const close = this.#open.open(of);
    try {
      yield* feed.pieces();
    } finally {
      close();
    }
  }
}
