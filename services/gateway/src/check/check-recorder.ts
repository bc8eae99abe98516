import type { CheckAnswer } from '@countersign/contracts';
import type { Counters, Judgement } from '@countersign/counters';
import type { ServiceContext } from '@countersign/service-kit';
import type { BatchedAppender, AppendOutcome, OutcomeListener } from '../append-event/batched-appender.js';
import type { UnansweredChecks } from '../append-event/unanswered-checks.js';
import { retryAfterOf } from '../domain/check-approvals.js';
import { checkEvent } from '../domain/check-event.js';
import type { CheckFacts } from '../domain/check-event.js';
import type { UnansweredCheck } from '../domain/unanswered-event.js';
import type { PendingCheck } from './pending-check.js';

const UNRECORDED = 'The decision could not be recorded. Do not act; try again.';
const UNKNOWN = 'Whether the decision was recorded is unknown. Do not act; try again.';
const UNFROZEN = 'The decision was recorded, but the agent could not be frozen. Do not act; try again.';

export interface CheckRecorderParts {
  readonly counters: Pick<Counters, 'takeBack' | 'freeze' | 'answered'>;
  readonly appender: BatchedAppender;
  readonly unanswered: UnansweredChecks;
  readonly log: Pick<ServiceContext['log'], 'warn'>;
  readonly recorded: (outcome: string, check: PendingCheck) => void;
}

/** From a judgement to the answer: the event is made durable before the answer is sent. */
export class CheckRecorder {
  readonly #parts: CheckRecorderParts;
  /** Pending events with an idempotency key: a duplicate waits for the first instead of appending it again. */
  readonly #twins = new Map<string, Recording[]>();

  constructor(parts: CheckRecorderParts) {
    this.#parts = parts;
  }

  record(check: PendingCheck, judgement: Judgement, facts: CheckFacts): void {
    const keySha256 = facts.idempotency?.keySha256 ?? null;
    if (check.overByNow()) {
      // Counted, but never sent: its event will not exist.
      void takeBack(this.#parts, facts, judgement, keySha256);
      return;
    }
    const { eventId, text, answer } = checkEvent(judgement, facts);
    const { agentId, accountId, cadenceSeconds, apiKeyId } = facts;
    const sent: UnansweredCheck = { eventId, agentId, accountId, cadenceSeconds, apiKeyId };
    check.sent = sent;
    check.claimed = keySha256 !== null;
    const recording = new Recording(this.#parts, check, sent, judgement, keySha256, answer);
    const record = { topic: 'agent-events', key: agentId, value: text } as const;
    if (keySha256 === null) this.#parts.appender.append(record, recording);
    else this.#appendOnce(eventId, record, recording);
  }

  #appendOnce(eventId: string, record: Parameters<BatchedAppender['append']>[0], recording: Recording): void {
    const twins = this.#twins.get(eventId);
    if (twins !== undefined) {
      twins.push(recording);
      return;
    }
    const all = [recording];
    this.#twins.set(eventId, all);
    this.#parts.appender.append(record, {
      settled: (outcome) => {
        this.#twins.delete(eventId);
        for (const one of all) one.settled(outcome);
      },
    });
  }
}

/** A check whose event is being appended. Holds only the parts of the request that its answer needs. */
class Recording implements OutcomeListener {
  constructor(
    private readonly parts: CheckRecorderParts,
    private readonly check: PendingCheck,
    private readonly sent: UnansweredCheck,
    private readonly judgement: Judgement,
    private readonly keySha256: string | null,
    private readonly answer: CheckAnswer,
  ) {}

  settled(outcome: AppendOutcome): void {
    if (outcome === 'in-doubt') this.check.unavailable('unavailable', UNKNOWN);
    else if (outcome === 'refused') void this.#refused();
    else if (this.judgement.freezesAgent || this.keySha256 !== null) void this.#follow();
    else this.#answer();
  }

  #answer(): void {
    if (this.check.overByNow()) return;
    const { answer, judgement } = this;
    this.parts.recorded(judgement.outcome, this.check);
    this.check.answer(answer, answer.status === 429 ? secondsToNextMonth(judgement.nowMs) : retryAfterIn(answer));
  }

  async #refused(): Promise<void> {
    await takeBack(this.parts, this.sent, this.judgement, this.keySha256);
    // Its id was sent at the deadline: with the claim gone no retry will answer it. Without a claim it was added then.
    if (this.check.over && this.check.claimed) this.parts.unanswered.add(this.sent, false);
    this.check.sent = null;
    this.check.unavailable('unavailable', UNRECORDED);
  }

  /** Steps that must succeed before the answer. */
  async #follow(): Promise<void> {
    const { counters, log, unanswered } = this.parts;
    const { agentId, eventId } = this.sent;
    if (this.judgement.freezesAgent) {
      try {
        await counters.freeze(agentId, this.judgement.nowMs);
      } catch (error) {
        log.warn({ err: error, agentId }, 'freeze after a denial failed; policy follows from the log');
        this.check.unavailable('unavailable', UNFROZEN);
      }
    }
    if (this.check.overByNow()) return;
    if (this.keySha256 !== null) {
      await this.#keepAnswer(this.keySha256);
      if (!this.check.overByNow()) unanswered.answered(eventId);
    }
    this.#answer();
  }

  /** Keeps a 200 for repetitions of the key; the counters drop the claim of a refusal by plan or freeze. */
  async #keepAnswer(keySha256: string): Promise<void> {
    try {
      await this.parts.counters.answered(this.sent.accountId, keySha256, this.answer, this.judgement.entropy);
    } catch (error) {
      // The claim stays: a retry appends the same bytes and gets the same answer.
      this.parts.log.warn({ err: error }, 'the answer of an idempotency key could not be kept');
    }
  }
}

/** Only for events that are certainly not in the log. */
async function takeBack(
  parts: Pick<CheckRecorderParts, 'counters' | 'log'>,
  of: Pick<UnansweredCheck, 'accountId' | 'agentId'>,
  judgement: Judgement,
  keySha256: string | null,
): Promise<void> {
  try {
    await parts.counters.takeBack(of.accountId, of.agentId, judgement, keySha256);
  } catch (error) {
    parts.log.warn({ err: error }, 'a check that was not recorded stays counted');
  }
}

function retryAfterIn({ status, body }: CheckAnswer): string | null {
  return status === 200 ? retryAfterOf(body) : null;
}

function secondsToNextMonth(ms: number): string {
  const now = new Date(ms);
  return `${Math.ceil((Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - ms) / 1000)}`;
}
