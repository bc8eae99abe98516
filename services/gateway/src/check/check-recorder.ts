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

/** `first`: judged by this trip. `again`: its bytes may have been sent before. */
export type Sending = 'first' | 'again';

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

  async record(check: CheckUnderWay, judgement: Judgement, facts: CheckFacts, sending: Sending): Promise<void> {
    if (check.over) {
      // Counted, but never sent: nobody will see its event.
      if (sending === 'first') await this.#takeBack(judgement, facts);
      return;
    }
    const event = checkEvent(judgement, facts);
    check.sent = {
      eventId: event.eventId,
      agentId: facts.agentId,
      accountId: facts.accountId,
      cadenceSeconds: facts.cadenceSeconds,
      apiKeyId: facts.apiKeyId,
    };
    check.claimed = facts.idempotency !== null;
    const record = { topic: 'agent-events', key: facts.agentId, value: event.text } as const;
    if (facts.idempotency === null) {
      const fate = await this.#parts.appender.append(record);
      return this.#settle(check, judgement, facts, event, fate, 'first');
    }
    const twin = this.#underWay.get(event.eventId);
    if (twin !== undefined) return this.#settleTwin(check, judgement, facts, event, await twin);
    const appended = this.#parts.appender.append(record);
    this.#underWay.set(event.eventId, appended);
    const fate = await appended;
    this.#underWay.delete(event.eventId);
    return this.#settle(check, judgement, facts, event, fate, sending);
  }

  async #settle(
    check: CheckUnderWay,
    judgement: Judgement,
    facts: CheckFacts,
    event: CheckEvent,
    fate: Fate,
    sending: Sending,
  ): Promise<void> {
    if (fate === 'durable') return this.#answer(check, judgement, facts, event);
    if (fate === 'unknown' || sending === 'again') return check.unavailable('unavailable', UNKNOWN);
    await this.#takeBack(judgement, facts);
    // The claim is gone: no retry will answer this event, should its id have been told at the deadline.
    if (check.over) this.#parts.unanswered.add(check.sent!, false);
    check.sent = null;
    check.unavailable('unavailable', UNRECORDED);
  }

  /** Of the same event that another request of this gateway sent: what that one settled is settled. */
  async #settleTwin(
    check: CheckUnderWay,
    judgement: Judgement,
    facts: CheckFacts,
    event: CheckEvent,
    fate: Fate,
  ): Promise<void> {
    if (fate === 'durable') return this.#answer(check, judgement, facts, event);
    if (!check.over && fate === 'refused') check.sent = null;
    check.unavailable('unavailable', fate === 'refused' ? UNRECORDED : UNKNOWN);
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
    if (facts.idempotency !== null) await this.#keepAnswer(check, judgement, facts, event);
    if (check.over) return;
    if (facts.idempotency !== null) unanswered.answered(event.eventId);
    this.#parts.recorded(judgement.outcome, check);
    check.answer(event.answer, event.answer.status === 429 ? secondsToNextMonth(judgement.nowMs) : null);
  }

  /** 200 is given again for the same key; a refusal by plan or freeze is not: its claim, which counts nothing, is dropped. */
  async #keepAnswer(check: CheckUnderWay, judgement: Judgement, facts: CheckFacts, event: CheckEvent): Promise<void> {
    try {
      if (event.answer.status !== 200) await this.#takeBack(judgement, facts);
      else if (!check.over)
        await this.#parts.counters.answered(facts.accountId, facts.idempotency!.keySha256, event.answer);
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
