import type { CheckResult } from '@countersign/client';
import { errorText, keyOf, readMessage, SERVER_ERROR, type Id, type Message } from './message.js';
import { withheldWords } from './refusals.js';
import type { RelayOptions } from './relay-options.js';
import { scanOf } from './scan-of.js';

/** What may wait to be scanned: a server that says more is not heard. */
const MOST_WAITING = 1_000;
const MOST_CHARACTERS = 64 * 1024 * 1024;

/** What a client or its user answers for itself. */
const ANSWERED_WITHOUT_MODEL: ReadonlySet<string> = new Set(['ping', 'roots/list', 'elicitation/create']);

/** Notifications and requests of a server: each passes once it is scanned, in the order in which they came. */
export class Unasked {
  /** Resolves once all that came has passed, or was withheld. */
  passed: Promise<void> = Promise.resolve();
  #waiting = 0;
  #characters = 0;
  /** Requests that passed, and that no model answers. */
  readonly #forNoModel = new Set<string>();

  constructor(private readonly options: Pick<RelayOptions, 'guard' | 'ends' | 'baseUrl' | 'note'>) {}

  take(message: Message): void {
    const { length } = message.text;
    if (this.#waiting >= MOST_WAITING || (this.#waiting > 0 && this.#characters + length > MOST_CHARACTERS)) {
      return this.#withhold(message, { allowed: false, reason: 'the server says more than can be scanned' });
    }
    const scanned = scanOf(this.options.guard, message, 'any');
    this.#waiting += 1;
    this.#characters += length;
    this.passed = this.passed.then(async () => {
      const verdict = await scanned;
      this.#waiting -= 1;
      this.#characters -= length;
      if (!verdict.allowed) return this.#withhold(message, verdict);
      if (message.kind === 'request' && ANSWERED_WITHOUT_MODEL.has(message.method)) this.#remember(message.id);
      return this.options.ends.toClient(message.text);
    });
  }

  /** Whether an answer of the client is one to a request that a model has no part in. Once. */
  isForNoModel(answer: Id): boolean {
    return this.#forNoModel.delete(keyOf(answer));
  }

  #remember(id: Id): void {
    if (this.#forNoModel.size < MOST_WAITING) this.#forNoModel.add(keyOf(id));
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
