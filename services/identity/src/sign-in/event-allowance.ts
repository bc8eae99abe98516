import { WINDOW_MS } from '../domain/lock-out.js';

/** Events of failed sign-ins of one user within {@link WINDOW_MS}, before further failures are summed. */
export const MOST_EVENTS = 5;

/** Sliding-window limit of the events of each user, in this process. */
export class EventAllowance {
  /** Times of the events, oldest first, by user; in the order of the last event. */
  readonly #events = new Map<string, readonly number[]>();

  /** @returns true if the user may have another event, which is counted */
  take(userId: string, nowMs: number): boolean {
    this.#forget(nowMs);
    const events = (this.#events.get(userId) ?? []).filter((at) => at > nowMs - WINDOW_MS);
    if (events.length >= MOST_EVENTS) return false;
    this.#events.delete(userId);
    this.#events.set(userId, [...events, nowMs]);
    return true;
  }

  #forget(nowMs: number): void {
    for (const [userId, events] of this.#events) {
      if (events.at(-1)! > nowMs - WINDOW_MS) return;
      this.#events.delete(userId);
    }
  }
}
