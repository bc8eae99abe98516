import { setTimeout as sleep } from 'node:timers/promises';
import type { ApprovalFacts } from '@countersign/contracts';
import { CountersUnavailable } from '@countersign/counters';
import type { ApprovalDecision, Counters } from '@countersign/counters';
import type { ServiceContext } from '@countersign/service-kit';
import { Projection } from '@countersign/topics';

const AGAIN_MS = 200;

/** A record of the topic `approvals`, for the counters. */
export function approvalDecision(id: string, value: ApprovalFacts): ApprovalDecision {
  const { agentId, bindingSha256, state, expiresAt, usableUntil, reusable = false } = value;
  const [expiresAtMs, usableUntilMs] = [Date.parse(expiresAt), Date.parse(usableUntil)];
  return { agentId, bindingSha256, id, state, expiresAtMs, usableUntilMs, reusable };
}

type Context = Pick<ServiceContext, 'name' | 'eventLog' | 'log'> & {
  readonly counters: Pick<Counters, 'decideApproval'>;
};

/** Passes what people decide from the topic `approvals` to the counters, until they have taken it. */
export class ApprovalDecisions {
  readonly #context: Context;
  readonly #decisions: Projection<ApprovalFacts>;
  readonly #waiting = new Map<string, ApprovalFacts>();
  #running: Promise<void> | null = null;
  #stopped = false;

  private constructor(context: Context, decisions: Projection<ApprovalFacts>) {
    this.#context = context;
    this.#decisions = decisions;
    decisions.onChange((id, value) => {
      if (value === null) this.#waiting.delete(id);
      else this.#pass(id, value);
    });
  }

  static async follow(context: Context): Promise<ApprovalDecisions> {
    return new ApprovalDecisions(context, await Projection.follow<ApprovalFacts>(context, 'approvals'));
  }

  /** Passes all decisions again: the counters were rebuilt. */
  again(): void {
    for (const { id, value } of this.#decisions.values()) this.#pass(id, value);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#decisions.stop();
    await this.#running;
  }

  #pass(id: string, value: ApprovalFacts): void {
    this.#waiting.set(id, value);
    this.#running ??= this.#run().finally(() => (this.#running = null));
  }

  async #run(): Promise<void> {
    // The topic is applied in one step: what it has is waiting before the first is passed.
    await sleep(0);
    while (!this.#stopped) {
      const next = this.#waiting.entries().next();
      if (next.done === true) return;
      const [id, value] = next.value;
      if (await this.#decide(id, value)) {
        if (this.#waiting.get(id) === value) this.#waiting.delete(id);
      } else await sleep(AGAIN_MS);
    }
  }

  async #decide(id: string, value: ApprovalFacts): Promise<boolean> {
    try {
      await this.#context.counters.decideApproval(approvalDecision(id, value));
      return true;
    } catch (error) {
      if (!(error instanceof CountersUnavailable)) {
        this.#context.log.error({ err: error, approval: id }, 'a decision could not be passed to the counters');
      }
      return false;
    }
  }
}
