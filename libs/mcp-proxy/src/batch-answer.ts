import type { Parts } from './message.js';

type Part = Parts[number];

/** Collects the answers to the parts of a batch into one answer to the client. */
export class BatchAnswer {
  readonly #answers: string[] = [];
  #open: number;

  /** @param send takes the combined answer; it is not called for a batch without requests */
  constructor(
    parts: Parts,
    private readonly send: (text: string) => void,
  ) {
    this.#open = parts.filter(wantsAnswer).length;
  }

  /** Takes the answer to this part; the first one counts, also if it is `null` (no answer). */
  slotOf(part: Part): (text: string | null) => void {
    let filled = !wantsAnswer(part);
    return (text) => {
      if (filled) return;
      filled = true;
      if (text !== null) this.#answers.push(text);
      this.#open -= 1;
      if (this.#open === 0 && this.#answers.length > 0) this.send(`[${this.#answers.join(',')}]`);
    };
  }
}

function wantsAnswer({ kind }: Part): boolean {
  return kind === 'request' || kind === 'refused';
}
