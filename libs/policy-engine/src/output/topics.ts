import { foldedText, normalText } from './normal-text.js';

/** A topic as it is looked for, but for the ends of words; empty where nothing is left of it. */
export function readTopic(topic: string): string {
  return foldedText(normalText(topic)).trim();
}

const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
/** Stands before and after each word, where a topic demands that one begins or ends. */
const EDGE = '\0';

function withEdges(folded: string): string {
  return folded.replace(WORDS, `${EDGE}$&${EDGE}`);
}

/** With the edges of words: where an entry begins or ends with a blank, a word must begin or end there. */
function topicWithEdges(topic: string): string {
  const folded = foldedText(normalText(topic));
  const edged = withEdges(folded.trim());
  const from = edged.startsWith(EDGE) && !folded.startsWith(' ') ? 1 : 0;
  return edged.slice(from, edged.endsWith(EDGE) && !folded.endsWith(' ') ? -1 : undefined);
}

const ROOT = 0;
const NONE = -1;

/**
 * Topics, ready to be looked for in one pass over a text, however many there are (Aho and Corasick, 1975).
 * Most states have one step, which lies beside the state, so that a thousand long topics are made ready in little time.
 */
export class Topics {
  readonly #topics: readonly string[];
  /** Whether some topic demands that a word begins or ends. */
  readonly #edged: boolean;
  /** The first step of a state: by which character, and to which state, `ROOT` where there is none. */
  readonly #firstBy: Uint16Array;
  readonly #firstTo: Int32Array;
  /** Whether a state has other steps. No topic has more than one of them: at the end of what it shares with others. */
  readonly #branches: Uint8Array;
  /** Those, in open addressing: state, character, next state. */
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
    this.#edged = topics.some((topic) => topic.trim() !== topic);
    const folded = topics.map(this.#edged ? topicWithEdges : readTopic);
    const most = folded.reduce((sum, { length }) => sum + length, 1);
    const size = 2 ** Math.ceil(Math.log2((topics.length + 1) * 2));
    this.#mask = size - 1;
    this.#firstBy = new Uint16Array(most);
    this.#firstTo = new Int32Array(most);
    this.#branches = new Uint8Array(most);
    this.#from = new Int32Array(size).fill(NONE);
    this.#by = new Uint16Array(size);
    this.#to = new Int32Array(size);
    this.#fallback = new Int32Array(most);
    this.#ends = new Int32Array(most).fill(NONE);
    const parents = new Int32Array(most);
    const characters = new Uint16Array(most);
    for (const [index, topic] of folded.entries()) this.#plant(topic, index, parents, characters);
    this.#link(parents, characters);
  }

  /** The first topic to end in a text of `foldedText`, as the profile has it; `null` when none does. */
  find(folded: string): string | null {
    const text = this.#edged ? withEdges(folded) : folded;
    let state = ROOT;
    for (let i = 0; i < text.length; i += 1) {
      const character = text.charCodeAt(i);
      if (state === ROOT && this.#begins[character & 255] === 0) continue;
      state = this.#follow(state, character);
      const topic = this.#ends[state]!;
      if (topic !== NONE) return this.#topics[topic]!;
    }
    return null;
  }

  #plant(topic: string, index: number, parents: Int32Array, characters: Uint16Array): void {
    let state = ROOT;
    this.#begins[topic.charCodeAt(0) & 255] = 1;
    for (let i = 0; i < topic.length; i += 1) {
      const character = topic.charCodeAt(i);
      let next = this.#step(state, character);
      if (next === NONE) {
        next = this.#states++;
        this.#add(state, character, next);
        parents[next] = state;
        characters[next] = character;
      }
      state = next;
    }
    if (this.#ends[state] === NONE) this.#ends[state] = index;
  }

  #add(state: number, character: number, next: number): void {
    if (this.#firstTo[state] === ROOT) {
      this.#firstBy[state] = character;
      this.#firstTo[state] = next;
      return;
    }
    this.#branches[state] = 1;
    const slot = this.#slot(state, character);
    this.#from[slot] = state;
    this.#by[slot] = character;
    this.#to[slot] = next;
  }

  /** By depth, so that where a shorter beginning falls back to is known before it is asked. */
  #link(parents: Int32Array, characters: Uint16Array): void {
    const depths = new Int32Array(this.#states);
    for (let state = 1; state < this.#states; state += 1) depths[state] = depths[parents[state]!]! + 1;
    for (const state of byDepth(depths)) {
      if (depths[state]! < 2) continue;
      this.#fallback[state] = this.#follow(this.#fallback[parents[state]!]!, characters[state]!);
      if (this.#ends[state] === NONE) this.#ends[state] = this.#ends[this.#fallback[state]]!;
    }
  }

  #follow(from: number, character: number): number {
    for (let state = from; ; state = this.#fallback[state]!) {
      const next = this.#step(state, character);
      if (next !== NONE) return next;
      if (state === ROOT) return ROOT;
    }
  }

  /** `NONE` where no topic goes on so. */
  #step(state: number, character: number): number {
    const first = this.#firstTo[state]!;
    if (first !== ROOT && this.#firstBy[state] === character) return first;
    if (this.#branches[state] === 0) return NONE;
    const slot = this.#slot(state, character);
    return this.#from[slot] === NONE ? NONE : this.#to[slot]!;
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

/** The states in the order of their depths, each depth counted first: to compare half a million takes far longer. */
function byDepth(depths: Int32Array): Int32Array {
  const starts: number[] = [0];
  for (const depth of depths) starts[depth + 1] = (starts[depth + 1] ?? 0) + 1;
  for (let depth = 1; depth < starts.length; depth += 1) starts[depth]! += starts[depth - 1]!;
  const order = new Int32Array(depths.length);
  for (let state = 0; state < depths.length; state += 1) order[starts[depths[state]!]!++] = state;
  return order;
}
