import { EVERY_NOTE, noteOf } from './document/every-note.js';
import { INFO, PARAMETERS, SECURITY_SCHEMES, TAGS } from './document/introduction.js';
import { webhooksOf } from './document/webhooks.js';
import { everyAnswer, SHOWN_ERROR } from './document/answers.js';
import type { NamedExamples, OperationNote } from './document/operation-note.js';
import type { Route } from './route.js';
import type { JsonSchema } from './json-schema.js';

type Json = { readonly [key: string]: unknown };

const SECURITY: Readonly<Record<Route['auth'], readonly Json[]>> = {
  none: [],
  'api-key': [{ apiKey: [] }, { apiKeyBearer: [] }],
  session: [{ session: [] }],
  'api-key-or-session': [{ apiKey: [] }, { apiKeyBearer: [] }, { session: [] }],
};

/** The callers of a route, as the last paragraph of its description. */
function callers(route: Pick<Route, 'auth' | 'rights' | 'role' | 'perAddress'>): string {
  const { auth, rights, role = 'auditor', perAddress } = route;
  if (auth === 'api-key-or-session') {
    return `${callers({ ...route, auth: 'api-key' })} ${callers({ ...route, auth: 'session' })}`;
  }
  if (auth === 'api-key') {
    const named = rights?.map((right) => `\`${right}\``).join(' or ');
    return named === undefined ? 'For agents: any API key.' : `For agents: an API key with the right ${named}.`;
  }
  if (auth === 'session') {
    const roles = { auditor: 'any role', member: 'the role member or admin', admin: 'the role admin' };
    return `For people: a session of ${roles[role]}.`;
  }
  return perAddress === undefined
    ? 'Public.'
    : `Public; takes ${perAddress} of the allowance of an address for a minute.`;
}

function bodyExamples(note: OperationNote | undefined): {
  readonly example?: unknown;
  readonly examples?: NamedExamples;
} {
  if (note?.bodies !== undefined) return { examples: note.bodies };
  return note?.body === undefined ? {} : { example: note.body };
}

function parameters(
  place: 'path' | 'query' | 'header',
  schemas: Readonly<Record<string, JsonSchema>> | undefined,
): readonly Json[] {
  return Object.entries(schemas ?? {}).map(([name, { description = PARAMETERS[name], ...schema }]) => ({
    name,
    in: place,
    required: place === 'path',
    ...(description === undefined ? {} : { description }),
    schema,
  }));
}

/** Path parameters without a schema are strings. */
function pathSchemas(route: Route): Readonly<Record<string, JsonSchema>> {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  return Object.fromEntries(names.map((name) => [name, route.params?.[name] ?? { type: 'string' }]));
}

function operation(route: Route): Json {
  const note = noteOf(route.operationId);
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: [note?.description, callers(route)].filter((part) => part !== undefined).join('\n\n'),
    tags: [route.tag],
    security: SECURITY[route.auth],
    parameters: [
      ...parameters('path', pathSchemas(route)),
      ...parameters('query', route.query),
      ...parameters('header', route.headers),
    ],
    ...(route.role === undefined ? {} : { 'x-role': route.role }),
    ...(route.rights === undefined ? {} : { 'x-rights': route.rights }),
    ...(route.perAddress === undefined ? {} : { 'x-per-address': route.perAddress }),
    ...(route.perAddressMiB === undefined ? {} : { 'x-per-address-mib': route.perAddressMiB }),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: route.bodyOptional !== true,
            content: { 'application/json': { schema: route.shownBody ?? route.body, ...bodyExamples(note) } },
          },
        }),
    responses: everyAnswer(route, note),
  };
}

const NAMES = Object.keys(EVERY_NOTE);

/** By tag, and within a tag in the order of the notes. Routes without a note come last, by path. */
function readingOrder(a: Route, b: Route): number {
  const places = ({ tag, operationId }: Route): readonly number[] => [
    TAGS.findIndex(({ name }) => name === tag),
    NAMES.indexOf(operationId),
  ];
  const [tagA = -1, noteA = -1] = places(a);
  const [tagB = -1, noteB = -1] = places(b);
  const rank = (place: number): number => (place === -1 ? Number.MAX_SAFE_INTEGER : place);
  return rank(tagA) - rank(tagB) || rank(noteA) - rank(noteB) || (a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
}

/**
 * The OpenAPI 3.1 document of these routes, from the schemas that validate requests, in reading order. It has no routes with
 * paths below theirs, which OpenAPI cannot describe.
 */
export function buildOpenApi(routes: readonly Route[], serverUrl?: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes.filter(({ withPathsBelow }) => withPathsBelow !== true).sort(readingOrder)) {
    (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(route);
  }
  const used = new Set(routes.map((route) => route.tag));
  const known = TAGS.filter(({ name }) => used.has(name));
  const others = [...used].filter((name) => !known.some((tag) => tag.name === name)).sort();
  return {
    openapi: '3.1.0',
    info: INFO,
    ...(serverUrl === undefined ? {} : { servers: [{ url: serverUrl }] }),
    tags: [...known, ...others.map((name) => ({ name }))],
    paths,
    ...webhooksOf(routes),
    components: { securitySchemes: SECURITY_SCHEMES, schemas: { Error: SHOWN_ERROR } },
  };
}
