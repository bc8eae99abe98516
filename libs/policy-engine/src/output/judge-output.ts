import type { Violation } from '../violation.js';
import type { CompiledOutputRules } from './compile-output-rules.js';
import { namedNumber, numberText } from './named-number.js';
import { characterCount, normalText } from './normal-text.js';
import { visitTexts } from './payload-texts.js';
import { plainText } from './plain-text.js';
import { holdsSecret, isNamedSecret } from './secrets.js';
import { outputTooLong, piiFound, secretFound, topicFound } from './output-violations.js';

/**
 * The verdict of the output rules on a payload: personal data first, in the order of the kinds, then secrets, topics,
 * length. Which of several findings is reported depends on the payload alone, not on the order of the profile's
 * entries.
 */
export function judgeOutput(rules: CompiledOutputRules, payload: unknown): Violation | null {
  const findings = new Findings(rules);
  visitTexts(payload, (value, name) => findings.read(value, name));
  return findings.violation();
}

/** Approximate number of characters that one slice of {@link judgeOutputInSlices} reads. */
export const SLICE_CHARACTERS = 65_536;
/** Cost of a text in addition to its characters. */
const TEXT_COST = 16;

/**
 * {@link judgeOutput} in time slices, so that large payloads do not block other checks: it yields after each slice. A
 * slice searches {@link SLICE_CHARACTERS} for personal data, or reads one text otherwise.
 */
export function* judgeOutputInSlices(
  rules: CompiledOutputRules,
  payload: unknown,
): Generator<undefined, Violation | null, undefined> {
  const findings = new Findings(rules);
  const values: (string | number)[] = [];
  const names: (string | null)[] = [];
  visitTexts(payload, (value, name) => {
    values.push(value);
    names.push(name);
    return false;
  });
  let work = 0;
  for (const [index, value] of values.entries()) {
    const name = names[index]!;
    const length = typeof value === 'string' ? value.length : 0;
    if (work + length > SLICE_CHARACTERS && work > 0) {
      yield;
      work = 0;
    }
    const long = typeof value === 'string' && length > SLICE_CHARACTERS;
    if (long ? yield* findings.readInSlices(value, name) : findings.read(value, name)) break;
    work += length + TEXT_COST;
  }
  return findings.violation();
}

/** Smaller numbers have fewer digits than any kind that is searched for. */
const LEAST_NUMBER = 1e7;

class Findings {
  readonly #rules: CompiledOutputRules;
  /** Index, among the scanner's kinds, of the first kind that was found. */
  #pii: number;
  #secret = false;
  #topic: string | null = null;
  #length = 0;

  constructor(rules: CompiledOutputRules) {
    this.#rules = rules;
    this.#pii = rules.pii?.kinds.length ?? 0;
  }

  /** `true` when the rest of the payload cannot change the answer. */
  read(value: string | number, name: string | null): boolean {
    if (typeof value === 'number') return this.#readNumber(value, name ?? '');
    return name === null ? this.#readName(value) : this.#read(value, name);
  }

  #readName(name: string): boolean {
    const { cleanNames } = this.#rules;
    if (cleanNames?.has(name) === true) return false;
    const ended = this.#read(name, null);
    if (!this.#foundAny()) cleanNames?.add(name);
    return ended;
  }

  #foundAny(): boolean {
    const { pii } = this.#rules;
    return this.#secret || this.#topic !== null || (pii !== null && this.#pii < pii.kinds.length);
  }

  /** A number has no characters: it does not count towards the length. */
  #readNumber(number: number, name: string): boolean {
    const { pii, secrets, topics } = this.#rules;
    if (pii !== null && Number.isInteger(number) && Math.abs(number) >= LEAST_NUMBER) {
      this.#pii = pii.first(numberText(normalText(name), number), this.#pii);
      if (this.#pii === 0) return true;
    }
    if (secrets) this.#secret ||= isNamedSecret(normalText(name), String(number));
    if (topics !== null) this.#topic ??= topics.find(String(number));
    return this.#secret && pii === null;
  }

  #read(text: string, name: string | null): boolean {
    const { pii } = this.#rules;
    const normal = normalText(text);
    const plain = plainText(normal);
    if (pii !== null) {
      const named = name === null ? null : namedNumber(normalText(name), normal);
      this.#pii = pii.first(named ?? normal, this.#pii);
      if (plain !== null) this.#pii = pii.first(plain, this.#pii);
    }
    return this.#readOn(normal, plain, name);
  }

  /** {@link read}, yielding after each slice. */
  *readInSlices(text: string, name: string | null): Generator<undefined, boolean, undefined> {
    const { pii } = this.#rules;
    const normal = normalText(text);
    const plain = plainText(normal);
    if (pii !== null) {
      for (const read of plain === null ? [normal] : [normal, plain]) {
        for (let from = 0; from < read.length && this.#pii > 0; from += SLICE_CHARACTERS) {
          yield;
          this.#pii = pii.first(read, this.#pii, from, Math.min(read.length, from + SLICE_CHARACTERS));
        }
      }
    }
    yield;
    return this.#readOn(normal, plain, name);
  }

  /** After the search for personal data. */
  #readOn(normal: string, plain: string | null, name: string | null): boolean {
    const { pii, secrets, topics, maxLength } = this.#rules;
    if (pii !== null && this.#pii < pii.kinds.length) return this.#pii === 0;
    if (secrets && !this.#secret) {
      this.#secret =
        holdsSecret(normal) ||
        (plain !== null && holdsSecret(plain)) ||
        (name !== null && isNamedSecret(normalText(name), normal));
    }
    if (this.#secret) return pii === null;
    if (topics !== null) {
      this.#topic ??= topics.find(normal);
      if (plain !== null) this.#topic ??= topics.find(plain);
    }
    if (maxLength !== null && name !== null) this.#length += characterCount(normal);
    return false;
  }

  violation(): Violation | null {
    const { pii, maxLength } = this.#rules;
    const kind = pii?.kinds[this.#pii];
    if (kind !== undefined) return piiFound(kind);
    if (this.#secret) return secretFound();
    if (this.#topic !== null) return topicFound(this.#topic);
    return maxLength !== null && this.#length > maxLength ? outputTooLong(this.#length, maxLength) : null;
  }
}
