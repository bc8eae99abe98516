import {
  FRAMEWORKS,
  type Coverage,
  type CoverageQuery,
  type CoveringEvent,
  type CoveringEventsQuery,
  type EventArchive,
} from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import { agentsOf, type Directory } from '../directory.js';
import { readInstant } from '../issue-report/request.js';
import { withTrail } from '../issue-report/trail.js';
import type { ControlMapping } from '../mapping/control-mapping.js';
import type { ReportStore } from '../store/port.js';
import type { CoverageRange } from './assessed-events.js';
import { countCoverage } from './count-coverage.js';
import { coveringEvents } from './covering-events.js';
import { RunningComputations, type ComputationLimits } from './running-computations.js';

/** Injection token of {@link Coverages}. */
export const COVERAGES = Symbol('coverages');

const DAY_MS = 86_400_000;
/** Without `from` the range begins this many days before its end. */
const DEFAULT_DAYS = 7;
const MOST_DAYS = 92;
/** Coverages that are computed at a time. */
export const RUNNING: ComputationLimits = {
  ofOneAccount: 4,
  ofAll: 16,
  named: 'computations of coverage',
  retryAfterSeconds: 2,
};

/** Dependencies of coverage on the rest of the service. */
export interface CoverageSources {
  readonly archive: EventArchive;
  readonly mapping: ControlMapping;
  readonly store: Pick<ReportStore, 'scope'>;
  readonly directory: Directory;
  now(): Promise<number>;
}

interface CoveringEventPage {
  readonly events: readonly CoveringEvent[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

/** How far the events of an account show the controls of the frameworks; a preview of what a signed package states. */
export class Coverages {
  readonly #sources: CoverageSources;
  readonly #running = new RunningComputations(RUNNING);
  constructor(sources: CoverageSources) {
    this.#sources = sources;
  }

  /** @throws HttpRefusal 400 by range, 404 by agent, 503 while the archive or a place is missing */
  count(accountId: string, query: CoverageQuery): Promise<Coverage> {
    return this.#running.run(accountId, async () => {
      const range = await this.#range(accountId, query);
      if (query.by === 'day' && (Date.parse(range.to) - Date.parse(range.from)) / DAY_MS > MOST_DAYS) {
        throw new HttpRefusal(400, `by=day takes a range of at most ${MOST_DAYS} days: name a later from, or by=agent`);
      }
      const { archive, mapping, directory } = this.#sources;
      const asOf = new Date(await this.#sources.now()).toISOString();
      await directory.settled();
      return { ...(await countCoverage(archive, mapping, range, query.by)), asOf };
    });
  }

  /** @throws HttpRefusal as `count`, and 404 for a control that the mapping does not have */
  events(accountId: string, query: CoveringEventsQuery): Promise<CoveringEventPage> {
    return this.#running.run(accountId, async () => {
      const { framework, controlId, relation, status, limit, offset } = query;
      if (framework === undefined || controlId === undefined) {
        throw new HttpRefusal(400, 'the query parameters framework and controlId name the control: give both');
      }
      const range = await this.#range(accountId, query);
      const { archive, mapping, directory } = this.#sources;
      const isKnown = mapping
        .controlsOf([framework])
        .some((one) => one.controlId === controlId && (relation ?? one.relation) === one.relation);
      if (!isKnown) {
        const named =
          relation === undefined ? 'control with this id' : `control with this id and the relation ${relation}`;
        throw new HttpRefusal(404, `mapping ${mapping.version} has no ${named} in ${framework}: see GET /v1/coverage`);
      }
      await directory.settled();
      const of = {
        controlId,
        ...(relation === undefined ? {} : { relation }),
        ...(status === undefined ? {} : { status }),
      };
      const events = await coveringEvents(archive, mapping, range, of);
      return { events: events.slice(offset, offset + limit), total: events.length, limit, offset };
    });
  }

  async #range(
    accountId: string,
    { framework, from, to, agentId }: Pick<CoverageQuery, 'framework' | 'from' | 'to' | 'agentId'>,
  ): Promise<CoverageRange> {
    const { directory, store } = this.#sources;
    // An event of this millisecond belongs to the range.
    const end = to === undefined ? new Date((await this.#sources.now()) + 1).toISOString() : readInstant('to', to);
    const begin =
      from === undefined
        ? new Date(Math.max(0, Date.parse(end) - DEFAULT_DAYS * DAY_MS)).toISOString()
        : readInstant('from', from);
    if (begin >= end) throw new HttpRefusal(400, 'from must be before to');
    const named = await agentsOf(directory, accountId, agentId === undefined ? [] : [agentId.toLowerCase()]);
    const agents = agentId === undefined ? await withTrail(this.#sources.archive, accountId, named, end) : named;
    return {
      agentIds: agents.map(({ id }) => id),
      from: begin,
      to: end,
      frameworks: framework === undefined ? FRAMEWORKS : [framework],
      scope: await store.scope(accountId),
    };
  }
}
