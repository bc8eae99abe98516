import type { CheckResult } from '@countersign/client';
import { errorText, keyOf, readMessage, SERVER_ERROR, type Id, type Message, type Request } from './message.js';
import { withheldWords } from './refusals.js';
import type { RelayOptions } from './relay-options.js';
import { scanOf, textOf } from './scan-of.js';

/** What may wait to be scanned: a server that says more has to wait, or, where it cannot be held, is not heard. */
const MOST_WAITING = 1_000;
const MOST_CHARACTERS = 64 * 1024 * 1024;
/** Requests whose answers are outstanding. */
const MOST_OPEN = 1_000;

/** What a client or its user answers for itself. */
const ANSWERED_WITHOUT_MODEL: ReadonlySet<string> = new Set(['ping', 'roots/list', 'elicitation/create']);

/** Notifications and requests of a server: each passes once it is scanned, in the order in which they came. */
export class Unasked {
  /** Resolves once all that came has passed, or was withheld. */
  passed: Promise<void> = Promise.resolve();
  /** Messages that have a text. */
  #waiting = 0;
  #characters = 0;
  #held = false;
  /** Requests that passed and are not answered, whether or not the server still wants it; whether a model has a part in each. */
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
      this.#goOn();
      if (!verdict.allowed) return this.#withhold(message, verdict);
      const why = message.kind === 'request' ? this.#opened(message) : null;
      return why === null ? ends.toClient(message.text) : this.#refuse(message, why);
    });
  }

  /** Whether an answer of the client is one to a request that a model has no part in. The id is free from then on. */
  isForNoModel(answer: Id): boolean {
    const key = keyOf(answer);
    const hasModel = this.#open.get(key);
    this.#open.delete(key);
    return hasModel === false;
  }

  /** @returns why the request must not pass, if it must not: its answer could be taken for that to another. */
  #opened({ id, method }: Request): string | null {
    const key = keyOf(id);
    if (this.#open.has(key)) return 'a request with this id waits for its answer';
    const hasModel = !ANSWERED_WITHOUT_MODEL.has(method);
    if (this.#open.size < MOST_OPEN) this.#open.set(key, hasModel);
    // The answer to one that is not known is scanned.
    else if (hasModel) return 'too many requests of the server wait for their answers';
    return null;
  }

  #isTooMuch(messages: number, characters: number): boolean {
    if (this.#characters === 0) return false;
    return this.#waiting + messages > MOST_WAITING || this.#characters + characters > MOST_CHARACTERS;
  }

  #goOn(): void {
    if (!this.#held || this.#isTooMuch(1, 0)) return;
    this.#held = false;
    this.options.ends.hold?.(false);
  }

  #withhold(message: Message, why: CheckResult): void {
    const what = `a ${message.kind} of the server`;
    this.#tell(message, why.reason ?? '', withheldWords(what, why, this.options.baseUrl));
  }

  /** For what no rule says. */
  #refuse(message: Message, why: string): void {
    this.#tell(message, why, `not passed on: ${why}`);
  }

  /** Whoever asks is told so: a server that waits for its answer would do nothing else. */
  #tell(message: Message, why: string, words: string): void {
    const { ends, note } = this.options;
    note(`a ${message.kind} of the server was not passed on: ${why}`);
    if (message.kind !== 'request') return;
    const answer = readMessage(errorText(message.id, SERVER_ERROR, words));
    if (answer.kind === 'response') ends.toServer(answer);
  }
}
