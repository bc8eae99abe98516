import type { Openings } from './leaf.js';

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

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
