import { BackgroundLoop } from '@countersign/async';
import type { NewRecord } from '@countersign/event-log';
import { HttpRefusal } from '@countersign/http-edge';
import type { ServiceContext } from '@countersign/service-kit';
import { listedAgents, type Directory } from '../directory.js';
import { countEvents } from '../issue-report/fitting-range.js';
import { issueReport, MAX_EVENTS, type Issuer } from '../issue-report/issue.js';
import { issueFitting } from '../issue-series/issue-fitting.js';
import { exportingAccount } from '../reports.js';
import type { StoredEntry, StoredReport } from '../store/port.js';
import { JobGone, type JobClaim, type ReportJob } from './report-job.js';

const EVERY_MS = 1_000;
/** The claim of a crashed instance expires then, and another one continues. */
const CLAIM_MS = 30_000;
const RENEW_MS = 10_000;
const MOST_ATTEMPTS = 8;
const LONGEST_WAIT_MS = 300_000;
const KEPT_MS = 30 * 86_400_000;
const FORGET_EVERY_MS = 3_600_000;

const ENDED = new HttpRefusal(
  503,
  'the process that made it ended before it was finished: ask for a shorter range, or for fewer agents',
);
const STOPPING = new HttpRefusal(503, 'the service is stopping; the job continues afterwards');

/** Makes the reports of jobs, one package at a time in this process. A job continues with the package that was not issued. */
export class JobRunner {
  readonly #loop: BackgroundLoop;
  #stopped = false;
  #forgottenMs = 0;
  #stop: () => void = () => undefined;
  readonly #stopping = new Promise<never>((_, reject) => (this.#stop = () => reject(STOPPING)));

  constructor(
    private readonly issuer: Issuer,
    private readonly directory: Directory,
    private readonly log: ServiceContext['log'],
  ) {
    this.#stopping.catch(() => undefined);
    this.#loop = new BackgroundLoop(
      () => this.#round(),
      (error) => {
        this.log.error({ err: error }, 'report jobs cannot be read');
        return 10 * EVERY_MS;
      },
    );
  }

  start(): void {
    this.#loop.start(EVERY_MS);
  }

  /** Looks for a job now. */
  readonly wake = (): void => this.#loop.poke();

  /** Gives the job that is running back. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stop();
    await this.#loop.stop();
  }

  async #round(): Promise<number> {
    const { store } = this.issuer;
    for (;;) {
      const nowMs = await this.issuer.now();
      if (nowMs - this.#forgottenMs > FORGET_EVERY_MS) {
        this.#forgottenMs = nowMs;
        await store.forgetJobs(new Date(nowMs - KEPT_MS).toISOString());
      }
      const claim = this.#stopped ? null : await store.claimJob(nowMs, nowMs + CLAIM_MS);
      if (claim === null) return EVERY_MS;
      await new RunningJob(this.issuer, this.directory, claim, this.log, this.#stopping).run();
    }
  }
}

/** A claimed job, to its end or to the next attempt. */
class RunningJob {
  readonly #token: string;
  #job: ReportJob;
  /** The job before the package that is made. */
  #before: ReportJob;
  #lastWrite: Promise<unknown> = Promise.resolve();
  /** The store failed while it took a report, and does not say whether it has it. */
  #isInDoubt = false;

  constructor(
    private readonly issuer: Issuer,
    private readonly directory: Directory,
    { job, token }: JobClaim,
    private readonly log: ServiceContext['log'],
    private readonly stopping: Promise<never>,
  ) {
    this.#job = job;
    this.#before = job;
    this.#token = token;
  }

  async run(): Promise<void> {
    // A renewal that fails is followed by a step that fails.
    const renewal = setInterval(() => void this.#keep({}).catch(() => undefined), RENEW_MS);
    try {
      if (this.#job.attempts > MOST_ATTEMPTS) throw ENDED;
      await this.#issueAll();
      await this.#keep({ state: 'done', error: null }, null);
    } catch (error) {
      await this.#failed(error).catch((again: unknown) => {
        if (!(again instanceof JobGone)) throw again;
      });
    } finally {
      clearInterval(renewal);
    }
  }

  async #issueAll(): Promise<void> {
    const { accountId, userId, email, request, split, title } = this.#job;
    const { name: accountName } = exportingAccount(this.directory, accountId);
    await this.#keep({ state: 'reading' });
    const agents = await listedAgents(this.issuer.archive, this.directory, accountId, request);
    const ids = agents.map(({ id }) => id);
    await this.#keep({ of: await countEvents(this.issuer.archive, ids, request.from, request.to) });
    const { fit = null } = request;
    const most = fit ?? (split ? MAX_EVENTS : null);
    const issue = most === null ? issueReport : issueFitting(most);
    const issuer: Issuer = {
      ...this.issuer,
      anchorOf: (id, ms) => this.#anchorOf(id, ms),
      job: {
        title,
        at: (state) => this.#keep({ state }),
        add: (report, stored, events) => this.#add(report, stored, events),
      },
    };
    while (this.#job.next < request.to) {
      this.#before = this.#job;
      const preparer = { accountName, userId, email };
      await issue(issuer, accountId, preparer, agents, { ...request, from: this.#job.next });
      if (!split) return;
    }
  }

  /** Stores a report with the job after it. @throws JobGone */
  #add(report: StoredReport, stored: StoredEntry, events: readonly NewRecord[]): Promise<void> {
    return this.#inTurn(async () => {
      const done = this.#job.done + report.summary!.events;
      const reports = [...this.#job.reports, report.id];
      // The first attempt of the next package.
      const after = { ...this.#job, next: report.to, done, reports, attempts: 1 };
      await this.#store(report, stored, after, events);
      this.#job = after;
    });
  }

  /** @throws JobGone; the error of a store that has not taken the report, or does not say so */
  async #store(
    report: StoredReport,
    stored: StoredEntry,
    after: ReportJob,
    events: readonly NewRecord[],
  ): Promise<void> {
    const { store } = this.issuer;
    try {
      await store.addReport(report, stored, { token: this.#token, job: after }, events);
    } catch (error) {
      if (error instanceof JobGone) throw error;
      // A transaction may have been committed although its answer was lost.
      this.#isInDoubt = true;
      this.log.error(
        { err: error, job: this.#job.id, report: report.id },
        'it is in doubt whether the store has a report',
      );
      const there = await store.anyReport(report.id);
      this.#isInDoubt = false;
      if (there === null) throw error;
    }
  }

  async #anchorOf(...asked: Parameters<Issuer['anchorOf']>): ReturnType<Issuer['anchorOf']> {
    const anchor = await Promise.race([this.issuer.anchorOf(...asked), this.stopping]);
    await this.#keep({ state: 'signing' });
    return anchor;
  }

  /** @throws JobGone */
  #keep(change: Partial<ReportJob>, dueAtMs?: number | null): Promise<void> {
    return this.#inTurn(async () => {
      // A job of before the report would replace the one that may be stored with it.
      if (this.#isInDoubt) throw new JobGone();
      const job = { ...this.#job, ...change };
      const until = dueAtMs === undefined ? (await this.issuer.now()) + CLAIM_MS : dueAtMs;
      if (!(await this.issuer.store.keepJob(this.#token, job, until, dueAtMs !== undefined))) throw new JobGone();
      this.#job = job;
    });
  }

  /** Writes one after another: a renewal that began before a package was stored would remove it from the job. */
  #inTurn(write: () => Promise<void>): Promise<void> {
    const written = this.#lastWrite.then(write);
    this.#lastWrite = written.catch(() => undefined);
    return written;
  }

  async #failed(error: unknown): Promise<void> {
    // Its claim ends, and the next attempt continues from the job as it is stored.
    if (error instanceof JobGone || this.#isInDoubt) return;
    const nowMs = await this.issuer.now();
    const { attempts } = this.#job;
    if (error === STOPPING) return this.#keep({ state: 'waiting', attempts: attempts - 1 }, nowMs);
    const change = { ...(await this.#withoutWithdrawn()), error: wordsOf(error) };
    const isFinal = (error instanceof HttpRefusal && error.status < 500) || attempts >= MOST_ATTEMPTS;
    if (!(error instanceof HttpRefusal)) this.log.error({ err: error, job: this.#job.id }, 'a report job failed');
    if (isFinal) return this.#keep({ ...change, state: 'failed' }, null);
    const waitMs = Math.min(LONGEST_WAIT_MS, 5_000 * 2 ** (attempts - 1));
    return this.#keep({ ...change, state: 'waiting' }, nowMs + waitMs);
  }

  /** A report that was withdrawn as soon as it was stored was not issued: its range is taken again. */
  async #withoutWithdrawn(): Promise<Partial<ReportJob>> {
    const { next, done, reports } = this.#before;
    const last = this.#job.reports.length > reports.length ? this.#job.reports.at(-1)! : null;
    const report = last === null ? null : await this.issuer.store.anyReport(last);
    return report === null || report.facts.withdrawn === null ? {} : { next, done, reports };
  }
}

function wordsOf(error: unknown): string {
  return error instanceof HttpRefusal ? error.message : 'it could not be made; the log of the service says why';
}
