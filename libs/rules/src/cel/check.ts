import { FUNCTIONS } from './functions.js';
import type { CelFunction } from './function.js';
import { isIdentifier, memberText, partsOf, pathOf, refuse } from './syntax.js';
import type { BinaryOp, Kind, Node, Type } from './syntax.js';
import { nearNames } from '@countersign/contracts';

/** Declaration of a variable, or of a member of a record. */
export type Variable =
  /** A value of JSON; `sure` are its members that every action has, which are strings. */
  | {
      readonly kind: 'json';
      readonly sure?: readonly string[];
      /** Type of the member at a path, where it is known. */
      readonly typeAt?: (path: readonly string[]) => Type | null;
    }
  | { readonly kind: 'string' | 'bool' | 'timestamp' }
  /** Has exactly these members, and is not read as a whole. */
  | { readonly kind: 'record'; readonly members: Readonly<Record<string, Variable>> };

export type Variables = Readonly<Record<string, Variable>>;

export interface Checked {
  readonly types: ReadonlyMap<Node, Type>;
  /** Integer literals that are doubles, because they are added to a JSON number or compared with one. */
  readonly doubles: ReadonlySet<Node>;
}

const JSON_TYPE: Type = { kind: 'json' };
const BOOL: Type = { kind: 'bool' };
const DYN: Type = { kind: 'dyn' };
const MAX_INT = 2n ** 63n - 1n;

/**
 * Types of all parts of an expression. @param text of the expression, for proposals
 * @throws Refusal for an unknown name, and for operands that no value of the action makes valid
 */
export function checkTypes(root: Node, text: string, variables: Variables): Checked {
  const checker = new Checker(text, variables);
  checker.typeOf(root);
  return { types: checker.types, doubles: checker.doubles };
}

class Checker {
  readonly types = new Map<Node, Type>();
  readonly doubles = new Set<Node>();
  readonly #text: string;
  readonly #variables: Variables;
  #item: { readonly name: string; readonly type: Type } | null = null;

  constructor(text: string, variables: Variables) {
    this.#text = text;
    this.#variables = variables;
  }

  typeOf(node: Node): Type {
    const type = this.#typeOf(node);
    this.types.set(node, type);
    return type;
  }

  #typeOf(node: Node): Type {
    switch (node.op) {
      case 'literal':
        return this.#literal(node);
      case 'variable':
      case 'member':
        return this.#read(node);
      case 'index':
        return this.#index(node);
      case 'has':
        this.#read({ ...node, op: 'member' });
        return BOOL;
      case 'call':
        return this.#call(node);
      case 'not':
        this.#bool(node.of);
        return BOOL;
      case 'negate': {
        const of = this.typeOf(node.of);
        this.#accept(node.of, of, ['int', 'double'], 'negates');
        return of;
      }
      case 'and':
      case 'or':
        this.#bool(node.left);
        this.#bool(node.right);
        return BOOL;
      case 'binary':
        return this.#binary(node);
      case 'if': {
        this.#bool(node.test);
        return joined(this.typeOf(node.yes), this.typeOf(node.no));
      }
      case 'list':
        return {
          kind: 'list',
          item: node.items.map((item) => this.typeOf(item)).reduce<Type | null>(joinedWith, null) ?? DYN,
        };
      case 'map': {
        for (const [key] of node.entries)
          this.#accept(key, this.typeOf(key), ['string', 'int', 'bool'], 'has a key of a map that is');
        const values = node.entries.map(([, value]) => this.typeOf(value));
        return { kind: 'map', item: values.reduce<Type | null>(joinedWith, null) ?? DYN };
      }
      case 'macro':
        return this.#macro(node);
    }
  }

  #literal(node: Node & { readonly op: 'literal' }): Type {
    switch (typeof node.value) {
      case 'bigint':
        if (node.value > MAX_INT) refuse('syntax', node, 'has an integer of more than 64 bits');
        return { kind: 'int' };
      case 'number':
        return { kind: 'double' };
      case 'string':
        return { kind: 'string' };
      case 'boolean':
        return BOOL;
      default:
        return { kind: 'null' };
    }
  }

  /** A variable, or a member of one. */
  #read(node: Node & { readonly op: 'variable' | 'member' }): Type {
    const path = pathOf(node);
    if (path !== null && path[0] !== this.#item?.name) return this.#declared(node, path);
    if (node.op === 'variable') return this.#item!.type;
    const of = this.typeOf(node.of);
    if (of.kind === 'map') return of.item ?? DYN;
    if (of.kind === 'json' || of.kind === 'dyn') return of;
    return refuse('type', node, `reads a member of ${named(of)}`);
  }

  #declared(node: Node, path: readonly string[]): Type {
    let known: Variables = this.#variables;
    let code: 'unknown_variable' | 'unknown_member' = 'unknown_variable';
    for (let at = 0; at < path.length; at += 1) {
      const name = path[at]!;
      if (!Object.hasOwn(known, name)) this.#unknown(code, node, path, at, Object.keys(known));
      const variable = known[name]!;
      if (variable.kind === 'record') {
        known = variable.members;
        code = 'unknown_member';
        continue;
      }
      if (variable.kind === 'json') {
        const sure = at + 2 === path.length && variable.sure?.includes(path[at + 1]!) === true;
        return sure ? { kind: 'string' } : (variable.typeAt?.(path.slice(at + 1)) ?? JSON_TYPE);
      }
      if (at + 1 < path.length)
        refuse('type', node, `reads a member of ${memberText(path.slice(0, at + 1))}, which is ${named(variable)}`);
      return variable;
    }
    const [first] = Object.keys(known);
    const example = first === undefined ? '' : `: ${memberText([...path, first])}`;
    return refuse('type', node, `uses ${memberText(path)} as a whole: read one of its members${example}`);
  }

  #unknown(
    code: 'unknown_variable' | 'unknown_member',
    node: Node,
    path: readonly string[],
    at: number,
    known: readonly string[],
  ): never {
    const [near] = nearNames(path[at]!, known);
    const right = near === undefined ? null : memberText([...path.slice(0, at), near, ...path.slice(at + 1)]);
    const hint =
      right === null ? `: known are ${known.map((one) => memberText([...path.slice(0, at), one])).join(', ')}` : '';
    refuse(
      code,
      node,
      `reads ${memberText(path.slice(0, at + 1))}, which does not exist${hint}`,
      right === null ? null : this.#with(node, right),
    );
  }

  #index(node: Node & { readonly op: 'index' }): Type {
    const of = this.typeOf(node.of);
    const key = this.typeOf(node.key);
    this.#accept(node.of, of, ['list', 'map'], 'reads an element of');
    if (of.kind === 'list') this.#accept(node.key, key, ['int', 'double'], 'has an index that is');
    return of.kind === 'list' || of.kind === 'map' ? (of.item ?? DYN) : of;
  }

  #call(node: Node & { readonly op: 'call' }): Type {
    const { name, args } = node;
    const called = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name]! : this.#unknownFunction(node);
    const first = args[0];
    if (name.startsWith('get') && args.length > 1) {
      refuse(
        'unknown_function',
        node,
        `calls ${name} with a time zone, which depends on the host`,
        "hours(request.time, 'Europe/Berlin', 'mon-fri', '07:00-19:00')",
      );
    }
    if (called.form !== 'either' && first !== undefined && node.method !== (called.form === 'method')) {
      const [of, ...others] = args.map((arg) => this.#slice(arg));
      const right = node.method
        ? `${name}(${[of, ...others].join(', ')})`
        : `${of ?? ''}.${name}(${others.join(', ')})`;
      refuse('syntax', node, `calls ${name} as a ${node.method ? 'method' : 'function'}`, this.#with(node, right));
    }
    if (args.length !== called.params.length) {
      refuse('type', node, `calls ${name} with ${args.length} arguments instead of ${called.params.length}`);
    }
    this.#arguments(node, called);
    return name === 'dyn' || called.result.kind !== 'list'
      ? called.result
      : { kind: 'list', item: called.result.item ?? DYN };
  }

  #arguments(node: Node & { readonly op: 'call' }, called: CelFunction): void {
    for (const [at, arg] of node.args.entries()) {
      this.#accept(arg, this.typeOf(arg), called.params[at]!, `calls ${node.name} with`);
      if (called.literals?.includes(at) === true && !isLiteral(arg)) {
        refuse('pattern', arg, `calls ${node.name} with a pattern or list that is not written out`);
      }
    }
  }

  #unknownFunction(node: Node & { readonly op: 'call' }): never {
    const [near] = nearNames(node.name, Object.keys(FUNCTIONS));
    const all = near === undefined ? `: it has ${Object.keys(FUNCTIONS).join(', ')}` : '';
    return refuse(
      'unknown_function',
      node,
      `calls ${node.name}, which the dialect does not have${all}`,
      near === undefined ? null : near,
    );
  }

  #macro(node: Node & { readonly op: 'macro' }): Type {
    if (this.#item !== null) refuse('too_deep', node, `nests ${node.macro} in another loop`);
    if (Object.hasOwn(this.#variables, node.item))
      refuse('type', node, `gives its item the name ${node.item}, which is a variable`);
    if (!isIdentifier(node.item)) refuse('syntax', node, 'gives its item a reserved name');
    const over = this.typeOf(node.over);
    this.#accept(node.over, over, ['list', 'map'], `calls ${node.macro} on`);
    // Keys of an object are strings.
    const type: Type = over.kind === 'list' ? (over.item ?? DYN) : over.kind === 'map' ? DYN : over;
    this.#item = { name: node.item, type };
    if (node.filter !== null) this.#bool(node.filter);
    const body = this.typeOf(node.body);
    if (node.macro !== 'map') this.#accept(node.body, body, ['bool'], `calls ${node.macro} with`);
    this.#item = null;
    if (node.macro === 'map') return { kind: 'list', item: body };
    return node.macro === 'filter' ? { kind: 'list', item: type } : BOOL;
  }

  #binary(node: Node & { readonly op: 'binary' }): Type {
    const { sign, left, right } = node;
    const a = this.typeOf(left);
    const b = this.typeOf(right);
    switch (sign) {
      case '==':
      case '!=':
        if (!comparable(a, b) && a.kind !== 'null' && b.kind !== 'null') this.#mismatch(node, a, b);
        return BOOL;
      case 'in':
        this.#accept(right, b, ['list', 'map'], 'looks for a value in');
        return BOOL;
      case '<':
      case '<=':
      case '>':
      case '>=':
        if (!comparable(a, b) || [a, b].some(({ kind }) => kind === 'list' || kind === 'map' || kind === 'null'))
          this.#mismatch(node, a, b);
        return BOOL;
      default:
        return this.#arithmetic(node, a, b);
    }
  }

  #arithmetic(node: Node & { readonly op: 'binary' }, left: Type, right: Type): Type {
    const { sign } = node;
    const isDouble = ({ kind }: Type): boolean => kind === 'json' || kind === 'double';
    if (sign === '%' && (isDouble(left) || isDouble(right))) {
      const operand = (part: Node, type: Type): string =>
        isDouble(type) ? `int(${this.#slice(part)})` : this.#slice(part);
      const proposal = this.#with(node, `${operand(node.left, left)} % ${operand(node.right, right)}`);
      refuse('type', node, 'takes the remainder of a JSON number, which is not an integer', proposal);
    }
    // JSON numbers are doubles; a whole number next to one means the double.
    let a = left;
    let b = right;
    if (isDouble(a) && b.kind === 'int') b = this.#asDouble(node, node.right);
    if (isDouble(b) && a.kind === 'int') a = this.#asDouble(node, node.left);
    const result = resultOf(sign, a, b);
    return result ?? this.#mismatch(node, a, b);
  }

  /** Makes the integer literals of a sum or product doubles. @throws Refusal where there is another integer in it */
  #asDouble(node: Node, part: Node): Type {
    if (part.op === 'literal') {
      this.doubles.add(part);
    } else if (part.op === 'negate') {
      this.#asDouble(node, part.of);
    } else if (part.op === 'binary' && ['+', '-', '*'].includes(part.sign)) {
      this.#asDouble(node, part.left);
      this.#asDouble(node, part.right);
    } else {
      refuse('type', node, 'mixes an integer with a JSON number', this.#with(part, `double(${this.#slice(part)})`));
    }
    this.types.set(part, { kind: 'double' });
    return { kind: 'double' };
  }

  #bool(node: Node): void {
    this.#accept(node, this.typeOf(node), ['bool'], 'takes as a condition');
  }

  #accept(node: Node, type: Type, kinds: readonly Kind[], message: string): void {
    if (type.kind === 'json' || type.kind === 'dyn' || kinds.includes(type.kind)) return;
    refuse(
      'type',
      node,
      `${message} ${named(type)}, where ${kinds.map((kind) => named({ kind })).join(' or ')} is needed`,
    );
  }

  #mismatch(node: Node & { readonly op: 'binary' }, a: Type, b: Type): never {
    return refuse('type', node, `applies ${node.sign} to ${named(a)} and ${named(b)}`);
  }

  #slice({ start, end }: Node): string {
    return this.#text.slice(start, end);
  }

  /** The expression with another text in place of a part of it. */
  #with({ start, end }: Node, instead: string): string {
    return this.#text.slice(0, start) + instead + this.#text.slice(end);
  }
}

const joinedWith = (a: Type | null, b: Type): Type => (a === null ? b : joined(a, b));

function joined(a: Type, b: Type): Type {
  if (a.kind !== b.kind) return DYN;
  return a.item === undefined || b.item === undefined ? a : { kind: a.kind, item: joined(a.item, b.item) };
}

const isNumber = ({ kind }: Type): boolean => kind === 'int' || kind === 'double';
const isOpen = ({ kind }: Type): boolean => kind === 'json' || kind === 'dyn';

function comparable(a: Type, b: Type): boolean {
  return isOpen(a) || isOpen(b) || a.kind === b.kind || (isNumber(a) && isNumber(b));
}

/** The type of a sum, difference, product, quotient or remainder; `null` where there is none. */
function resultOf(sign: BinaryOp, a: Type, b: Type): Type | null {
  if (isOpen(a) && isOpen(b)) return a.kind === b.kind ? a : DYN;
  if (isOpen(a) || isOpen(b)) {
    const known = isOpen(a) ? b : a;
    if (known.kind === 'timestamp' || known.kind === 'duration') return DYN;
    return resultOf(sign, known, known);
  }
  if (a.kind === b.kind) {
    if (isNumber(a)) return sign === '%' && a.kind === 'double' ? null : a;
    if (sign === '+' && (a.kind === 'string' || a.kind === 'list')) return joined(a, b);
    if (a.kind === 'duration') return sign === '+' || sign === '-' ? a : null;
    return a.kind === 'timestamp' && sign === '-' ? { kind: 'duration' } : null;
  }
  if (a.kind === 'timestamp' && b.kind === 'duration') return sign === '+' || sign === '-' ? a : null;
  return a.kind === 'duration' && b.kind === 'timestamp' && sign === '+' ? b : null;
}

function isLiteral(node: Node): boolean {
  return node.op === 'literal' || (node.op === 'list' && partsOf(node).every((item) => item.op === 'literal'));
}

const NAMES: Readonly<Record<Kind, string>> = {
  int: 'an integer',
  double: 'a number',
  string: 'a text',
  bool: 'a condition',
  null: 'null',
  timestamp: 'a time',
  duration: 'a span of time',
  list: 'a list',
  map: 'an object',
  json: 'any value',
  dyn: 'any value',
};

const named = ({ kind }: { readonly kind: Kind | 'record' }): string => (kind === 'record' ? 'an object' : NAMES[kind]);
