import type { CheckResult } from '@countersign/client';
import { exactValue } from './exact-numbers.js';
import { errorText, readMessage, SERVER_ERROR, type JsonObject, type Message } from './message.js';
import { withheldWords } from './refusals.js';
import type { RelayOptions } from './relay-options.js';
import { textOfMessage } from './result-texts.js';

/** What may wait to be scanned: a server that says more is not heard. */
const MOST_WAITING = 1_000;
const MOST_CHARACTERS = 64 * 1024 * 1024;

/** Notifications and requests of a server: each passes once it is scanned, in the order in which they came. */
export class Unasked {
  /** Resolves once all that came has passed, or was withheld. */
  passed: Promise<void> = Promise.resolve();
  #waiting = 0;
  #characters = 0;

  constructor(private readonly options: Pick<RelayOptions, 'guard' | 'ends' | 'baseUrl' | 'note'>) {}

  take(message: Message): void {
    const { length } = message.text;
    if (this.#waiting >= MOST_WAITING || (this.#waiting > 0 && this.#characters + length > MOST_CHARACTERS)) {
      return this.#withhold(message, { allowed: false, reason: 'the server says more than can be scanned' });
    }
    const scanned = this.#scan(message);
    this.#waiting += 1;
    this.#characters += length;
    this.passed = this.passed.then(async () => {
      const verdict = await scanned;
      this.#waiting -= 1;
      this.#characters -= length;
      if (verdict.allowed) this.options.ends.toClient(message.text);
      else this.#withhold(message, verdict);
    });
  }

  async #scan(message: Message): Promise<CheckResult> {
    try {
      return await this.options.guard.scan(textOfMessage(exactValue(message) as JsonObject), 'any');
    } catch {
      return { allowed: false, reason: 'it cannot be read' };
    }
  }

  /** Whoever asks is told so: a server that waits for its answer would do nothing else. */
  #withhold(message: Message, why: CheckResult): void {
    const { ends, note, baseUrl } = this.options;
    const what = `a ${message.kind} of the server`;
    note(`${what} was not passed on: ${why.reason ?? ''}`);
    if (message.kind !== 'request') return;
    const answer = readMessage(errorText(message.id, SERVER_ERROR, withheldWords(what, why, baseUrl)));
    if (answer.kind === 'response') ends.toServer(answer);
  }
}
