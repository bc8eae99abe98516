/**
 * Results of pure tests of texts that were asked for most recently. Each test has results of its own: whether a text is found
 * here depends on no other caller. The bounds hold for all tests together.
 */
export class RecentResults {
  readonly #mostResults: number;
  readonly #mostCharacters: number;
  /** Ascending by the time of their last use. */
  readonly #results = new Map<string, boolean>();
  #characters = 0;
  #tests = 0;

  constructor(mostResults: number, mostCharacters: number) {
    this.#mostResults = mostResults;
    this.#mostCharacters = mostCharacters;
  }

  /**
   * The same test, which computes the result of a text once while it is kept.
   * @param test pure: its result depends on the text alone
   */
  keeping(test: (text: string) => boolean): (text: string) => boolean {
    this.#tests += 1;
    const prefix = `${this.#tests} `;
    return (text) => {
      const key = prefix + text;
      const kept = this.#results.get(key);
      if (kept !== undefined) {
        this.#results.delete(key);
        this.#results.set(key, kept);
        return kept;
      }
      const result = test(text);
      this.#keep(key, result);
      return result;
    };
  }

  /** Results that are kept, and the characters of their texts. */
  get size(): { readonly results: number; readonly characters: number } {
    return { results: this.#results.size, characters: this.#characters };
  }

  #keep(key: string, result: boolean): void {
    if (key.length > this.#mostCharacters) return;
    this.#results.set(key, result);
    this.#characters += key.length;
    for (const oldest of this.#results.keys()) {
      if (this.#results.size <= this.#mostResults && this.#characters <= this.#mostCharacters) return;
      this.#results.delete(oldest);
      this.#characters -= oldest.length;
    }
  }
}
