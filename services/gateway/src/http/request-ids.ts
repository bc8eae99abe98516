import { randomBytes } from 'node:crypto';

/**
 * Makes the `x-request-id` of answers: 16 random hexadecimal digits of this process and a number, which costs a check less
 * than a UUID.
 */
export class RequestIds {
  readonly #process = randomBytes(8).toString('hex');
  #last = 0;

  next(): string {
    this.#last += 1;
    return `${this.#process}-${this.#last.toString(36)}`;
  }
}
