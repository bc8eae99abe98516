import type { Socket } from 'node:net';
import type { ServerResponse } from 'node:http';
import { sendTurnedAway } from './answers.js';

/**
 * Answers those whom a turn of the event loop turns away: at once, each connection once a turn, where turns are kept short;
 * else at its end. Node reads up to 48 × 1,024 sockets in one turn while so many are ready, and a caller that is answered
 * is soon ready again: were it answered at once again and again, such a turn would end late or never, with everything that
 * waits for its end. Were nobody answered before, thousands of requests would outlive collections of garbage, which then
 * take a third of the time. A long turn of one that does not keep them short has taken checks that wait for its end.
 */
export class TurnedAway {
  readonly #answered = new Set<Socket>();
  #waiting: ServerResponse[] = [];
  #bodies: string[] = [];

  /**
   * @param body JSON
   * @param short whether turns are kept short
   */
  answer(response: ServerResponse, body: string, short: boolean): void {
    const { socket } = response.req;
    if (short && !this.#answered.has(socket)) {
      this.#answered.add(socket);
      sendTurnedAway(response, body);
      return;
    }
    // What comes of its body is let go now: thousands of them would be kept until the end of a turn that they make long.
    response.req.resume();
    this.#waiting.push(response);
    this.#bodies.push(body);
  }

  endTurn(): void {
    this.#answered.clear();
    const waiting = this.#waiting;
    const bodies = this.#bodies;
    if (waiting.length === 0) return;
    this.#waiting = [];
    this.#bodies = [];
    waiting.forEach((response, i) => {
      if (!response.destroyed) sendTurnedAway(response, bodies[i]!);
    });
  }
}
