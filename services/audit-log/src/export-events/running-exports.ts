import { HttpRefusal } from '@countersign/service-kit';

const MOST_OF_ONE_ACCOUNT = 4;
const MOST_OF_ALL = 16;

/** Exports under way in this process: each takes time from whoever else asks the archive. */
export class RunningExports {
  readonly #byAccount = new Map<string, number>();
  #all = 0;

  /**
   * @returns ends the export, once
   * @throws HttpRefusal 503 where as many are under way as may be
   */
  begin(accountId: string): () => void {
    const ofAccount = this.#byAccount.get(accountId) ?? 0;
    if (ofAccount >= MOST_OF_ONE_ACCOUNT || this.#all >= MOST_OF_ALL) {
      throw new HttpRefusal(503, 'too many exports are under way: wait for one to end', { 'retry-after': '5' });
    }
    this.#byAccount.set(accountId, ofAccount + 1);
    this.#all += 1;
    let under = true;
    return () => {
      if (!under) return;
      under = false;
      this.#all -= 1;
      const left = this.#byAccount.get(accountId)! - 1;
      if (left === 0) this.#byAccount.delete(accountId);
      else this.#byAccount.set(accountId, left);
    };
  }
}
