import { readMessage } from '@countersign/evidence';
import type { TopicName } from '@countersign/contracts';
import type { LogBatch, LogRecord } from '@countersign/event-log';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { deadLetter } from '@countersign/topics';
import type { Counters } from '@countersign/counters';
import type { ServiceContext } from '@countersign/service-kit';
import type { Announcer } from '@countersign/topics';
import { agentWrite } from '../change-agent/agent-write.js';
import { approvalWrite } from '../decide-approval/approval-write.js';
import { entropyOf } from '../domain/approval-event.js';
import { followChecks, readCheck } from '../domain/follow.js';
import type { FollowedCheck } from '../domain/follow.js';
import type { PolicyStore } from '../store/port.js';

export const GROUP = 'policy';

/**
 * Events are appended within 48 h after they happened, so that consumers recognize repetitions. What a check from before
 * that says was written when it was followed first: the store is being rebuilt.
 */
const LATEST_MS = 47 * 3_600_000;

export type FollowerContext = Pick<ServiceContext, 'clock' | 'eventLog' | 'log' | 'metrics'> & {
  readonly counters: Pick<Counters, 'now' | 'giveBackHeld'>;
};
type Announces = Pick<Announcer, 'announce'>;

/**
 * Follows `agent-events`: totals, claims, approvals, and the freezes that gateways have set; returns reserved amounts of skipped
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
    const { partition, from } = batch;
    let hasApprovals = false;
    const oldestMs = this.#context.clock() - LATEST_MS;
    const followed = { partition, from, next: last.offset + 1, logTimeMs: last.appendedAtMs, events };
    await this.#store.follow(followed, (fresh, state) => {
      const { frozen, approvals: changed, ...effects } = followChecks(fresh, state, nowMs);
      const agents = frozen.map(({ agent, event, because: { cadenceSeconds } }) =>
        agentWrite(agent, event, { occurredAtMs: nowMs, cadenceSeconds, apiKeyId: null }),
      );
      const approvals = changed.map(({ approval, events: written }) =>
        approvalWrite(
          approval,
          written
            .filter(({ occurredAtMs }) => occurredAtMs >= oldestMs)
            .map((event) => ({ ...event, entropy: entropyOf(approval, event, nodeCrypto.sha256) })),
        ),
      );
      hasApprovals = approvals.length > 0;
      return { ...effects, agents, approvals };
    });
    // The gateway set the freeze before it answered. An announcement that fails now is repeated later.
    if (freezes || hasApprovals) this.#announcer.announce().catch(() => undefined);
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
