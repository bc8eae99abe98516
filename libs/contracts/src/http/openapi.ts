import { errorSchema } from './fragments.js';
import type { JsonSchema, Route, RouteResponse } from './route.js';

type Json = { readonly [key: string]: unknown };

const INFO = {
  title: 'Countersign',
  version: '1.0.0',
  description: 'Decides before an AI agent acts, keeps the decision, and proves it.',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

const SECURITY_SCHEMES = {
  apiKey: { type: 'apiKey', in: 'header', name: 'x-service-key', description: 'An API key; decides when it is sent.' },
  apiKeyBearer: { type: 'http', scheme: 'bearer', description: 'An API key as a bearer token.' },
  session: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The token of POST /v1/auth/login.' },
};

const SECURITY: Readonly<Record<Route['auth'], readonly Json[]>> = {
  none: [],
  'api-key': [{ apiKey: [] }, { apiKeyBearer: [] }],
  session: [{ session: [] }],
};

const WAITING: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  429: { 'Retry-After': 'seconds after which the request is taken' },
};

/** Refusals that the edge gives by the shape of a route, whether or not the route lists them. */
function edgeRefusals(route: Route): Record<number, string> {
  const refusals: Record<number, string> = {};
  if (route.auth !== 'none') refusals[401] = 'no valid credentials';
  if (route.auth === 'session' && route.role !== undefined && route.role !== 'auditor') {
    refusals[403] = 'the role may not do this';
  }
  if (route.body !== undefined || route.params !== undefined || route.query !== undefined) {
    refusals[400] = 'the request is malformed; the text says what to change';
  }
  if (route.perAddress !== undefined) {
    refusals[429] = 'too many requests from this address: wait for as many seconds as Retry-After says';
  }
  if (route.body !== undefined) {
    refusals[413] = 'the body is too large';
    refusals[415] = 'not JSON, or encoded';
  }
  return refusals;
}

function responseObject(response: RouteResponse): Json {
  const { description, schema, headers } = response;
  const contentType = response.contentType ?? (schema === undefined ? undefined : 'application/json');
  return {
    description,
    ...(headers === undefined || Object.keys(headers).length === 0 ? {} : { headers: headerObjects(headers) }),
    ...(contentType === undefined ? {} : { content: contentOf(contentType, response) }),
  };
}

function contentOf(contentType: string, { schema, alsoAs = [] }: RouteResponse): Json {
  const asJson = schema === undefined ? {} : { schema };
  const asBytes = { schema: { type: 'string', format: 'binary' } };
  return Object.fromEntries<Json>([[contentType, asJson], ...alsoAs.map((type): [string, Json] => [type, asBytes])]);
}

function headerObjects(headers: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );
}

function parameters(
  place: 'path' | 'query' | 'header',
  schemas: Readonly<Record<string, JsonSchema>> | undefined,
): readonly Json[] {
  return Object.entries(schemas ?? {}).map(([name, schema]) => ({
    name,
    in: place,
    required: place === 'path',
    schema,
  }));
}

/** Path parameters that a route names without a schema are text. */
function pathSchemas(route: Route): Readonly<Record<string, JsonSchema>> {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  return Object.fromEntries(names.map((name) => [name, route.params?.[name] ?? { type: 'string' }]));
}

function operation(route: Route): Json {
  const responses: Record<string, Json> = {};
  for (const [status, response] of Object.entries(route.responses)) responses[status] = responseObject(response);
  for (const [status, description] of Object.entries(edgeRefusals(route))) {
    responses[status] ??= responseObject({
      description,
      schema: { $ref: '#/components/schemas/Error' },
      headers: WAITING[Number(status)] ?? {},
    });
  }
  return {
    operationId: route.operationId,
    summary: route.summary,
    tags: [route.tag],
    security: SECURITY[route.auth],
    parameters: [
      ...parameters('path', pathSchemas(route)),
      ...parameters('query', route.query),
      ...parameters('header', route.headers),
    ],
    ...(route.role === undefined ? {} : { 'x-role': route.role }),
    ...(route.perAddress === undefined ? {} : { 'x-per-address': route.perAddress }),
    ...(route.perAddressMiB === undefined ? {} : { 'x-per-address-mib': route.perAddressMiB }),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: route.bodyOptional !== true,
            content: { 'application/json': { schema: route.shownBody ?? route.body } },
          },
        }),
    responses,
  };
}

/** The OpenAPI 3.1 document of these routes, from the same schemas that validate. Paths are in order of their text. */
export function buildOpenApi(routes: readonly Route[], serverUrl?: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of [...routes].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))) {
    (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(route);
  }
  const tags = [...new Set(routes.map((route) => route.tag))].sort();
  return {
    openapi: '3.1.0',
    info: INFO,
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    ...(serverUrl === undefined ? {} : { servers: [{ url: serverUrl }] }),
    tags: tags.map((name) => ({ name })),
    paths,
    components: { securitySchemes: SECURITY_SCHEMES, schemas: { Error: errorSchema } },
  };
}
