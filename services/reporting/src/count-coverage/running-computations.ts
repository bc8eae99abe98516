import { HttpRefusal } from '@countersign/http-edge';

export interface ComputationLimits {
  readonly ofOneAccount: number;
  readonly ofAll: number;
  /** Plural, for the refusal. */
  readonly named: string;
  readonly retryAfterSeconds: number;
}

/** Computations over the archive or over packages that are under way in this process: each takes time from all other requests. */
export class RunningComputations {
  readonly #byAccount = new Map<string, number>();
  constructor(private readonly limits: ComputationLimits) {}

  /** @throws HttpRefusal 503 where as many are under way as may be */
  async run<T>(accountId: string, compute: () => Promise<T>): Promise<T> {
    const { ofOneAccount, ofAll, named, retryAfterSeconds } = this.limits;
    const own = this.#byAccount.get(accountId) ?? 0;
    const all = [...this.#byAccount.values()].reduce((sum, count) => sum + count, 0);
    if (own >= ofOneAccount || all >= ofAll) {
      throw new HttpRefusal(503, `other ${named} are under way: try again when they have ended`, {
        'retry-after': String(retryAfterSeconds),
      });
    }
    this.#byAccount.set(accountId, own + 1);
    try {
      return await compute();
    } finally {
      const left = this.#byAccount.get(accountId)! - 1;
      if (left === 0) this.#byAccount.delete(accountId);
      else this.#byAccount.set(accountId, left);
    }
  }
}
