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
  | 'console';

export interface RouteResponse {
  readonly description: string;
  readonly schema?: JsonSchema;
  /** Default `application/json`; without a schema and a type there is no body. */
  readonly contentType?: string;
  /** Other content types of the answer: `application/json` is `{error}`, any other the same answer as bytes. */
  readonly alsoAs?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Text in a {@link JsonTemplate} that stands for the reason of a refusal. */
export const REASON = '{reason}';

/** A JSON value in which each text {@link REASON} is replaced. Data, not a function: routes are copied between threads. */
export type JsonTemplate = { readonly [member: string]: string | boolean | JsonTemplate };

/** The JSON of a template, with `reason` in place of each {@link REASON}. */
export function fillTemplate(template: JsonTemplate, reason: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(template).map(([name, value]) => [
      name,
      typeof value === 'object' ? fillTemplate(value, reason) : value === REASON ? reason : value,
    ]),
  );
}

/** The reason of a denial for want of a decision. */
export function notDecided(why: string): string {
  return `Countersign did not decide about this, so it is not allowed: ${why}`;
}

/**
 * One HTTP route, for the edge, which validates requests before a handler runs, and for the OpenAPI document.
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
  /** `api-key-or-session`: either; a request that sends an API key is one of an API key. */
  readonly auth: 'none' | 'api-key' | 'session' | 'api-key-or-session';
  /** Lowest role that is allowed (auditor < member < admin) of a session. Default `auditor`. */
  readonly role?: Role;
  /**
   * Rights of which the API key must have one, otherwise 401. The key must be valid for an agent that
   * the body names as `agentId`, or the path as `id`, otherwise 404. Absent: any key.
   */
  readonly rights?: readonly [ApiKeyRight, ...ApiKeyRight[]];
  /** Schemas of path parameters; an invalid value is 400. Values arrive as strings. */
  readonly params?: Readonly<Record<string, JsonSchema>>;
  /** Schemas of query parameters; integers and booleans are coerced from their text. Unknown ones are ignored. */
  readonly query?: Readonly<Record<string, JsonSchema>>;
  readonly headers?: Readonly<Record<string, JsonSchema>>;
  /** Absent: the route takes no body and ignores one that is sent. */
  readonly body?: JsonSchema;
  /** Schema of the body in the document, for routes whose handler validates it, for a reason, and whose `body` is `{}`. */
  readonly shownBody?: JsonSchema;
  /** The body may be absent; it is `{}` then. */
  readonly bodyOptional?: true;
  /** `verification`: 64 MiB, depth 64, no count of keys or strings. Default: 1 MiB, depth 32, 10,000 keys, 256 KiB strings. */
  readonly bodyLimit?: 'verification';
  /**
   * `raw`: the handler receives the bytes, checked for length and content type only; it parses them and validates them by
   * `body`. For bodies whose parsing alone would block other requests.
   */
  readonly bodyForm?: 'raw';
  /**
   * Cost of a request in the allowance of its caller's address for a minute; a request beyond it is 429 with
   * `Retry-After` before its body is read. Absent: nothing.
   */
  readonly perAddress?: number;
  /** Additional cost for each MiB of the announced length; a body without one counts as the largest that is accepted. */
  readonly perAddressMiB?: number;
  /** Every answer repeats the caller's own `X-Request-ID`; otherwise each answer has a new one. */
  readonly echoesRequestId?: true;
  /** Body of the 503 while its service is starting, if it is not `{error}`. */
  readonly unavailable?: { readonly [member: string]: unknown };
  /**
   * The edge answers each of its refusals, and each error of the handler, with this status and body: for callers that
   * take any other answer as permission. Absent: `{error}` with the status of the refusal.
   */
  readonly refusedAs?: { readonly status: 200 | 403; readonly body: JsonTemplate };
  /** The route also has every path below its own, with any method; the handler reads them from `RouteInput.sent`. */
  readonly withPathsBelow?: true;
  /** Status of a handler's return value. */
  readonly success: number;
  readonly responses: Readonly<Record<number, RouteResponse>>;
}

/** Checks the shape of a route and keeps the literal types from which others are derived: `BodyOf`, `QueryOf`. */
export function route<const R extends Route>(definition: R): TypedRoute<R> {
  return definition;
}

type Typed = 'body' | 'query' | 'rights';
type TypedRoute<R extends Route> = Omit<Route, Typed> & Pick<R, Extract<keyof R, Typed>>;
