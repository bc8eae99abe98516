import type { CheckResult } from './result.js';

/**
 * The used part of a span of `@opentelemetry/api`. Nothing of it is imported: the API, whichever copy of it an application
 * has, registers its providers under {@link API}, so that a program without it pays one look-up.
 */
interface Span {
  spanContext(): { readonly traceId: string; readonly spanId: string; readonly traceFlags: number };
  isRecording(): boolean;
  addEvent(name: string, attributes: Readonly<Record<string, string | number | boolean>>): unknown;
}

interface Api {
  readonly context?: { active(): { getValue(key: symbol): unknown } };
}

/** Global under which version 1 of the API shares its providers among its copies. */
const API = Symbol.for('opentelemetry.js.api.1');
/** Key of the active span in a context of the API. */
const SPAN = Symbol.for('OpenTelemetry Context Key SPAN');
const NO_TRACE = '0'.repeat(32);

/** The span that is active here; `undefined`: no OpenTelemetry, no span, or one that cannot be read. */
export function activeSpan(): Span | undefined {
  const { [API]: api } = globalThis as { readonly [API]?: Api };
  if (api?.context === undefined) return undefined;
  try {
    const span = api.context.active().getValue(SPAN) as Span | undefined;
    return span !== undefined && span.spanContext().traceId !== NO_TRACE ? span : undefined;
  } catch {
    return undefined;
  }
}

/** W3C `traceparent` of a span (Trace Context, section 3.2). */
export function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, '0')}`;
}

/**
 * Adds the event `countersign.decision` to a span: what was decided, and the event that records it. Never throws.
 * @param latencyMs time of the whole call
 */
export function recordDecision(span: Span, result: CheckResult, latencyMs: number): void {
  const given = {
    event_id: result.eventId,
    allowed: result.allowed,
    violation_type: result.violationType,
    rule: result.rule,
    severity: result.severity,
    code: result.code ?? result.violations?.[0],
    approval_id: result.approvalId,
    would_deny: result.wouldDeny,
    failed_open: result.failedOpen,
    latency_ms: latencyMs,
  };
  const attributes: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) attributes[`countersign.${name}`] = value;
  }
  try {
    if (span.isRecording()) span.addEvent('countersign.decision', attributes);
  } catch {
    // An exporter that fails is no reason not to decide.
  }
}
