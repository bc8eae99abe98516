import type { CheckResult } from '@countersign/client';
import { errorText, keyOf, readMessage, SERVER_ERROR, type Id, type Message, type Request } from './message.js';
import { withheldMessage } from './refusals.js';
import type { RelayOptions } from './relay-options.js';
import { scanOf, textOf } from './scan-of.js';

/** Limits of the scan queue: beyond them a server is blocked, or its messages are refused if it cannot be held. */
const MOST_WAITING = 1_000;
const MOST_CHARACTERS = 64 * 1024 * 1024;
/** Maximum number of unanswered requests. */
const MOST_OPEN = 1_000;

/** Requests that a client or its user answers without a model. */
const ANSWERED_WITHOUT_MODEL: ReadonlySet<string> = new Set(['ping', 'roots/list', 'elicitation/create']);

/** Notifications and requests of a server: each is forwarded once it is scanned, in the order of arrival. */
export class ServerInitiated {
  /** Resolves once all received messages have been forwarded or withheld. */
  passed: Promise<void> = Promise.resolve();
  /** Queued messages with text. */
  #waiting = 0;
  #characters = 0;
  #held = false;
  /** Forwarded requests without an answer, even if cancelled, by id: whether a model takes part in the answer. */
  readonly #open = new Map<string, boolean>();

  constructor(private readonly options: Pick<RelayOptions, 'guard' | 'ends' | 'baseUrl' | 'note'>) {}

  take(message: Message): void {
    const { guard, ends } = this.options;
    const text = textOf(message);
    const { length } = message.text;
    const counted = text === '' ? 0 : 1;
    if (this.#isTooMuch(counted, length)) {
      this.#held = ends.hold?.(true) ?? false;
      if (!this.#held) return this.#refuse(message, 'the server says more at once than can be scanned');
    }
    const scanned = scanOf(guard, text, 'any');
    this.#waiting += counted;
    this.#characters += length;
    this.passed = this.passed.then(async () => {
      const verdict = await scanned;
      this.#waiting -= counted;
      this.#characters -= length;
      this.#resume();
      if (!verdict.allowed) return this.#withhold(message, verdict);
      const why = message.kind === 'request' ? this.#opened(message) : null;
      return why === null ? ends.toClient(message.text) : this.#refuse(message, why);
    });
  }

  /** Frees the id of an answered request. @returns true if no model takes part in the answer */
  isForNoModel(answer: Id): boolean {
    const key = keyOf(answer);
    const hasModel = this.#open.get(key);
    this.#open.delete(key);
    return hasModel === false;
  }

  /** @returns the reason to refuse the request, if any: its answer could be taken for that to another. */
  #opened({ id, method }: Request): string | null {
    const key = keyOf(id);
    if (this.#open.has(key)) return 'a request with this id waits for its answer';
    const hasModel = !ANSWERED_WITHOUT_MODEL.has(method);
    if (this.#open.size < MOST_OPEN) this.#open.set(key, hasModel);
    // The answer to an unknown request is scanned.
    else if (hasModel) return 'too many requests of the server wait for their answers';
    return null;
  }

  #isTooMuch(messages: number, characters: number): boolean {
    if (this.#characters === 0) return false;
    return this.#waiting + messages > MOST_WAITING || this.#characters + characters > MOST_CHARACTERS;
  }

  #resume(): void {
    if (!this.#held || this.#isTooMuch(1, 0)) return;
    this.#held = false;
    this.options.ends.hold?.(false);
  }

  #withhold(message: Message, why: CheckResult): void {
    const what = `a ${message.kind} of the server`;
    this.#answerError(message, why.reason ?? '', withheldMessage(what, why, this.options.baseUrl));
  }

  /** Refuses a message for a reason other than a rule. */
  #refuse(message: Message, why: string): void {
    this.#answerError(message, why, `not passed on: ${why}`);
  }

  /** Answers a request with an error: the server would wait for its answer otherwise. */
  #answerError(message: Message, why: string, text: string): void {
    const { ends, note } = this.options;
    note(`a ${message.kind} of the server was not passed on: ${why}`);
    if (message.kind !== 'request') return;
    const answer = readMessage(errorText(message.id, SERVER_ERROR, text));
    if (answer.kind === 'response') ends.toServer(answer);
  }
}
