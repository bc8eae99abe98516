import type { Parts } from './message.js';

type Part = Parts[number];

/** Gathers the answers to the parts of a batch, which the client gets as one. */
export class BatchAnswer {
  readonly #answers: string[] = [];
  #open: number;

  /** @param send takes the answer to the whole; nothing is sent for a batch that nobody has to answer */
  constructor(
    parts: Parts,
    private readonly send: (text: string) => void,
  ) {
    this.#open = parts.filter(wantsAnswer).length;
  }

  /** Where the answer to this part goes; the first that comes counts, and none (`null`) is one as well. */
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
