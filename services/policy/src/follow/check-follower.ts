import { readMessage } from '@countersign/evidence';
import type { TopicName } from '@countersign/contracts';
import type { LogBatch, LogRecord } from '@countersign/event-log';
import { deadLetter } from '@countersign/topics';
import type { Counters } from '@countersign/counters';
import type { ServiceContext } from '@countersign/service-kit';
import type { Announcer } from '@countersign/topics';
import { agentWrite } from '../change-agent/agent-write.js';
import { followChecks, readCheck } from '../domain/follow.js';
import type { FollowedCheck } from '../domain/follow.js';
import type { PolicyStore } from '../store/port.js';

export const GROUP = 'policy';

export type FollowerContext = Pick<ServiceContext, 'clock' | 'eventLog' | 'log' | 'metrics'> & {
  readonly counters: Pick<Counters, 'now' | 'giveBackHeld'>;
};
type Announces = Pick<Announcer, 'announce'>;

/**
 * Follows `agent-events`: totals, claims, and the freezes that gateways have set; returns reserved amounts of skipped
 * actions to the counters. A batch's effects and position are one transaction, so a repeated batch changes nothing; a store that fails rejects the batch, which is delivered again.
 */
export class CheckFollower {
  readonly #context: FollowerContext;
  readonly #store: PolicyStore;
  readonly #announcer: Announces;
  readonly #agreed: Promise<void>;

  /**
   * @param agreed resolves when the store has all that its topic has; rejects when it does not: then nothing is followed,
   *   because a freeze would get a revision under which another change was published
   */
  constructor(context: FollowerContext, store: PolicyStore, announcer: Announces, agreed = Promise.resolve()) {
    this.#context = context;
    this.#store = store;
    this.#announcer = announcer;
    this.#agreed = agreed;
  }

  position(_topic: TopicName, partition: number): Promise<number | null> {
    return this.#store.position(partition);
  }

  async handle(batch: LogBatch): Promise<void> {
    const last = batch.records.at(-1);
    if (last === undefined) return;
    await this.#agreed;
    const events = await this.#read(batch.records);
    const freezes = events.some((event) => event.freezesAgent);
    const nowMs = freezes ? await this.#context.counters.now() : 0;
    // Amounts are taken out of the counters once, however often the batch is delivered. Counters that do not serve reject
    // this, and with it the batch: the rebuild that they wait for may have read the log before the outcome was in it.
    for (const { agentId, givesBackHeld } of events) {
      if (givesBackHeld !== undefined) await this.#context.counters.giveBackHeld(agentId, givesBackHeld);
    }
    const { partition } = batch;
    const followed = { partition, next: last.offset + 1, logTimeMs: last.appendedAtMs, events };
    await this.#store.follow(followed, (fresh, state) => {
      const { frozen, ...effects } = followChecks(fresh, state, nowMs);
      const agents = frozen.map(({ agent, event, because: { cadenceSeconds } }) =>
        agentWrite(agent, event, { occurredAtMs: nowMs, cadenceSeconds, apiKeyId: null }),
      );
      return { ...effects, agents };
    });
    // The gateway set the freeze before it answered. An announcement that fails now is repeated later.
    if (freezes) this.#announcer.announce().catch(() => undefined);
  }

  async #read(records: readonly LogRecord[]): Promise<FollowedCheck[]> {
    const checks: FollowedCheck[] = [];
    for (const record of records) {
      const envelope = readMessage(record.value);
      if (envelope.ok) {
        const check = readCheck(envelope.value, record.partition, record.offset);
        if (check !== null) checks.push(check);
      } else {
        await deadLetter(this.#context, GROUP, record, envelope.problem);
      }
    }
    return checks;
  }
}
