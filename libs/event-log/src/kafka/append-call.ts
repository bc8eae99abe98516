import type { Timed } from '@countersign/async';
import { LogFateUnknown, LogRefused } from '../port.js';
import type { Appended } from '../port.js';

/** One call of `append` until it is answered: by its records' fates, or by its deadline. */
export class AppendCall implements Timed {
  readonly promise: Promise<readonly Appended[]>;
  readonly deadlineAt: number;
  readonly #appended: Appended[];
  #resolve!: (appended: readonly Appended[]) => void;
  #reject!: (reason: Error) => void;
  #left: number;
  /** Records that were sent and have no answer. */
  #open = 0;
  #landed = 0;
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

  /** An answer came for a record, or none ever will. */
  answered(): void {
    this.#open--;
  }

  /** A record may be in the log, whatever becomes of it now. */
  doubt(): void {
    this.#uncertain = true;
  }

  landed(index: number, partition: number, offset: number): void {
    this.#appended[index] = { partition, offset };
    this.#landed++;
    this.#one();
  }

  refuse(reason: string): void {
    this.#refusal ??= reason;
    this.#one();
  }

  /** Ends the call now. Records that were not sent yet must not be sent any more. */
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
    else if (this.#uncertain || this.#landed > 0) this.#reject(new LogFateUnknown(this.#refusal));
    else this.#reject(new LogRefused(this.#refusal));
  }
}
