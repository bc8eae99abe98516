import type { Openings } from './leaf.js';

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;
/** Trace Context, section 3.2: an all-zero id is invalid, as is version ff. */
const VALID = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A W3C `traceparent` that a receiver may use (Trace Context, section 3.2); `null`: it is to be ignored. */
export function readTraceparent(sent: unknown): string | null {
  return typeof sent === 'string' && VALID.test(sent) ? sent : null;
}

/**
 * The `traceparent` of a request of the tool protocol, by its `_meta` (MCP, SEP-414).
 * @param holder the object that may have a member `_meta`
 * @returns `null`: none, or one that is to be ignored
 */
export function traceOfMeta(holder: unknown): string | null {
  const meta: unknown = isObject(holder) ? holder['_meta'] : undefined;
  return isObject(meta) ? readTraceparent(meta['traceparent']) : null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Trace id of a W3C `traceparent` (Trace Context, section 3.2.2.3): 32 lower-case hex characters; `null`: none. */
export function traceIdIn(traceparent: unknown): string | null {
  return typeof traceparent === 'string' ? (TRACEPARENT.exec(traceparent)?.[1] ?? null) : null;
}

/** Trace id of the context that the openings of an event show; `null`: it has none, or was erased. */
export function traceIdOf({ context }: Openings): string | null {
  const value = context?.value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return traceIdIn((value as { readonly trace?: unknown }).trace);
}
