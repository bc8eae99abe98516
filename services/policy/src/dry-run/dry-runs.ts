import type { DryRunAnswer, EventArchive } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import type { ServiceContext } from '@countersign/service-kit';
import { notNow } from '../change-agent/agent-changes.js';
import { dryRun } from './dry-run.js';
import type { DryRun } from './dry-run.js';
import type { DryRunChecks } from './read-request.js';

/** Each reads and evaluates up to 200,000 events: more at a time would delay other work of this process. */
const MOST_AT_ONCE = 2;
const ARCHIVE_WAIT_MS = 10_000;

/** Runs dry runs over the archive, a few at a time. */
export class DryRuns {
  readonly #context: Pick<ServiceContext, 'peerNow' | 'eventLog' | 'log'>;
  #underWay = 0;

  constructor(context: Pick<ServiceContext, 'peerNow' | 'eventLog' | 'log'>) {
    this.#context = context;
  }

  /** Covers every check that was answered before the call. @throws HttpRefusal 503 while the archive cannot be read, or too many run */
  async run(wanted: Omit<DryRun, 'from' | 'to'>, checks: DryRunChecks): Promise<DryRunAnswer> {
    const archive = this.#context.peerNow('event-archive');
    if (archive === null) throw notNow('audit-log cannot be asked at the moment: try again');
    if (this.#underWay >= MOST_AT_ONCE) throw notNow('other dry runs are under way: try again when they have ended');
    this.#underWay += 1;
    try {
      await this.#caughtUp(archive);
      return await dryRun(archive, { ...wanted, ...(await rangeOf(archive, wanted.agentId, checks)) });
    } finally {
      this.#underWay -= 1;
    }
  }

  async #caughtUp(archive: EventArchive): Promise<void> {
    const { eventLog, log } = this.#context;
    try {
      await archive.caughtUp(await eventLog.endOffsets('agent-events'), ARCHIVE_WAIT_MS);
    } catch (error) {
      if (error instanceof HttpRefusal) throw error;
      log.warn({ err: error }, 'the archive has not caught up for a dry run');
      throw notNow('audit-log has not taken in all events yet: try again');
    }
  }
}

/** The time of the checks; of an agent without checks one in which there are none. */
async function rangeOf(
  archive: Pick<EventArchive, 'newestChecks'>,
  agentId: string,
  checks: DryRunChecks,
): Promise<{ readonly from: string; readonly to: string }> {
  if ('from' in checks) return checks;
  const newest = await archive.newestChecks(agentId, checks.latest);
  return newest ?? { from: new Date(0).toISOString(), to: new Date(1).toISOString() };
}
