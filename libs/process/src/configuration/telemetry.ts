import { httpUrl, integer, oneOf } from './readers.js';

/** Signals that are exported by OTLP; `null`: none. */
export type OtlpConfig = {
  readonly traces: boolean;
  readonly metrics: boolean;
  /** Time between two exports of the metrics. */
  readonly metricIntervalMs: number;
} | null;

/**
 * Readers of variables of the OpenTelemetry specification that decide what is exported. The SDK reads the others itself. They
 * are for every program of an environment: where nothing is exported, none of them is judged.
 */
export const TELEMETRY = {
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl(),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: httpUrl(),
  OTEL_EXPORTER_OTLP_PROTOCOL: oneOf(['http/protobuf']),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: oneOf(['http/protobuf']),
  OTEL_EXPORTER_OTLP_METRICS_PROTOCOL: oneOf(['http/protobuf']),
  OTEL_TRACES_EXPORTER: oneOf(['otlp', 'none']),
  OTEL_METRICS_EXPORTER: oneOf(['otlp', 'none']),
  OTEL_METRIC_EXPORT_INTERVAL: integer(1_000, 3_600_000),
} as const;

/** Reports whether anything may be exported: an address is set, and the SDK is not disabled. */
export function exportsTelemetry(environment: Readonly<Record<string, string | undefined>>): boolean {
  const valueOf = (name: string): string => environment[name]?.trim() ?? '';
  if (valueOf('OTEL_SDK_DISABLED').toLowerCase() === 'true') return false;
  return ['', 'TRACES_', 'METRICS_'].some((signal) => valueOf(`OTEL_EXPORTER_OTLP_${signal}ENDPOINT`) !== '');
}

interface TelemetryValues {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | null;
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | null;
  readonly OTEL_EXPORTER_OTLP_METRICS_ENDPOINT?: string | null;
  readonly OTEL_TRACES_EXPORTER?: 'otlp' | 'none' | null;
  readonly OTEL_METRICS_EXPORTER?: 'otlp' | 'none' | null;
  readonly OTEL_METRIC_EXPORT_INTERVAL?: number | null;
}

/**
 * `null` without an address to export to, or with `OTEL_SDK_DISABLED=true` (OpenTelemetry specification, “Environment variable
 * specification”).
 */
export function otlpConfig(values: TelemetryValues): OtlpConfig {
  const all = values.OTEL_EXPORTER_OTLP_ENDPOINT ?? null;
  const traces = (values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? all) !== null && values.OTEL_TRACES_EXPORTER !== 'none';
  const metrics =
    (values.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT ?? all) !== null && values.OTEL_METRICS_EXPORTER !== 'none';
  if (!traces && !metrics) return null;
  return { traces, metrics, metricIntervalMs: values.OTEL_METRIC_EXPORT_INTERVAL ?? 60_000 };
}
