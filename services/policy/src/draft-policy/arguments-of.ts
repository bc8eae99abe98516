import type { JsonValue } from '@countersign/contracts';
import { isObject } from './seen-check.js';
import type { Arguments, SeenCheck } from './seen-check.js';
import { mayBeShown } from './shown-values.js';

/** A member of the arguments of the checks of one tool. */
export interface SeenMember {
  /** As `args` of a rule names it: `amount`, `customer.tier`. */
  readonly path: string;
  /** Its value in each check that has it. */
  readonly values: readonly JsonValue[];
  /** All checks of the tool have it. */
  readonly everywhere: boolean;
}

const DEEPEST = 3;
const MOST_MEMBERS = 32;
/** Keys of maps are values as well: `{"ann@acme.com": 1}`. */
const NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

/** The members of the arguments that at least `least` of the checks have: the most frequent first, then by name. */
export function membersOf(checks: readonly (SeenCheck & { readonly args: Arguments })[], least: number): SeenMember[] {
  const found = new Map<string, JsonValue[]>();
  for (const { args } of checks) collect(found, args, '', 1);
  return [...found]
    .filter(([, values]) => values.length >= least)
    .map(([path, values]) => ({ path, values, everywhere: values.length === checks.length }))
    .toSorted((a, b) => b.values.length - a.values.length || (a.path < b.path ? -1 : 1))
    .slice(0, MOST_MEMBERS);
}

function collect(found: Map<string, JsonValue[]>, object: Arguments, before: string, depth: number): void {
  for (const [name, value] of Object.entries(object)) {
    if (!NAME.test(name) || !mayBeShown(name)) continue;
    const path = `${before}${name}`;
    if (isObject(value) && depth < DEEPEST) collect(found, value, `${path}.`, depth + 1);
    const values = found.get(path);
    if (values === undefined) found.set(path, [value]);
    else values.push(value);
  }
}
