import type { Socket } from 'node:net';
import type { ServerResponse } from 'node:http';
import { sendShed } from './answers.js';
import type { RequestIds } from './request-ids.js';

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
