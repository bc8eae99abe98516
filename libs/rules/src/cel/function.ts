import type { Fuel } from './fault.js';
import type { Kind, Type } from './syntax.js';
import type { Value } from './values.js';

/** Matchers of policy entries, which the policy engine has. */
export interface Ports {
  /**
   * Compiles entries as those of `allowed_apis`. @returns a function that reports whether all addresses are at them, in
   * bounded time; a text that clients read as different addresses is not. @throws RangeError for an invalid entry
   */
  readonly hosts: (entries: readonly string[]) => (addresses: readonly string[]) => boolean;
}

/** Inputs of an evaluation that are not variables. */
export interface Surroundings {
  readonly fuel: Fuel;
  /** Offsets from UTC, in minutes, of the zones that a program names in `hours`, at the time of the request. */
  readonly offsets: Readonly<Record<string, number>>;
}

export type Run = (args: readonly Value[], around: Surroundings) => Value;

/** A function of the dialect. It receives no faults: an argument without a value is the value of the call. */
export interface CelFunction {
  /** Kinds that each argument may have; `json` and `dyn` are always accepted, and judged at run time. */
  readonly params: readonly (readonly Kind[])[];
  readonly result: Type;
  /** The way it is called: `text.size()` or `size(text)`. */
  readonly form: 'method' | 'function' | 'either';
  /** Positions of arguments that must be literals, or lists of them: they are compiled once. */
  readonly literals?: readonly number[];
  /** Cost of a call, in units of about 10 ns, for arguments of usual size: the fuel bounds those of all calls together. */
  readonly cost: number;
  /**
   * The implementation. @param literals values of the literal arguments by their position; `undefined` for others
   * @throws RangeError with the rest of a sentence that begins with the expression, where a literal is invalid
   */
  readonly compile: (literals: readonly Value[], ports: Ports) => Run;
}
