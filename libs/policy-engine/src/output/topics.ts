import { foldedText, normalText } from './normal-text.js';

/** A star before a word: the topic is also found within a word. */
const WITHIN = /^\*(?=[\p{L}\p{N}])/u;

/** A topic as it is searched for, without its word boundaries; empty where nothing remains. */
export function readTopic(topic: string): string {
  return foldedText(normalText(topic)).trim().replace(WITHIN, '');
}

const WORD = /[\p{L}\p{M}\p{N}]/u;
/** Scripts that separate words by spaces and inflect by endings. In others a word may begin anywhere. */
const SPACED = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Armenian}\p{Script=Georgian}\p{M}]/u;
const DIGIT = /\p{Nd}/u;
/** Word starts within a name: `massLayoffs`. */
const HUMPS = /(?<=[a-z])(?=[A-Z])/g;
const HUMP = /[a-z][A-Z]/;
/** Likewise, and after capitals: `HRLayoffs`. It splits `PDFs` too, so it is searched separately. */
const ALL_HUMPS = /(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g;
const HUMP_BEHIND_CAPITALS = /[A-Z][A-Z][a-z]/;

/** Classes of characters for word boundaries. */
const NO_WORD = 0;
const SPACED_LETTER = 1;
const DECIMAL_DIGIT = 2;
const OTHER_LETTER = 3;
const UNKNOWN = 255;
/** By UTF-16 code unit, filled on first use. */
const KINDS = new Uint8Array(65_536).fill(UNKNOWN);

function kindOf(character: string): number {
  if (SPACED.test(character)) return SPACED_LETTER;
  if (DIGIT.test(character)) return DECIMAL_DIGIT;
  return WORD.test(character) ? OTHER_LETTER : NO_WORD;
}

function kindBefore(text: string, at: number): number {
  if (at === 0) return NO_WORD;
  const unit = text.charCodeAt(at - 1);
  if ((unit & 0xfc00) === 0xdc00) return kindOf(text.slice(Math.max(0, at - 2), at));
  return kindOfUnit(unit);
}

function kindAt(text: string, at: number): number {
  if (at >= text.length) return NO_WORD;
  const unit = text.charCodeAt(at);
  return (unit & 0xfc00) === 0xd800 ? kindOf(text.slice(at, at + 2)) : kindOfUnit(unit);
}

function kindOfUnit(unit: number): number {
  const known = KINDS[unit]!;
  return known === UNKNOWN ? (KINDS[unit] = kindOf(String.fromCharCode(unit))) : known;
}

/** Required surroundings of a topic, by its entry. */
interface Edges {
  /** The entry begins with a blank: no letter and no digit before. */
  readonly begins: boolean;
  /** It ends with one. */
  readonly ends: boolean;
  /** Class that must not precede it, since it would be of the same word; `NO_WORD` where anything may. */
  readonly notBefore: number;
}

function edgesOf(topic: string): Edges {
  const folded = foldedText(normalText(topic));
  const words = folded.trim().replace(WITHIN, '');
  const first = kindAt(words, 0);
  return {
    begins: folded.startsWith(' ') && first !== NO_WORD,
    ends: folded.endsWith(' ') && kindBefore(words, words.length) !== NO_WORD,
    notBefore: first === OTHER_LETTER || WITHIN.test(folded.trim()) ? NO_WORD : first,
  };
}

function areSame(one: Edges, two: Edges): boolean {
  return one.begins === two.begins && one.ends === two.ends && one.notBefore === two.notBefore;
}

const ROOT = 0;
const NONE = -1;
/**
 * The boundaries of at most this many topics that end at one position, each a suffix of the one before, are checked.
 * The next is taken as found.
 */
const MOST_NESTED = 16;

/**
 * Topics compiled for a search in one pass over a text, however many there are (Aho and Corasick, 1975). Most states
 * have one transition, which is stored with the state, so that a thousand long topics compile quickly.
 */
export class Topics {
  readonly #topics: readonly string[];
  readonly #edges: readonly Edges[];
  /** For each topic: its length as it is searched for. */
  readonly #lengths: Int32Array;
  /** For each topic: another one with the same characters and other boundaries. */
  readonly #twins: Int32Array;
  /** The first transition of a state: its character and next state, `ROOT` where there is none. */
  readonly #firstBy: Uint16Array;
  readonly #firstTo: Int32Array;
  /**
   * True if a state has other transitions. Each topic has at most one such state: at the end of what it shares with
   * others.
   */
  readonly #branches: Uint8Array;
  /** The other transitions, in open addressing: state, character, next state. */
  readonly #from: Int32Array;
  readonly #by: Uint16Array;
  readonly #to: Int32Array;
  readonly #mask: number;
  /** The state to continue from when no transition matches. */
  readonly #fallback: Int32Array;
  /** The first topic that ends in this state with all its characters. */
  readonly #ends: Int32Array;
  /** The state of the next shorter topic that ends here; `ROOT` for none. */
  readonly #shorter: Int32Array;
  /** Low bytes of the first characters of the topics: most texts stay at the root. */
  readonly #begins = new Uint8Array(256);
  #states = 1;
  /** True if the text contains a topic, but within a word. */
  #withinWord = false;

  /** @param topics those that {@link readTopic} does not make empty */
  constructor(topics: readonly string[]) {
    this.#topics = topics;
    this.#edges = topics.map(edgesOf);
    const folded = topics.map(readTopic);
    this.#lengths = Int32Array.from(folded, ({ length }) => length);
    this.#twins = new Int32Array(topics.length).fill(NONE);
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
    this.#shorter = new Int32Array(most);
    const parents = new Int32Array(most);
    const characters = new Uint16Array(most);
    for (const [index, topic] of folded.entries()) this.#plant(topic, index, parents, characters);
    this.#link(parents, characters);
  }

  /**
   * The first topic to end in a text of `normalText`, the longest of several, as written in the profile; `null` for
   * none.
   */
  find(normal: string): string | null {
    this.#withinWord = false;
    const found = this.#find(foldedText(normal));
    if (found !== null || !this.#withinWord) return found;
    const parted = HUMP.test(normal) ? this.#find(foldedText(normal.replace(HUMPS, ' '))) : null;
    if (parted !== null || !HUMP_BEHIND_CAPITALS.test(normal)) return parted;
    return this.#find(foldedText(normal.replace(ALL_HUMPS, ' ')));
  }

  #find(text: string): string | null {
    let state = ROOT;
    for (let i = 0; i < text.length; i += 1) {
      const character = text.charCodeAt(i);
      if (state === ROOT && this.#begins[character & 255] === 0) continue;
      state = this.#follow(state, character);
      if (this.#ends[state] === NONE && this.#shorter[state] === ROOT) continue;
      const topic = this.#endingAt(text, i + 1, state);
      if (topic !== NONE) return this.#topics[topic]!;
    }
    return null;
  }

  /** The longest topic that ends before `end` with its boundaries there; `NONE` for none. */
  #endingAt(text: string, end: number, state: number): number {
    let looks = 0;
    for (let at = state; at !== ROOT; at = this.#shorter[at]!) {
      for (let topic = this.#ends[at]!; topic !== NONE; topic = this.#twins[topic]!) {
        looks += 1;
        if (looks === MOST_NESTED || this.#hasEdges(text, end, topic)) return topic;
      }
    }
    return NONE;
  }

  #hasEdges(text: string, end: number, topic: number): boolean {
    const { begins, ends, notBefore } = this.#edges[topic]!;
    if (begins || notBefore !== NO_WORD) {
      const before = kindBefore(text, end - this.#lengths[topic]!);
      if (before !== NO_WORD && (begins || before === notBefore)) {
        this.#withinWord = true;
        return false;
      }
    }
    return !ends || kindAt(text, end) === NO_WORD;
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
    for (let twin = this.#ends[state]!; twin !== NONE; twin = this.#twins[twin]!) {
      if (areSame(this.#edges[twin]!, this.#edges[index]!)) return;
    }
    this.#twins[index] = this.#ends[state]!;
    this.#ends[state] = index;
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

  /** By depth, so that the fallback of a shorter prefix is known before it is needed. */
  #link(parents: Int32Array, characters: Uint16Array): void {
    const depths = new Int32Array(this.#states);
    for (let state = 1; state < this.#states; state += 1) depths[state] = depths[parents[state]!]! + 1;
    for (const state of byDepth(depths)) {
      if (depths[state]! < 2) continue;
      const fallback = this.#follow(this.#fallback[parents[state]!]!, characters[state]!);
      this.#fallback[state] = fallback;
      this.#shorter[state] = this.#ends[fallback] === NONE ? this.#shorter[fallback]! : fallback;
    }
  }

  #follow(from: number, character: number): number {
    for (let state = from; ; state = this.#fallback[state]!) {
      const next = this.#step(state, character);
      if (next !== NONE) return next;
      if (state === ROOT) return ROOT;
    }
  }

  /** `NONE` where no topic continues with the character. */
  #step(state: number, character: number): number {
    const first = this.#firstTo[state]!;
    if (first !== ROOT && this.#firstBy[state] === character) return first;
    if (this.#branches[state] === 0) return NONE;
    const slot = this.#slot(state, character);
    return this.#from[slot] === NONE ? NONE : this.#to[slot]!;
  }

  /** Index at which this transition is stored, or would be. */
  #slot(state: number, character: number): number {
    let slot = (Math.imul(state, 0x9e3779b1) ^ Math.imul(character, 0x85ebca6b)) >>> 7;
    slot &= this.#mask;
    while (this.#from[slot] !== NONE && (this.#from[slot] !== state || this.#by[slot] !== character)) {
      slot = (slot + 1) & this.#mask;
    }
    return slot;
  }
}

/** The states in the order of their depths, by counting sort: comparing half a million takes far longer. */
function byDepth(depths: Int32Array): Int32Array {
  const starts: number[] = [0];
  for (const depth of depths) starts[depth + 1] = (starts[depth + 1] ?? 0) + 1;
  for (let depth = 1; depth < starts.length; depth += 1) starts[depth]! += starts[depth - 1]!;
  const order = new Int32Array(depths.length);
  for (let state = 0; state < depths.length; state += 1) order[starts[depths[state]!]!++] = state;
  return order;
}
