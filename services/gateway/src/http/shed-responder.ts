import type { Socket } from 'node:net';
import type { ServerResponse } from 'node:http';
import { sendShed } from './answers.js';
import type { RequestIds } from './request-ids.js';

/** Half of the time after which a refused client is asked to try again at the earliest. */
const HOLD_MS = 500;
const RELEASE_MS = 5;

interface Held {
  readonly response: ServerResponse;
  readonly body: string;
  /** Monotonic, ms. */
  readonly until: number;
}

/**
 * Answers load-shed requests: at once, each connection once per event-loop tick, where ticks are kept short; else at
 * the end of the tick. Node reads up to 48 × 1,024 sockets in one tick while that many are ready, and an answered
 * client is soon ready again: if it were answered at once repeatedly, such a tick would end late or never, with
 * everything that waits for its end. If none were answered before, thousands of requests would outlive garbage
 * collections, which then take a third of the time. A long tick while ticks are not kept short has admitted checks that
 * wait for its end.
 */
export class ShedResponder {
  readonly #answered = new Set<Socket>();
  #waiting: ServerResponse[] = [];
  #bodies: string[] = [];
  #held: Held[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly requestIds: RequestIds) {}

  /**
   * @param body JSON
   * @param short whether ticks are kept short
   */
  answer(response: ServerResponse, body: string, short: boolean): void {
    const { socket } = response.req;
    if (short && !this.#answered.has(socket)) {
      this.#answered.add(socket);
      sendShed(response, body, this.requestIds.next());
      return;
    }
    // Discards its body now: thousands would be retained until the end of a tick that they make long.
    response.req.resume();
    this.#waiting.push(response);
    this.#bodies.push(body);
  }

  /** Answers after {@link HOLD_MS}: the client is not ready again in each tick, which would last until all like it are refused. */
  hold(response: ServerResponse, body: string): void {
    response.req.resume();
    this.#held.push({ response, body, until: performance.now() + HOLD_MS });
    this.#timer ??= setInterval(() => this.#release(), RELEASE_MS).unref();
  }

  #release(): void {
    const now = performance.now();
    const kept = this.#held.findIndex(({ until }) => until > now);
    const due = this.#held.splice(0, kept < 0 ? this.#held.length : kept);
    for (const { response, body } of due) {
      if (!response.destroyed) sendShed(response, body, this.requestIds.next());
    }
    if (this.#held.length > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  endTick(): void {
    this.#answered.clear();
    const waiting = this.#waiting;
    const bodies = this.#bodies;
    if (waiting.length === 0) return;
    this.#waiting = [];
    this.#bodies = [];
    waiting.forEach((response, i) => {
      if (!response.destroyed) sendShed(response, bodies[i]!, this.requestIds.next());
    });
  }
}
