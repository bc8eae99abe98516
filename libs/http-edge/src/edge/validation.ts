import { Ajv2020 } from 'ajv/dist/2020.js';
import type { IncomingHttpHeaders } from 'node:http';
import type { JsonSchema, Route } from '@countersign/contracts';
import { HttpRefusal } from './http-contract.js';
import { schemaProblem } from './schema-problem.js';

/** Returns `null` if the value is valid, else the problem as a message for the client. */
export type SchemaCheck = (value: unknown) => string | null;

const OPTIONS = {
  strict: true,
  strictRequired: false,
  allowUnionTypes: true,
  // Errors carry their schema, so that the message about an unknown field can name the known ones.
  verbose: true,
  ownProperties: true,
  // `format` is an annotation (JSON Schema 2020-12, section 7.2.1); patterns validate.
  validateFormats: false,
} as const;

const bodies = new Ajv2020(OPTIONS);
const parameters = new Ajv2020({ ...OPTIONS, useDefaults: true });

/**
 * Compiles the schema of a body.
 * @throws for a schema that is not strict: unknown keyword, missing type
 */
export function compileSchema(schema: JsonSchema): SchemaCheck {
  const validate = bodies.compile(schema);
  return (value) => (validate(value) ? null : schemaProblem(validate.errors ?? [], 'the body'));
}

/**
 * `compileSchema` at the first value: compiling takes tens of milliseconds, which a start need not wait for.
 * @returns a check that throws what `compileSchema` throws
 */
export function schemaCheck(schema: JsonSchema): SchemaCheck {
  let check: SchemaCheck | null = null;
  return (value) => (check ??= compileSchema(schema))(value);
}

type Values = Record<string, unknown>;

export interface RouteChecks {
  /** @throws HttpRefusal 400 */
  params(raw: Readonly<Record<string, string>>): Record<string, string>;
  /** @throws HttpRefusal 400 */
  query(text: string): Values;
  /** @throws HttpRefusal 400 */
  headers(given: IncomingHttpHeaders): void;
  /** @throws HttpRefusal 400 */
  body(value: unknown): void;
}

/** The checks of one route, compiled once. */
export function compileRoute(route: Route): RouteChecks {
  const paramSchemas = route.params ?? {};
  const querySchemas = route.query ?? {};
  const params = compileParameters(paramSchemas, 'path parameter ');
  const query = compileParameters(querySchemas, 'query parameter ');
  const headers = compileParameters(route.headers ?? {}, 'header ');
  const body = route.body === undefined ? null : compileSchema(route.body);
  return {
    params(raw) {
      const values: Record<string, string> = {};
      for (const [name, text] of Object.entries(raw)) values[name] = decode(name, text);
      params({ ...values });
      return values;
    },
    query(text) {
      const values = readQuery(new URLSearchParams(text), querySchemas);
      query(values);
      return values;
    },
    headers(given) {
      if (route.headers !== undefined) headers({ ...given });
    },
    body(value) {
      const problem = body?.(value) ?? null;
      if (problem !== null) throw new HttpRefusal(400, problem);
    },
  };
}

function compileParameters(schemas: Readonly<Record<string, JsonSchema>>, prefix: string): (values: Values) => void {
  const validate = parameters.compile({ type: 'object', properties: schemas });
  return (values) => {
    if (!validate(values)) throw new HttpRefusal(400, schemaProblem(validate.errors ?? [], 'the request', prefix));
  };
}

function decode(name: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new HttpRefusal(400, `path parameter ${name} must be percent-encoded UTF-8`);
  }
}

function readQuery(given: URLSearchParams, schemas: Readonly<Record<string, JsonSchema>>): Values {
  const values: Values = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const texts = given.getAll(name);
    if (texts.length === 0) continue;
    if (schema['type'] === 'array') {
      const items = (schema['items'] ?? {}) as JsonSchema;
      values[name] = texts.map((text) => coerce(text, items));
    } else {
      if (texts.length > 1) throw new HttpRefusal(400, `query parameter ${name} must be given only once`);
      values[name] = coerce(texts[0]!, schema);
    }
  }
  return values;
}

const INTEGER = /^-?\d{1,15}$/;
const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;

/** Converts text to the type of its schema; text of another form stays text, and fails the schema. */
function coerce(text: string, schema: JsonSchema): unknown {
  switch (schema['type']) {
    case 'integer':
      return INTEGER.test(text) ? Number(text) : text;
    case 'number':
      return NUMBER.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    default:
      return text;
  }
}
