/** Why an expression has no value. A code names no value of the action. */
export type FaultCode =
  /** A member, or an element of a list, that is not there. */
  | 'absent'
  | 'wrong_type'
  | 'overflow'
  | 'division_by_zero'
  /** A JSON number beyond 2^53, of which the digits received are not known. */
  | 'number_too_large'
  | 'too_many_elements'
  | 'text_too_long'
  | 'not_convertible'
  /** The offset of a time zone is not among the inputs. */
  | 'zone_unknown'
  | 'too_costly';

/** The error value of CEL: it is returned, not thrown, so that a thousand of them cost no more than other values. */
export class Fault {
  private constructor(readonly code: FaultCode) {}

  static readonly absent = new Fault('absent');
  static readonly wrongType = new Fault('wrong_type');
  static readonly overflow = new Fault('overflow');
  static readonly divisionByZero = new Fault('division_by_zero');
  static readonly numberTooLarge = new Fault('number_too_large');
  static readonly tooManyElements = new Fault('too_many_elements');
  static readonly textTooLong = new Fault('text_too_long');
  static readonly notConvertible = new Fault('not_convertible');
  static readonly zoneUnknown = new Fault('zone_unknown');
  static readonly tooCostly = new Fault('too_costly');
}

/** Elements of a list or members of an object that one operation visits at most. */
export const MAX_ELEMENTS = 1000;
/** Characters of a text that one operation reads at most. */
export const MAX_TEXT = 65_536;

/** Characters that searches and comparisons of texts read at most in one evaluation. */
const MAX_SEARCHED = 262_144;

/** Work that one evaluation may still do; each operation takes its share first, and is refused by `false`. */
export class Fuel {
  #elements = 10 * MAX_ELEMENTS;
  #characters = MAX_TEXT;
  #searched = MAX_SEARCHED;

  /** Elements of lists and members of objects. */
  elements(count: number): boolean {
    this.#elements -= count;
    return this.#elements >= 0;
  }

  /** Characters that are read one by one: by patterns, SQL, words, and the sizes and order of texts. */
  characters(count: number): boolean {
    this.#characters -= count;
    return this.#characters >= 0;
  }

  /** Characters that are searched or compared. */
  searched(count: number): boolean {
    this.#searched -= count;
    return this.#searched >= 0;
  }

  refill(): void {
    this.#elements = 10 * MAX_ELEMENTS;
    this.#characters = MAX_TEXT;
    this.#searched = MAX_SEARCHED;
  }
}
