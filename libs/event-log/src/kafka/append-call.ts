import type { Timed } from '@countersign/async';
import { LogInDoubt, LogRefused } from '../port.js';
import type { Appended } from '../port.js';

/** One call of `append` until it is answered: by the outcomes of its records, or by its deadline. */
export class AppendCall implements Timed {
  readonly promise: Promise<readonly Appended[]>;
  readonly deadlineAt: number;
  readonly #appended: Appended[];
  #resolve!: (appended: readonly Appended[]) => void;
  #reject!: (reason: Error) => void;
  #left: number;
  /** Records that were sent and have no answer yet. */
  #open = 0;
  #appendedCount = 0;
  #uncertain = false;
  #refusal: string | null = null;
  #over = false;

  constructor(records: number, deadlineAt: number) {
    this.#left = records;
    this.#appended = new Array<Appended>(records);
    this.deadlineAt = deadlineAt;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  get over(): boolean {
    return this.#over;
  }

  sent(): void {
    this.#open++;
  }

  /** A record got its answer, or never will. */
  answered(): void {
    this.#open--;
  }

  /** A record may be in the log, whatever happens to it now. */
  doubt(): void {
    this.#uncertain = true;
  }

  appended(index: number, partition: number, offset: number): void {
    this.#appended[index] = { partition, offset };
    this.#appendedCount++;
    this.#one();
  }

  refuse(reason: string): void {
    this.#refusal ??= reason;
    this.#one();
  }

  /** Ends the call now. Records that are not sent yet must not be sent any more. */
  expire(reason: string): void {
    this.#refusal ??= reason;
    if (this.#open > 0) this.#uncertain = true;
    this.#settle();
  }

  #one(): void {
    if (--this.#left === 0) this.#settle();
  }

  #settle(): void {
    if (this.#over) return;
    this.#over = true;
    if (this.#refusal === null) this.#resolve(this.#appended);
    else if (this.#uncertain || this.#appendedCount > 0) this.#reject(new LogInDoubt(this.#refusal));
    else this.#reject(new LogRefused(this.#refusal));
  }
}
