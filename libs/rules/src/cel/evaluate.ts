import type { Surroundings } from './function.js';
import type { Value } from './values.js';

/** One evaluation: values of the variables by name, and the item of the loop that is running. */
export interface Scope extends Surroundings {
  readonly values: Readonly<Record<string, Value>>;
  item: Value;
}

/** Computes the value of a node, or a fault. It never throws. */
export type Evaluate = (scope: Scope) => Value;
