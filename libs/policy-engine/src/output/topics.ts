import { foldedText, normalText } from './normal-text.js';

/** A topic as it is looked for; empty where nothing is left of it. */
export function readTopic(topic: string): string {
  return foldedText(normalText(topic)).trim();
}

const ROOT = 0;
const NONE = -1;

/**
 * Topics, ready to be looked for in one pass over a text, however many there are (Aho and Corasick, 1975).
 * The steps lie in one open-addressed table, so that a thousand long topics take a few megabytes.
 */
export class Topics {
  readonly #topics: readonly string[];
  /** Open addressing: state, character, next state. */
  readonly #from: Int32Array;
  readonly #by: Uint16Array;
  readonly #to: Int32Array;
  readonly #mask: number;
  /** Where to go on when no step fits. */
  readonly #fallback: Int32Array;
  /** The topic that ends here, the longest where several do. */
  readonly #ends: Int32Array;
  /** Low bytes of the characters that a topic begins with: most texts stay at the root. */
  readonly #begins = new Uint8Array(256);
  #states = 1;

  /** @param topics what {@link readTopic} does not make empty */
  constructor(topics: readonly string[]) {
    this.#topics = topics;
    const folded = topics.map(readTopic);
    const most = folded.reduce((sum, { length }) => sum + length, 1);
    const size = 2 ** Math.ceil(Math.log2(most * 2));
    this.#mask = size - 1;
    this.#from = new Int32Array(size).fill(NONE);
    this.#by = new Uint16Array(size);
    this.#to = new Int32Array(size);
    this.#fallback = new Int32Array(most);
    this.#ends = new Int32Array(most).fill(NONE);
    const parents: number[] = [NONE];
    const characters: number[] = [0];
    for (const [index, topic] of folded.entries()) this.#plant(topic, index, parents, characters);
    this.#link(parents, characters);
  }

  /** The first topic to end in a text of `foldedText`, as the profile has it; `null` when none does. */
  find(folded: string): string | null {
    let state = ROOT;
    for (let i = 0; i < folded.length; i += 1) {
      const character = folded.charCodeAt(i);
      if (state === ROOT && this.#begins[character & 255] === 0) continue;
      state = this.#follow(state, character);
      const topic = this.#ends[state]!;
      if (topic !== NONE) return this.#topics[topic]!;
    }
    return null;
  }

  #plant(topic: string, index: number, parents: number[], characters: number[]): void {
    let state = ROOT;
    this.#begins[topic.charCodeAt(0) & 255] = 1;
    for (let i = 0; i < topic.length; i += 1) {
      const character = topic.charCodeAt(i);
      const slot = this.#slot(state, character);
      if (this.#from[slot] === NONE) {
        this.#from[slot] = state;
        this.#by[slot] = character;
        this.#to[slot] = this.#states;
        this.#states += 1;
        parents.push(state);
        characters.push(character);
      }
      state = this.#to[slot]!;
    }
    if (this.#ends[state] === NONE) this.#ends[state] = index;
  }

  /** By depth, so that where a shorter beginning falls back to is known before it is asked. */
  #link(parents: readonly number[], characters: readonly number[]): void {
    const depths = new Int32Array(this.#states);
    for (let state = 1; state < this.#states; state += 1) depths[state] = depths[parents[state]!]! + 1;
    const order = Array.from(depths.keys()).sort((a, b) => depths[a]! - depths[b]!);
    for (const state of order) {
      if (depths[state]! < 2) continue;
      this.#fallback[state] = this.#follow(this.#fallback[parents[state]!]!, characters[state]!);
      if (this.#ends[state] === NONE) this.#ends[state] = this.#ends[this.#fallback[state]]!;
    }
  }

  #follow(from: number, character: number): number {
    for (let state = from; ; state = this.#fallback[state]!) {
      const slot = this.#slot(state, character);
      if (this.#from[slot] !== NONE) return this.#to[slot]!;
      if (state === ROOT) return ROOT;
    }
  }

  /** Where this step is kept, or would be. */
  #slot(state: number, character: number): number {
    let slot = (Math.imul(state, 0x9e3779b1) ^ Math.imul(character, 0x85ebca6b)) >>> 7;
    slot &= this.#mask;
    while (this.#from[slot] !== NONE && (this.#from[slot] !== state || this.#by[slot] !== character)) {
      slot = (slot + 1) & this.#mask;
    }
    return slot;
  }
}
