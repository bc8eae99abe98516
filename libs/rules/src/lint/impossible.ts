import { order } from '../cel/values.js';
import type { Atom, Known, Test } from './atoms.js';

/**
 * Reports whether no input makes all of these parts come out as they say. `false` where that is not known: the reasoning
 * is on the kind, the bounds, the prefixes and the candidates of each value by itself, and on which members are there.
 */
export function areImpossible(atoms: readonly Atom[]): boolean {
  const held = new Map<string, boolean>();
  for (const { key, holds } of atoms) {
    if (held.get(key) === !holds) return true;
    held.set(key, holds);
  }
  return lacksMembers(atoms) || [...valuesOf(atoms).values()].some((value) => value.isImpossible());
}

/** Reports whether these parts say that a value is a number or a boolean: then comparing it with one is no error. */
export function kindIn(atoms: readonly Atom[], term: string): Kind | null {
  return valuesOf(atoms).get(term)?.kind() ?? null;
}

function lacksMembers(atoms: readonly Atom[]): boolean {
  const absent = new Set(atoms.flatMap(({ presence, holds }) => (presence === null || holds ? [] : [presence])));
  if (absent.size === 0) return false;
  const present = atoms.flatMap((atom) =>
    atom.presence !== null && atom.holds ? [...atom.present, atom.presence] : atom.present,
  );
  return present.some((path) => absent.has(path));
}

function valuesOf(atoms: readonly Atom[]): ReadonlyMap<string, KnownValue> {
  const values = new Map<string, KnownValue>();
  for (const { test } of atoms) {
    if (test === null) continue;
    let value = values.get(test.term);
    if (value === undefined) values.set(test.term, (value = new KnownValue()));
    value.add(test.by);
  }
  return values;
}

export type Kind = 'number' | 'string' | 'boolean' | 'null';

const kindOf = (literal: Known): Kind => (literal === null ? 'null' : (typeof literal as Kind));

interface Bound {
  readonly literal: Known;
  /** The literal itself is outside. */
  readonly isOpen: boolean;
}

/** All that is known of one value. */
class KnownValue {
  readonly #kinds = new Set<Kind>();
  readonly #low: Bound[] = [];
  readonly #high: Bound[] = [];
  readonly #prefixes: string[] = [];
  readonly #not: Known[] = [];
  #candidates: readonly Known[] | null = null;

  add(by: Test['by']): void {
    if (by.op === 'one_of') {
      const { literals, isOne } = by;
      if (!isOne) this.#not.push(...literals);
      else this.#candidates = literals.filter((one) => this.#candidates?.some((other) => same(one, other)) ?? true);
      return;
    }
    const { op, literal } = by;
    this.#kinds.add(kindOf(literal));
    if (op === 'prefix') this.#prefixes.push(literal as string);
    else if (op === '<' || op === '<=') this.#high.push({ literal, isOpen: op === '<' });
    else this.#low.push({ literal, isOpen: op === '>' });
  }

  /** `null`: not known. */
  kind(): Kind | null {
    const kinds = new Set([...this.#kinds, ...(this.#candidates ?? []).map(kindOf)]);
    return kinds.size === 1 ? [...kinds][0]! : null;
  }

  isImpossible(): boolean {
    if (this.#kinds.size > 1) return true;
    if (this.#candidates !== null) return !this.#candidates.some((one) => this.#allows(one));
    const apart = this.#low.some((low) => this.#high.some((high) => this.#areApart(low, high)));
    return apart || this.#prefixes.some((one) => this.#prefixes.some((other) => differ(one, other)));
  }

  #areApart(low: Bound, high: Bound): boolean {
    const by = order(low.literal, high.literal);
    if (typeof by !== 'number') return false;
    return by > 0 || (by === 0 && (low.isOpen || high.isOpen || this.#not.some((one) => same(one, low.literal))));
  }

  #allows(one: Known): boolean {
    const [kind] = this.#kinds;
    return (
      (kind === undefined || kind === kindOf(one)) &&
      !this.#not.some((other) => same(one, other)) &&
      this.#prefixes.every((prefix) => typeof one === 'string' && one.startsWith(prefix)) &&
      this.#low.every((low) => isWithin(order(one, low.literal), low)) &&
      this.#high.every((high) => isWithin(order(high.literal, one), high))
    );
  }
}

const differ = (one: string, other: string): boolean => !one.startsWith(other) && !other.startsWith(one);

/** Equality of CEL: of values of one kind. */
const same = (one: Known, other: Known): boolean => kindOf(one) === kindOf(other) && one === other;

function isWithin(by: ReturnType<typeof order>, { isOpen }: Bound): boolean {
  return typeof by !== 'number' || by > 0 || (by === 0 && !isOpen);
}
