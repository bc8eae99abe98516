import { HttpRefusal } from '@countersign/http-edge';

const MOST_OF_ONE_ACCOUNT = 4;
const MOST_OF_ALL = 16;

/** Computations over the archive that are under way in this process: each takes time from all other requests. */
export class RunningComputations {
  readonly #byAccount = new Map<string, number>();

  /** @throws HttpRefusal 503 where as many are under way as may be */
  async run<T>(accountId: string, compute: () => Promise<T>): Promise<T> {
    const own = this.#byAccount.get(accountId) ?? 0;
    const all = [...this.#byAccount.values()].reduce((sum, count) => sum + count, 0);
    if (own >= MOST_OF_ONE_ACCOUNT || all >= MOST_OF_ALL) {
      throw new HttpRefusal(503, 'other computations of coverage are under way: try again when they have ended', {
        'retry-after': '2',
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
