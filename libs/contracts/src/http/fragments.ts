import type { RouteResponse } from './route.js';
import type { JsonSchema, QueryValues } from './json-schema.js';

export const UUID_PATTERN = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';

export const uuid = { type: 'string', pattern: UUID_PATTERN } as const;
export const sha256Hex = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;
/** ISO 8601 with a zone; fractions of a second to milliseconds. */
export const isoTime = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$',
} as const;
/** A time in an answer: ISO 8601 UTC with milliseconds. */
export const instant = { type: 'string', format: 'date-time' } as const;
/** Words of a person about what was found and done, or why. */
export const words = { type: 'string', minLength: 1, maxLength: 2000, pattern: '\\S' } as const;
export const limit = { type: 'integer', minimum: 1, maximum: 1000, default: 50 } as const;
export const offset = { type: 'integer', minimum: 0, maximum: 9007199254740991, default: 0 } as const;
/** Query of a list. */
export const paging = { limit, offset };
export type PageQuery = QueryValues<typeof paging>;

export const errorSchema: JsonSchema = {
  type: 'object',
  required: ['error'],
  properties: { error: { type: 'string' } },
  additionalProperties: false,
};

export const error = (description: string): RouteResponse => ({ description, schema: errorSchema });

/** A refusal that says how long it lasts. */
export const retryLater = (description: string) =>
  ({ ...error(description), headers: { 'Retry-After': 'seconds to wait' } }) satisfies RouteResponse;

/** Responses of every session route; a route adds its own 404 and 409. */
export const sessionErrors = {
  401: error('no valid session'),
  403: error('the role may not do this'),
} as const;

/** Answer of changes that are events of the account, while those cannot be made. */
export const notRecorded = {
  503: retryLater('who makes the change cannot be recorded now: nothing is changed'),
} as const;

export const bodyErrors = {
  400: error('the request is malformed; the text says what to change'),
  408: error('the body came slower than 1 KiB a second: send it again, faster'),
  413: error('the body is too large'),
  415: error('not JSON, or encoded'),
} as const;

export const pageOf = (name: string, item: JsonSchema): JsonSchema => ({
  type: 'object',
  required: [name, 'total', 'limit', 'offset'],
  properties: {
    [name]: { type: 'array', items: item },
    total: { type: 'integer' },
    limit: { type: 'integer' },
    offset: { type: 'integer' },
  },
});
