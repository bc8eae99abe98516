import type { Approval } from '../domain/approval.js';

/** Other instances may decide: what is waited for is read again this often. */
const EVERY_MS = 1000;

interface Waiter {
  readonly isOver: (approval: Approval | null) => boolean;
  readonly settle: () => void;
}

/** Requests that wait until an approval is decided. One read a second serves all of them. */
export class ApprovalWaits {
  readonly #read: (ids: readonly string[]) => Promise<ReadonlyMap<string, Approval>>;
  readonly #most: number;
  readonly #waiters = new Map<string, Set<Waiter>>();
  readonly #mostOfOne: number;
  readonly #ofOne = new Map<string, number>();
  #count = 0;
  #timer: NodeJS.Timeout | null = null;
  #stopped = false;

  /** @param most requests that wait at a time, of all accounts and of one */
  constructor(
    read: (ids: readonly string[]) => Promise<ReadonlyMap<string, Approval>>,
    most: { readonly all: number; readonly account: number },
  ) {
    this.#read = read;
    this.#most = most.all;
    this.#mostOfOne = most.account;
  }

  /**
   * Resolves when `isOver` holds for the approval, after `timeoutMs`, at the stop, or at once where too many requests
   * wait. The caller reads the approval afterwards.
   * @param accountId of the caller
   * @param isOver also judges `null`: there is no such approval
   */
  until(accountId: string, id: string, isOver: Waiter['isOver'], timeoutMs: number): Promise<void> {
    const ofOne = this.#ofOne.get(accountId) ?? 0;
    const isFull = this.#count >= this.#most || ofOne >= this.#mostOfOne;
    if (this.#stopped || isFull || timeoutMs <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(id) ?? new Set();
      this.#waiters.set(id, waiters);
      this.#count += 1;
      this.#ofOne.set(accountId, ofOne + 1);
      const waiter: Waiter = {
        isOver,
        settle: () => {
          clearTimeout(timer);
          if (!waiters.delete(waiter)) return;
          this.#count -= 1;
          this.#left(accountId);
          if (waiters.size === 0) this.#waiters.delete(id);
          resolve();
        },
      };
      const timer = setTimeout(waiter.settle, timeoutMs);
      waiters.add(waiter);
      this.#readSoon();
    });
  }

  /** Reads an approval again that has just changed. */
  changed(approval: Approval): void {
    for (const waiter of [...(this.#waiters.get(approval.id) ?? [])]) if (waiter.isOver(approval)) waiter.settle();
  }

  stop(): void {
    this.#stopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const waiters of [...this.#waiters.values()]) for (const waiter of [...waiters]) waiter.settle();
  }

  #left(accountId: string): void {
    const left = (this.#ofOne.get(accountId) ?? 1) - 1;
    if (left > 0) this.#ofOne.set(accountId, left);
    else this.#ofOne.delete(accountId);
  }

  #readSoon(): void {
    if (this.#timer !== null || this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#readAll()
        // A store that cannot be used: those who wait go on waiting, and the answer says so at their end.
        .catch(() => undefined)
        .finally(() => {
          this.#timer = null;
          if (this.#waiters.size > 0) this.#readSoon();
        });
    }, EVERY_MS);
    this.#timer.unref();
  }

  async #readAll(): Promise<void> {
    const ids = [...this.#waiters.keys()];
    const found = await this.#read(ids);
    for (const id of ids) {
      const approval = found.get(id) ?? null;
      for (const waiter of [...(this.#waiters.get(id) ?? [])]) if (waiter.isOver(approval)) waiter.settle();
    }
  }
}
