import type { Static } from 'typebox';
import type { JsonValue } from '../leaf.js';
import type { JsonSchema } from './route.js';

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
