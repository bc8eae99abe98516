import type { Evaluate } from './evaluate.js';
import { Fault } from './fault.js';
import { memberReader } from './values.js';

/** Members of a variable, in one step: most reads. */
export function readPath([variable, ...names]: readonly string[]): Evaluate {
  const readers = names.map(memberReader);
  const [first, second] = readers;
  if (first !== undefined && readers.length === 1) {
    return ({ values }) => {
      const value = values[variable!];
      return value === undefined ? Fault.absent : first(value);
    };
  }
  if (first !== undefined && second !== undefined && readers.length === 2) {
    return ({ values }) => {
      const value = values[variable!];
      return value === undefined ? Fault.absent : second(first(value));
    };
  }
  return ({ values }) => {
    let value = values[variable!];
    if (value === undefined) return Fault.absent;
    for (const read of readers) value = read(value);
    return value;
  };
}
