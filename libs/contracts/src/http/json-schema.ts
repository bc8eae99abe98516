import type { Static } from 'typebox';
import type { JsonValue } from '../leaf.js';

/** A JSON Schema (draft 2020-12) as plain data: compiled by ajv for validation, printed into the OpenAPI document. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/**
 * Type of the JSON values that a schema accepts, by TypeBox from the schema's literal type: the schema is declared
 * `as const`. What the schema leaves open is any JSON value.
 */
export type JsonOf<S extends JsonSchema> = Json<Static<S>>;

type Json<T> = unknown extends T
  ? JsonValue
  : T extends readonly (infer Item)[]
    ? readonly Json<Item>[]
    : T extends object
      ? keyof T extends never
        ? { readonly [member: string]: JsonValue }
        : { readonly [K in keyof T]: Json<T[K]> }
      : T;

/** Type of a route's body once validated. */
export type BodyOf<R extends { readonly body: JsonSchema }> = JsonOf<R['body']>;

type Parameters = Readonly<Record<string, JsonSchema>>;
type Defaulted<Q extends Parameters> = {
  [K in keyof Q]: Q[K] extends { readonly default: unknown } ? K : never;
}[keyof Q];

/** Type of a route's query once validated: parameters that have a default are always present. */
export type QueryOf<R extends { readonly query: Parameters }> = QueryValues<R['query']>;

export type QueryValues<Q extends Parameters> = { readonly [K in Defaulted<Q>]: JsonOf<Q[K]> } & {
  readonly [K in Exclude<keyof Q, Defaulted<Q>>]?: JsonOf<Q[K]>;
};

export const nullable = <const S extends JsonSchema>(schema: S) => ({ anyOf: [schema, { type: 'null' }] }) as const;

/** An object with at least these members. */
export const openObject = <const P extends Readonly<Record<string, JsonSchema>>>(properties: P) =>
  ({
    type: 'object',
    // Typed as a tuple of one: `JsonOf` reads the names, not their number.
    required: Object.keys(properties) as readonly string[] as readonly [keyof P & string],
    properties,
  }) as const;

/** An object with exactly these members. */
export const object = <const P extends Readonly<Record<string, JsonSchema>>>(properties: P) =>
  ({ ...openObject(properties), additionalProperties: false }) as const;
