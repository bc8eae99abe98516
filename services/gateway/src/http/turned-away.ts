import type { ServerResponse } from 'node:http';
import { sendTurnedAway } from './answers.js';

/** Answered at once in a turn of the event loop: so few that a turn ends, and more than short turns bring. */
const AT_ONCE = 512;

/**
 * Answers those whom a turn of the event loop turns away: the first of them at once where turns are kept short, the
 * others at its end. Node reads up to 48 × 1,024 sockets in one turn while so many are ready, and a caller that is
 * answered is soon ready again: were all answered at once, such a turn would end late or never, with everything that
 * waits for its end. A long turn has taken checks that wait for it.
 */
export class TurnedAway {
  #answered = 0;
  #waiting: ServerResponse[] = [];
  #bodies: string[] = [];

  constructor(private readonly atOnce = AT_ONCE) {}

  /**
   * @param body JSON
   * @param short whether turns are kept short
   */
  answer(response: ServerResponse, body: string, short: boolean): void {
    if (short && this.#answered < this.atOnce) {
      this.#answered += 1;
      sendTurnedAway(response, body);
      return;
    }
    // What comes of its body is let go now: thousands of them would be kept until the end of a turn that they make long.
    response.req.resume();
    this.#waiting.push(response);
    this.#bodies.push(body);
  }

  endTurn(): void {
    this.#answered = 0;
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
