import type { Counters, Judgement } from '@countersign/counters';
import type { ServiceContext } from '@countersign/service-kit';
import type { BatchedAppender, Fate } from '../append-event/batched-appender.js';
import type { UnansweredChecks } from '../append-event/unanswered-checks.js';
import { checkEvent } from '../domain/check-event.js';
import type { CheckEvent, CheckFacts } from '../domain/check-event.js';
import type { CheckUnderWay } from './check-under-way.js';

const UNRECORDED = 'The decision could not be recorded. Do not act; try again.';
const UNKNOWN = 'Whether the decision was recorded is unknown. Do not act; try again.';
const UNFROZEN = 'The decision was recorded, but the agent could not be frozen. Do not act; try again.';

export interface CheckRecorderParts {
  readonly counters: Pick<Counters, 'takeBack' | 'freeze' | 'answered'>;
  readonly appender: BatchedAppender;
  readonly unanswered: UnansweredChecks;
  readonly log: Pick<ServiceContext['log'], 'warn'>;
  readonly recorded: (outcome: string, check: CheckUnderWay) => void;
}

/** From a judgement to the answer: the event is made durable first, then the caller is told. */
export class CheckRecorder {
  readonly #parts: CheckRecorderParts;
  /** Events with an idempotency key that are being appended: a twin waits for the first instead of writing it again. */
  readonly #underWay = new Map<string, Promise<Fate>>();

  constructor(parts: CheckRecorderParts) {
    this.#parts = parts;
  }

  async record(check: CheckUnderWay, judgement: Judgement, facts: CheckFacts): Promise<void> {
    // Counted, but never sent: nobody will see its event.
    if (check.over) return this.#takeBack(judgement, facts);
    const event = checkEvent(judgement, facts);
    check.sent = {
      eventId: event.eventId,
      agentId: facts.agentId,
      accountId: facts.accountId,
      cadenceSeconds: facts.cadenceSeconds,
      apiKeyId: facts.apiKeyId,
    };
    check.claimed = facts.idempotency !== null;
    const fate = await this.#append(event, facts);
    if (fate === 'durable') return this.#answer(check, judgement, facts, event);
    if (fate === 'unknown') return check.unavailable('unavailable', UNKNOWN);
    await this.#takeBack(judgement, facts);
    // Its id was told at the deadline, and with the claim gone no retry will answer it.
    if (check.over) this.#parts.unanswered.add(check.sent, false);
    check.sent = null;
    check.unavailable('unavailable', UNRECORDED);
  }

  /** An event with an idempotency key may be under way already: then its fate is waited for instead of writing it again. */
  async #append({ eventId, text }: CheckEvent, { agentId, idempotency }: CheckFacts): Promise<Fate> {
    const record = { topic: 'agent-events', key: agentId, value: text } as const;
    if (idempotency === null) return this.#parts.appender.append(record);
    const twin = this.#underWay.get(eventId);
    if (twin !== undefined) return twin;
    const appended = this.#parts.appender.append(record);
    this.#underWay.set(eventId, appended);
    const fate = await appended;
    this.#underWay.delete(eventId);
    return fate;
  }

  async #answer(check: CheckUnderWay, judgement: Judgement, facts: CheckFacts, event: CheckEvent): Promise<void> {
    const { counters, unanswered, log } = this.#parts;
    if (judgement.freezesAgent) {
      try {
        await counters.freeze(facts.agentId, judgement.nowMs);
      } catch (error) {
        log.warn({ err: error, agentId: facts.agentId }, 'freeze after a denial failed; policy follows from the log');
        return check.unavailable('unavailable', UNFROZEN);
      }
    }
    if (check.over) return;
    if (facts.idempotency !== null) await this.#keepAnswer(judgement, facts, event);
    if (facts.idempotency !== null) unanswered.answered(event.eventId);
    this.#parts.recorded(judgement.outcome, check);
    check.answer(event.answer, event.answer.status === 429 ? secondsToNextMonth(judgement.nowMs) : null);
  }

  /** Keeps a 200 for whoever repeats the key; the claim of a refusal by plan or freeze is dropped by the counters. */
  async #keepAnswer(judgement: Judgement, facts: CheckFacts, event: CheckEvent): Promise<void> {
    const { keySha256 } = facts.idempotency!;
    try {
      await this.#parts.counters.answered(facts.accountId, keySha256, event.answer, judgement.entropy);
    } catch (error) {
      // The claim stays: a retry appends the same bytes and gets the same answer.
      this.#parts.log.warn({ err: error }, 'the answer of an idempotency key could not be kept');
    }
  }

  async #takeBack(judgement: Judgement, facts: CheckFacts): Promise<void> {
    const keySha256 = facts.idempotency?.keySha256 ?? null;
    try {
      await this.#parts.counters.takeBack(facts.accountId, facts.agentId, judgement, keySha256);
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'a check that was not recorded stays counted');
    }
  }
}

function secondsToNextMonth(ms: number): string {
  const now = new Date(ms);
  return `${Math.ceil((Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - ms) / 1000)}`;
}
