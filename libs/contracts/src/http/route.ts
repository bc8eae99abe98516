import type { ApiKeyRight, Role } from '../records.js';
import type { JsonSchema } from './json-schema.js';

export type ServiceName =
  | 'gateway'
  | 'identity'
  | 'policy'
  | 'audit-log'
  | 'alerts'
  | 'anchoring'
  | 'reporting'
  | 'verification'
  | 'mcp'
  | 'dashboard';

export interface RouteResponse {
  readonly description: string;
  readonly schema?: JsonSchema;
  /** Default `application/json`; no schema and no type: no body. */
  readonly contentType?: string;
  /** Other types that the same answer comes in, as bytes. */
  readonly alsoAs?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * One HTTP route: what the edge checks before a handler runs, and what the OpenAPI document says. One definition for both.
 * Refusals are in this order: 404 route, 405, 401, 413/415, 400, 403, then the handler's own 404 and 409.
 */
export interface Route {
  readonly service: ServiceName;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** OpenAPI form: `/v1/agents/{id}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly tag: string;
  readonly auth: 'none' | 'api-key' | 'session';
  /** Lowest role that may (auditor < member < admin); only with `session`. Default `auditor`. */
  readonly role?: Role;
  /**
   * Rights of which the API key must have one, else 401; only with `api-key`. An agent that the body names as `agentId`, or
   * the path as `id`, must be one that the key is for, else 404. Absent: any key.
   */
  readonly rights?: readonly [ApiKeyRight, ...ApiKeyRight[]];
  /** Schemas of path parameters; a value that does not fit is 400. Values arrive as strings. */
  readonly params?: Readonly<Record<string, JsonSchema>>;
  /** Schemas of query parameters; integers and booleans are coerced from their text. Unknown ones are ignored. */
  readonly query?: Readonly<Record<string, JsonSchema>>;
  readonly headers?: Readonly<Record<string, JsonSchema>>;
  /** Absent: the route takes no body, and one that is sent is ignored. */
  readonly body?: JsonSchema;
  /** What the document shows as body where the handler judges it, with a reason, and `body` is `{}`. */
  readonly shownBody?: JsonSchema;
  /** The body may be absent; it is `{}` then. */
  readonly bodyOptional?: true;
  /** `verification`: 64 MiB, depth 64, no count of keys or strings. Default: 1 MiB, depth 32, 10,000 keys, 256 KiB strings. */
  readonly bodyLimit?: 'verification';
  /**
   * `raw`: the handler is given the bytes, counted and of the right content type, and nothing else of them was judged;
   * it parses them and holds them against `body`. For a body whose parsing alone would hold up everybody else.
   */
  readonly bodyForm?: 'raw';
  /**
   * What a request takes of the allowance that its caller's address has for a minute; what goes beyond it is 429 with
   * `Retry-After`, before anything of it is read. Absent: nothing.
   */
  readonly perAddress?: number;
  /** What it takes besides for each MiB of its body as announced; one that is not counts as the largest that is taken. */
  readonly perAddressMiB?: number;
  /** The caller's own `X-Request-ID` comes back, whatever is answered; elsewhere each answer has a new one. */
  readonly echoesRequestId?: true;
  /** Body of the 503 while its service does not run yet, where the contract has another than `{error}`. */
  readonly unavailable?: { readonly [member: string]: unknown };
  /** Status that a handler's return value gets. */
  readonly success: number;
  readonly responses: Readonly<Record<number, RouteResponse>>;
}

/** Checks the shape of a route and keeps the literal types that others derive from: `BodyOf`, `QueryOf`. */
export function route<const R extends Route>(definition: R): TypedRoute<R> {
  return definition;
}

type Typed = 'body' | 'query' | 'rights';
type TypedRoute<R extends Route> = Omit<Route, Typed> & Pick<R, Extract<keyof R, Typed>>;
