import { arithmetic, int } from './arithmetic.js';
import type { Checked } from './check.js';
import { Fault, MAX_ELEMENTS } from './fault.js';
import { FUNCTIONS } from './functions.js';
import type { Evaluate, Scope } from './evaluate.js';
import type { Ports } from './function.js';
import { readPath } from './read-path.js';
import { pathOf, refuse } from './syntax.js';
import type { ArithmeticOp, ComparisonOp, Node } from './syntax.js';
import { equal, isIn, isInexact, keysOf, memberOf, memberReader, order } from './values.js';
import type { Value } from './values.js';

/**
 * Compiles a checked expression to closures. @throws Refusal for a literal that a function cannot use, such as an
 * invalid pattern
 */
export function compileNode(root: Node, checked: Checked, ports: Ports): Evaluate {
  return new Compiler(checked, ports).compile(root, null);
}

class Compiler {
  readonly #checked: Checked;
  readonly #ports: Ports;

  constructor(checked: Checked, ports: Ports) {
    this.#checked = checked;
    this.#ports = ports;
  }

  /** @param item name of the item of the loop around it */
  compile(node: Node, item: string | null): Evaluate {
    const inner = (part: Node): Evaluate => this.compile(part, item);
    switch (node.op) {
      case 'literal': {
        const value: Value = this.#checked.doubles.has(node) ? Number(node.value) : node.value;
        return () => value;
      }
      case 'variable': {
        const { name } = node;
        if (name === item) return (scope) => scope.item;
        return ({ values }) => {
          const value = values[name];
          return value === undefined ? Fault.absent : value;
        };
      }
      case 'member': {
        const path = pathOf(node);
        if (path !== null && path[0] !== item) return readPath(path);
        const of = inner(node.of);
        const read = memberReader(node.name);
        return (scope) => read(of(scope));
      }
      case 'has': {
        const of = inner(node.of);
        const read = memberReader(node.name);
        return (scope) => {
          const object = of(scope);
          if (object instanceof Fault) return object;
          const value = read(object);
          return value instanceof Fault ? (value === Fault.absent ? false : value) : true;
        };
      }
      case 'index':
        return index(inner(node.of), inner(node.key));
      case 'call':
        return this.#call(node, inner);
      case 'not': {
        const of = inner(node.of);
        return (scope) => negation(of(scope));
      }
      case 'negate': {
        const of = inner(node.of);
        const isJson = this.#isJson(node.of);
        return (scope) => minus(of(scope), isJson);
      }
      case 'and':
        return junction(inner(node.left), inner(node.right), false);
      case 'or':
        return junction(inner(node.left), inner(node.right), true);
      case 'binary':
        return this.#binary(node, inner);
      case 'if':
        return choice(inner(node.test), inner(node.yes), inner(node.no));
      case 'list':
        return list(
          node.items.map(inner),
          node.items.every(({ op }) => op === 'literal'),
        );
      case 'map':
        return map(node.entries.map(([key, value]) => [inner(key), inner(value)] as const));
      case 'macro':
        return this.#macro(node, item);
    }
  }

  #isJson(node: Node): boolean {
    const type = this.#checked.types.get(node);
    return type?.kind === 'json' || type?.item?.kind === 'json';
  }

  #call(node: Node & { readonly op: 'call' }, inner: (part: Node) => Evaluate): Evaluate {
    const called = FUNCTIONS[node.name]!;
    const literals = node.args.map((arg, at) => (called.literals?.includes(at) === true ? literalOf(arg) : undefined));
    let run: ReturnType<typeof called.compile>;
    try {
      run = called.compile(literals, this.#ports);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const at = called.literals?.[0];
      return refuse('pattern', at === undefined ? node : node.args[at]!, error.message);
    }
    const args = node.args.map(inner);
    const isLossy =
      (node.name === 'int' || node.name === 'double' || node.name === 'string') && this.#isJson(node.args[0]!);
    const [first] = args;
    // Literal arguments are known to the function.
    if (first !== undefined && literals.every((_, at) => at === 0 || called.literals?.includes(at) === true)) {
      return (scope) => {
        const value = first(scope);
        if (value instanceof Fault) return value;
        if (isLossy && isInexact(value)) return Fault.numberTooLarge;
        return run([value], scope);
      };
    }
    return (scope) => {
      const values: Value[] = [];
      for (const arg of args) {
        const value = arg(scope);
        if (value instanceof Fault) return value;
        values.push(value);
      }
      return run(values, scope);
    };
  }

  #binary(node: Node & { readonly op: 'binary' }, inner: (part: Node) => Evaluate): Evaluate {
    const { sign } = node;
    const isJson = this.#isJson(node.left) || this.#isJson(node.right);
    // The double of an integer below 2^53 compares as the integer.
    const operand = (part: Node): Evaluate => {
      if (!isJson || part.op !== 'literal' || typeof part.value !== 'bigint') return inner(part);
      const value = Number(part.value);
      return Number.isSafeInteger(value) ? () => value : inner(part);
    };
    const left = operand(node.left);
    const right = operand(node.right);
    switch (sign) {
      case '==':
        return (scope) => equal(left(scope), right(scope), scope.fuel, isJson);
      case '!=':
        return (scope) => negation(equal(left(scope), right(scope), scope.fuel, isJson));
      case 'in':
        return (scope) => isIn(left(scope), right(scope), scope.fuel, isJson);
      case '<':
      case '<=':
      case '>':
      case '>=':
        return comparison(sign, left, right, isJson);
      default:
        return sumOf(sign, left, right, isJson);
    }
  }

  #macro(node: Node & { readonly op: 'macro' }, item: string | null): Evaluate {
    const over = this.compile(node.over, item);
    const body = this.compile(node.body, node.item);
    const filter = node.filter === null ? null : this.compile(node.filter, node.item);
    const { macro } = node;
    return (scope) => {
      const value = over(scope);
      const items: readonly Value[] | Fault = Array.isArray(value) ? (value as Value[]) : keysOf(value);
      if (items instanceof Fault) return items;
      if (items.length > MAX_ELEMENTS) return Fault.tooManyElements;
      if (!scope.fuel.elements(items.length)) return Fault.tooCostly;
      switch (macro) {
        case 'all':
          return quantified(scope, items, body, false);
        case 'exists':
          return quantified(scope, items, body, true);
        case 'exists_one':
          return isOne(scope, items, body);
        case 'map':
          return mapped(scope, items, filter, body);
        case 'filter':
          return filtered(scope, items, body);
      }
    };
  }
}

function literalOf(node: Node): Value {
  if (node.op === 'literal') return node.value;
  return node.op === 'list' ? node.items.map(literalOf) : undefined;
}

function negation(value: Value): Value {
  if (typeof value === 'boolean') return !value;
  return value instanceof Fault ? value : Fault.wrongType;
}

function minus(value: Value, isJson: boolean): Value {
  if (typeof value === 'number') return isJson && isInexact(value) ? Fault.numberTooLarge : -value;
  if (typeof value === 'bigint') return int(-value);
  return value instanceof Fault ? value : Fault.wrongType;
}

function index(of: Evaluate, key: Evaluate): Evaluate {
  return (scope) => {
    const value = of(scope);
    const at = key(scope);
    if (value instanceof Fault) return value;
    if (at instanceof Fault) return at;
    if (!Array.isArray(value)) return memberOf(value, at);
    if (typeof at !== 'number' && typeof at !== 'bigint') return Fault.wrongType;
    const found: Value = (value as Value[])[Number(at)];
    return found === undefined ? Fault.absent : found;
  };
}

/** `&&` (with `decides` false) and `||`: the value that decides wins over a fault on either side. */
function junction(left: Evaluate, right: Evaluate, decides: boolean): Evaluate {
  return (scope) => {
    const a = left(scope);
    if (a === decides) return decides;
    const b = right(scope);
    if (b === decides) return decides;
    if (a instanceof Fault) return a;
    if (typeof a !== 'boolean') return Fault.wrongType;
    return typeof b === 'boolean' || b instanceof Fault ? b : Fault.wrongType;
  };
}

function choice(test: Evaluate, yes: Evaluate, no: Evaluate): Evaluate {
  return (scope) => {
    const value = test(scope);
    if (value === true) return yes(scope);
    if (value === false) return no(scope);
    return value instanceof Fault ? value : Fault.wrongType;
  };
}

function comparison(sign: ComparisonOp, left: Evaluate, right: Evaluate, isJson: boolean): Evaluate {
  const holds = {
    '<': (by: number) => by < 0,
    '<=': (by: number) => by <= 0,
    '>': (by: number) => by > 0,
    '>=': (by: number) => by >= 0,
  }[sign];
  return (scope) => {
    const a = left(scope);
    const b = right(scope);
    if (isJson && (isInexact(a) || isInexact(b))) return Fault.numberTooLarge;
    if (typeof a === 'string' && typeof b === 'string' && !scope.fuel.characters(Math.min(a.length, b.length))) {
      return Fault.textTooLong;
    }
    const by = order(a, b);
    return by instanceof Fault ? by : holds(by);
  };
}

function sumOf(sign: ArithmeticOp, left: Evaluate, right: Evaluate, isJson: boolean): Evaluate {
  return (scope) => {
    const a = left(scope);
    const b = right(scope);
    if (isJson && (isInexact(a) || isInexact(b))) return Fault.numberTooLarge;
    const value = arithmetic(sign, a, b);
    if (typeof value === 'string' && !scope.fuel.characters(value.length)) return Fault.textTooLong;
    return Array.isArray(value) && !scope.fuel.elements(value.length) ? Fault.tooCostly : value;
  };
}

function list(items: readonly Evaluate[], isConstant: boolean): Evaluate {
  const build: Evaluate = (scope) => {
    const values: Value[] = [];
    for (const item of items) {
      const value = item(scope);
      if (value instanceof Fault) return value;
      values.push(value);
    }
    return values;
  };
  if (!isConstant) return build;
  let values: Value;
  return (scope) => (values ??= build(scope));
}

function map(entries: readonly (readonly [key: Evaluate, value: Evaluate])[]): Evaluate {
  return (scope) => {
    const values = new Map<Value, Value>();
    for (const [keyOf, valueOf] of entries) {
      const key = keyOf(scope);
      if (key instanceof Fault) return key;
      const value = valueOf(scope);
      if (value instanceof Fault) return value;
      if (values.has(key)) return Fault.wrongType;
      values.set(key, value);
    }
    return values;
  };
}

/** `all` (with `decides` false) and `exists`: as `&&` and `||` over the items. */
function quantified(scope: Scope, items: readonly Value[], body: Evaluate, decides: boolean): Value {
  let fault: Fault | null = null;
  for (const item of items) {
    scope.item = item;
    const value = body(scope);
    if (value === decides) return decides;
    if (value !== !decides) fault ??= value instanceof Fault ? value : Fault.wrongType;
  }
  return fault ?? !decides;
}

function isOne(scope: Scope, items: readonly Value[], body: Evaluate): Value {
  let count = 0;
  for (const item of items) {
    scope.item = item;
    const value = body(scope);
    if (typeof value !== 'boolean') return value instanceof Fault ? value : Fault.wrongType;
    if (value) count += 1;
  }
  return count === 1;
}

function mapped(scope: Scope, items: readonly Value[], filter: Evaluate | null, body: Evaluate): Value {
  const results: Value[] = [];
  for (const item of items) {
    scope.item = item;
    const keep = filter === null ? true : filter(scope);
    if (typeof keep !== 'boolean') return keep instanceof Fault ? keep : Fault.wrongType;
    if (!keep) continue;
    const value = body(scope);
    if (value instanceof Fault) return value;
    results.push(value);
  }
  return results;
}

function filtered(scope: Scope, items: readonly Value[], body: Evaluate): Value {
  const results: Value[] = [];
  for (const item of items) {
    scope.item = item;
    const keep = body(scope);
    if (typeof keep !== 'boolean') return keep instanceof Fault ? keep : Fault.wrongType;
    if (keep) results.push(item);
  }
  return results;
}
