/**
 * Pending checks by account: none may hold more than its share of slots and bytes, so that there is room for others.
 */
export class AccountSlots {
  readonly #held = new Map<string, { checks: number; bytes: number }>();

  constructor(
    private readonly mostChecks: number,
    private readonly mostBytes: number,
  ) {}

  /** @returns false where nothing was taken, because the account would hold more than its share */
  take(accountId: string, bytes: number): boolean {
    const held = this.#held.get(accountId);
    if (held === undefined) {
      this.#held.set(accountId, { checks: 1, bytes });
      return true;
    }
    if (held.checks >= this.mostChecks || held.bytes + bytes > this.mostBytes) return false;
    held.checks += 1;
    held.bytes += bytes;
    return true;
  }

  /** More bytes of a check that has its slot. */
  takeMore(accountId: string, bytes: number): boolean {
    const held = this.#held.get(accountId)!;
    if (held.bytes + bytes > this.mostBytes) return false;
    held.bytes += bytes;
    return true;
  }

  giveBack(accountId: string, bytes: number): void {
    const held = this.#held.get(accountId)!;
    held.checks -= 1;
    held.bytes -= bytes;
    if (held.checks === 0) this.#held.delete(accountId);
  }
}
