import { errorSchema, isoTime, sha256Hex, uuid } from '../fragments.js';
import type { Route, RouteResponse } from '../route.js';
import { EXAMPLE } from './operation-note.js';
import type { OperationNote } from './operation-note.js';
import type { JsonSchema } from '../json-schema.js';

type Json = { readonly [key: string]: unknown };

const ERROR = { $ref: '#/components/schemas/Error' } as const;
export const SHOWN_ERROR = { ...errorSchema, description: 'The refusal, in a sentence that says what to change.' };

/** A route may be a copy from another thread, so schemas are compared by their text. */
const ERROR_TEXT = JSON.stringify(errorSchema);
const isError = (schema: JsonSchema | undefined): boolean => JSON.stringify(schema) === ERROR_TEXT;

/** Examples of common patterns: values generated from the patterns would not look realistic. */
const INSTEAD_OF: ReadonlyMap<unknown, string> = new Map([
  [uuid['pattern'], EXAMPLE.agent],
  [isoTime['pattern'], EXAMPLE.at],
  [sha256Hex['pattern'], '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
]);

const WAITING: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  429: { 'Retry-After': 'seconds after which the request is accepted' },
};

/** Refusals by the edge that follow from the definition of a route, whether or not the route lists them. */
function edgeRefusals(route: Route): Record<number, string> {
  if (route.refusedAs !== undefined) return {};
  const refusals: Record<number, string> = {};
  if (route.auth !== 'none') refusals[401] = 'no valid credentials';
  if (route.auth === 'session' && route.role !== undefined && route.role !== 'auditor') {
    refusals[403] = 'the role may not do this';
  }
  if (route.body !== undefined || route.params !== undefined || route.query !== undefined) {
    refusals[400] = 'the request is malformed; the text says what to change';
  }
  if (route.perAddress !== undefined) {
    refusals[429] = 'too many requests from this address: wait for the seconds in Retry-After';
  }
  if (route.body !== undefined) {
    refusals[408] = 'the body came slower than 1 KiB a second: send it again, faster';
    refusals[413] = 'the body is too large';
    refusals[415] = 'not JSON, or encoded';
  }
  return refusals;
}

const CREDENTIALS = {
  'api-key': 'no API key was sent: send the API key as x-service-key: <key>, or as Authorization: Bearer <key>',
  session: 'no session was sent: send the token of POST /v1/auth/login as Authorization: Bearer <token>',
  'api-key-or-session': 'no session was sent: send the token of POST /v1/auth/login as Authorization: Bearer <token>',
} as const;

/** Error texts of refusals by the edge that are the same for all routes. */
function edgeErrors({ auth, role = 'auditor', bodyLimit, perAddress }: Route): Readonly<Record<number, string>> {
  return {
    ...(auth === 'none' ? {} : { 401: CREDENTIALS[auth] }),
    ...(auth !== 'session' || role === 'auditor'
      ? {}
      : { 403: `the role ${role === 'admin' ? 'member' : 'auditor'} may not do this: it needs ${role}` }),
    413: `send a body of at most ${bodyLimit === 'verification' ? 64 : 1} MiB`,
    415: 'send the body as application/json in UTF-8',
    ...(perAddress === undefined
      ? {}
      : { 429: 'too many requests from this address: wait as long as Retry-After says' }),
  };
}

function responseObject(route: Route, note: OperationNote | undefined, status: number, response: RouteResponse): Json {
  const { description, schema, headers } = response;
  const contentType = response.contentType ?? (schema === undefined ? undefined : 'application/json');
  return {
    description,
    ...(headers === undefined || Object.keys(headers).length === 0 ? {} : { headers: headerObjects(headers) }),
    ...(contentType === undefined
      ? {}
      : { content: contentOf(contentType, response, answerExamples(route, note, status, response)) }),
  };
}

function answerExamples(
  route: Route,
  note: OperationNote | undefined,
  status: number,
  { description, schema }: RouteResponse,
): Json {
  const named = note?.namedAnswers?.[status];
  if (named !== undefined) return { examples: named };
  const one = note?.answers?.[status];
  if (one !== undefined) return { example: one };
  return isError(schema) ? { example: { error: edgeErrors(route)[status] ?? description } } : {};
}

function contentOf(contentType: string, { schema, alsoAs = [] }: RouteResponse, examples: Json): Json {
  const shown = isError(schema) ? ERROR : withExamples(schema);
  const asJson = shown === undefined ? {} : { schema: shown, ...examples };
  const asBytes = { schema: { type: 'string', format: 'binary' } };
  const other = (type: string): Json => (type === 'application/json' ? { schema: ERROR } : asBytes);
  return Object.fromEntries<Json>([
    [contentType, asJson],
    ...alsoAs.map((type): [string, Json] => [type, other(type)]),
  ]);
}

function headerObjects(headers: Readonly<Record<string, string>>): Json {
  return Object.fromEntries(
    Object.entries(headers).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
  );
}

function withExamples<T>(schema: T): T {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((one: unknown) => withExamples(one)) as T;
  const shown = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, withExamples<unknown>(value)]));
  const example = INSTEAD_OF.get(shown['pattern']);
  return (example === undefined ? shown : { ...shown, examples: [example] }) as T;
}

/** Every answer of a route by its status: those that it lists, and refusals by the edge. */
export function everyAnswer(route: Route, note: OperationNote | undefined): Json {
  const answers: Record<string, Json> = {};
  for (const [status, response] of Object.entries(route.responses)) {
    answers[status] = responseObject(route, note, Number(status), response);
  }
  for (const [status, description] of Object.entries(edgeRefusals(route))) {
    const headers = WAITING[Number(status)] ?? {};
    answers[status] ??= responseObject(route, note, Number(status), { description, schema: errorSchema, headers });
  }
  return answers;
}
