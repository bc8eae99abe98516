import type { Violation } from '../violation.js';
import type { CompiledOutputRules } from './compile-output-rules.js';
import { namedNumber, numberText } from './named-number.js';
import { characterCount, normalText } from './normal-text.js';
import { visitTexts } from './payload-texts.js';
import { plainText } from './plain-text.js';
import { holdsSecret, isNamedSecret } from './secrets.js';
import { outputTooLong, piiFound, secretFound, topicFound } from './output-violations.js';

/**
 * What the output rules say of a payload: personal data first, in the order of the kinds, then secrets, topics, length.
 * Which of several findings is told depends on the payload alone, not on the order of the profile's entries.
 */
export function judgeOutput(rules: CompiledOutputRules, payload: unknown): Violation | null {
  const findings = new Findings(rules);
  visitTexts(payload, (value, name) => findings.read(value, name));
  return findings.violation();
}

/** Characters that one turn of {@link judgeOutputInTurns} looks at, about. */
export const TURN_CHARACTERS = 65_536;
/** What a text costs beside its characters. */
const TEXT_COST = 16;

/**
 * {@link judgeOutput} a turn at a time, for payloads that are so large that nobody else should wait for the whole of it:
 * after a turn it yields. A turn looks for personal data in {@link TURN_CHARACTERS}, or reads one text otherwise.
 */
export function* judgeOutputInTurns(
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
    if (work + length > TURN_CHARACTERS && work > 0) {
      yield;
      work = 0;
    }
    const long = typeof value === 'string' && length > TURN_CHARACTERS;
    if (long ? yield* findings.readInTurns(value, name) : findings.read(value, name)) break;
    work += length + TEXT_COST;
  }
  return findings.violation();
}

/** Numbers below have fewer digits than any that is looked for. */
const LEAST_NUMBER = 1e7;

class Findings {
  readonly #rules: CompiledOutputRules;
  /** Place of the first kind that was found among the scanner's. */
  #pii: number;
  #secret = false;
  #topic: string | null = null;
  #length = 0;

  constructor(rules: CompiledOutputRules) {
    this.#rules = rules;
    this.#pii = rules.pii?.kinds.length ?? 0;
  }

  /** `true` when nothing that is still to come can change the answer. */
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

  /** A number has no characters: it counts for no length. */
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

  /** {@link read}, yielding after each turn. */
  *readInTurns(text: string, name: string | null): Generator<undefined, boolean, undefined> {
    const { pii } = this.#rules;
    const normal = normalText(text);
    const plain = plainText(normal);
    if (pii !== null) {
      for (const read of plain === null ? [normal] : [normal, plain]) {
        for (let from = 0; from < read.length && this.#pii > 0; from += TURN_CHARACTERS) {
          yield;
          this.#pii = pii.first(read, this.#pii, from, Math.min(read.length, from + TURN_CHARACTERS));
        }
      }
    }
    yield;
    return this.#readOn(normal, plain, name);
  }

  /** Once personal data was looked for. */
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
