import type { Route } from '@countersign/contracts';

export type Method = Route['method'];

/** A route of the edge, and the data `T` that belongs to it. */
export interface TableEntry<T> {
  readonly route: Route;
  readonly target: T;
}

export interface RouteMatch<T> {
  /** Raw path segments by parameter name, still percent-encoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly methods: ReadonlyMap<Method, TableEntry<T>>;
  /** The route that has this path with every method, if there is one. */
  readonly every?: TableEntry<T>;
}

type Segment = { readonly literal: string } | { readonly parameter: string };

interface Pattern<T> {
  readonly path: string;
  readonly segments: readonly Segment[];
  readonly methods: Map<Method, TableEntry<T>>;
}

const PARAMETER = /^\{([A-Za-z]\w*)\}$/;

function segmentsOf(path: string): Segment[] {
  return path
    .slice(1)
    .split('/')
    .map((part) => {
      const parameter = PARAMETER.exec(part)?.[1];
      return parameter === undefined ? { literal: part } : { parameter };
    });
}

/** Literal segments before parameters, from the left. */
function byPrecedence<T>(a: Pattern<T>, b: Pattern<T>): number {
  for (const [i, segment] of a.segments.entries()) {
    const other = b.segments[i]!;
    const difference = Number('parameter' in segment) - Number('parameter' in other);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Routes by path and method. Paths are compared exactly, with case and slashes; a parameter is one non-empty segment. */
export class RouteTable<T> {
  readonly #bySize = new Map<number, Pattern<T>[]>();
  /** Routes with the paths below theirs; their own paths have no parameters. */
  readonly #withPathsBelow: TableEntry<T>[] = [];

  /** @throws if two routes have the same path and method */
  constructor(entries: readonly TableEntry<T>[]) {
    const patterns = new Map<string, Pattern<T>>();
    for (const entry of entries) {
      const { path, method, operationId, withPathsBelow } = entry.route;
      if (withPathsBelow === true) {
        this.#withPathsBelow.push(entry);
        continue;
      }
      const pattern = patterns.get(path) ?? {
        path,
        segments: segmentsOf(path),
        methods: new Map<Method, TableEntry<T>>(),
      };
      patterns.set(path, pattern);
      const other = pattern.methods.get(method);
      if (other !== undefined) {
        throw new Error(`${method} ${path} is claimed by ${other.route.operationId} and ${operationId}`);
      }
      pattern.methods.set(method, entry);
    }
    for (const pattern of patterns.values()) {
      const list = this.#bySize.get(pattern.segments.length) ?? [];
      list.push(pattern);
      this.#bySize.set(pattern.segments.length, list);
    }
    for (const list of this.#bySize.values()) list.sort(byPrecedence);
  }

  /** `null`: no route has this path. */
  match(path: string): RouteMatch<T> | null {
    if (!path.startsWith('/')) return null;
    const parts = path.slice(1).split('/');
    for (const pattern of this.#bySize.get(parts.length) ?? []) {
      const params = paramsOf(pattern.segments, parts);
      if (params !== null) return { params, methods: pattern.methods };
    }
    const every = this.#withPathsBelow.find(({ route }) => path === route.path || path.startsWith(`${route.path}/`));
    return every === undefined ? null : { params: {}, methods: new Map([[every.route.method, every]]), every };
  }
}

function paramsOf(segments: readonly Segment[], parts: readonly string[]): Record<string, string> | null {
  const params: Record<string, string> = {};
  for (const [i, segment] of segments.entries()) {
    const part = parts[i]!;
    if ('parameter' in segment) {
      if (part === '') return null;
      params[segment.parameter] = part;
    } else if (segment.literal !== part) return null;
  }
  return params;
}

/** Returns the value of `Allow` for a path; `HEAD` is allowed if `GET` is. */
export function allowedMethods(methods: Iterable<Method>): string {
  const names: string[] = [];
  for (const method of methods) names.push(...(method === 'GET' ? ['GET', 'HEAD'] : [method]));
  return names.sort().join(', ');
}

/** Returns path and query of a request target (RFC 9112 section 3.2) in origin or absolute form; `null` for others. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } | null {
  let rest = target;
  if (!target.startsWith('/')) {
    const absolute = /^https?:\/\/[^/?#]*(.*)$/i.exec(target);
    if (absolute === null) return null;
    rest = absolute[1]!;
  }
  const mark = rest.indexOf('?');
  const path = mark < 0 ? rest : rest.slice(0, mark);
  return { path: path === '' ? '/' : path, query: mark < 0 ? '' : rest.slice(mark + 1) };
}
