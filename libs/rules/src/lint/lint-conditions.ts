import { parseCel } from '../cel/parse.js';
import type { Node } from '../cel/syntax.js';
import { partsOf } from '../cel/syntax.js';
import type { Program } from '../cel/program.js';
import type { CompiledRule } from '../judge/compile-rules.js';
import { atomOf, both, either, keyOf, waysOf } from './atoms.js';
import type { Atom, Known, Test } from './atoms.js';
import { areImpossible, kindIn } from './impossible.js';

type Ways = ReturnType<typeof waysOf>;

/** Most comparisons of a way of one rule with a rule, for all rules of a profile together: about 0.1 s. */
export const MOST_COMPARISONS = 20_000;

/**
 * Reasoning about the conditions of one rule, matchers and `when` together. It says nothing where it does not know: a rule
 * that it says something about behaves so for every input.
 */
export class RuleConditions {
  readonly #rule: CompiledRule;
  readonly #nodes: readonly Node[];
  /** The rule may find nothing only in these ways; `null`: there are too many. */
  readonly #silent: Ways;
  readonly #texts: string;
  readonly #isLight: boolean;

  constructor(rule: CompiledRule) {
    this.#rule = rule;
    this.#nodes = [rule.matchers, rule.when].flatMap((program) => (program === null ? [] : [nodeOf(program)]));
    const ways = this.#isUnless
      ? this.#nodes.map((node) => waysOf(node, true)).reduce<Ways>(both, [[]])
      : this.#nodes.map((node) => waysOf(node, false)).reduce<Ways>(either, []);
    this.#silent = ways?.filter((way) => !areImpossible(way)) ?? null;
    this.#texts = this.#nodes.map(keyOf).join(' ');
    this.#isLight = this.#nodes.every(isLight);
  }

  /** It denies nothing, because its conditions never hold together; errors apart. */
  isNeverMet(): boolean {
    if (this.#isUnless || this.#nodes.length === 0) return false;
    const ways = this.#nodes.map((node) => waysOf(node, true)).reduce<Ways>(both, [[]]);
    return ways?.every(areImpossible) ?? false;
  }

  /** It denies every action that it applies to, or is an error. */
  isAlwaysMet(): boolean {
    return this.#nodes.length > 0 && this.#silent?.length === 0;
  }

  /** Whatever `other` finds, this rule finds something as well. Effect and targets apart. */
  findsAllOf(other: RuleConditions): boolean {
    if (this.#isUnless === other.#isUnless && this.#texts === other.#texts) return true;
    if (this.#silent === null || this.isAlwaysMet()) return false;
    return other.#isLight && this.#silent.every((way) => other.#isSilentIn(way));
  }

  get comparisons(): number {
    return 1 + (this.#silent?.length ?? 0);
  }

  #isSilentIn(way: readonly Atom[]): boolean {
    return this.#isUnless
      ? this.#nodes.every((node) => comesOut(node, true, way))
      : this.#nodes.some((node) => comesOut(node, false, way));
  }

  get #isUnless(): boolean {
    return this.#rule.member.effect === 'deny_unless';
  }
}

const nodeOf = ({ text }: Program): Node => parseCel(text, 'generated');

/** Reports whether a condition certainly comes out as `holds`, and is no error, where these parts come out as they say. */
function comesOut(node: Node, holds: boolean, way: readonly Atom[]): boolean {
  switch (node.op) {
    case 'literal':
      return node.value === holds;
    case 'not':
      return comesOut(node.of, !holds, way);
    case 'and':
    case 'or': {
      const one = comesOut(node.left, holds, way);
      return (node.op === 'and') === holds
        ? one && comesOut(node.right, holds, way)
        : one || comesOut(node.right, holds, way);
    }
    case 'if':
      return false;
    default: {
      const opposite = atomOf(node, !holds);
      if (way.some(({ key, holds: known }) => key === opposite.key && known === holds)) return true;
      return opposite.test !== null && isNoError(opposite.test, way) && areImpossible([...way, opposite]);
    }
  }
}

/**
 * Comparisons of numbers and booleans with their like are no errors, nor is equality with a short text of a value whose kind
 * is known, or with a literal that the value was compared with before.
 */
function isNoError({ term, by, isCondition }: Test, way: readonly Atom[]): boolean {
  const kind = kindIn(way, term);
  if (isCondition === true) return kind === 'boolean';
  if (by.op === 'one_of') {
    const compared = way.flatMap(({ test }) => (test?.term === term ? differing(test) : []));
    return by.literals.every((one) => isShort(one) && (kind !== null || compared.includes(one)));
  }
  return (kind === 'number' || kind === 'boolean') && typeof by.literal === kind;
}

/** The literals that a value was compared with, and differs from. */
const differing = ({ by }: Test): readonly Known[] => (by.op === 'one_of' && !by.isOne ? by.literals : []);

/** Long texts are compared at a cost, which may be too much. */
const isShort = (literal: Known): boolean => typeof literal !== 'string' || literal.length <= 64;

const LIGHT_CALLS = new Set(['startsWith', 'endsWith']);

/** No part of it can fail by its cost, whatever other parts took. */
function isLight(node: Node): boolean {
  if (node.op === 'macro' || (node.op === 'call' && !LIGHT_CALLS.has(node.name))) return false;
  if (node.op === 'binary' && !isLightOperation(node)) return false;
  return partsOf(node).every(isLight);
}

/** Texts and lists of an action may be long: a literal bounds what is compared or joined. */
function isLightOperation({ sign, left, right }: Node & { readonly op: 'binary' }): boolean {
  const isScalar = ({ op }: Node): boolean => op === 'literal' || op === 'negate';
  const isNumber = (node: Node): boolean => node.op === 'literal' && typeof node.value !== 'string';
  switch (sign) {
    case 'in':
      return right.op === 'list' && right.items.every(isScalar);
    case '+':
      return isNumber(left) || isNumber(right);
    case '==':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return isScalar(left) || isScalar(right);
    default:
      return true;
  }
}
