/** Signals that are exported by OTLP; `null`: none. */
export type OtlpConfig = {
  readonly traces: boolean;
  readonly metrics: boolean;
  /** Time between two exports of the metrics. */
  readonly metricIntervalMs: number;
} | null;

/** Variables of the OpenTelemetry specification that decide what is exported. The SDK reads the others itself. */
interface TelemetryValues {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | null;
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | null;
  readonly OTEL_EXPORTER_OTLP_METRICS_ENDPOINT?: string | null;
  readonly OTEL_TRACES_EXPORTER?: 'otlp' | 'none' | null;
  readonly OTEL_METRICS_EXPORTER?: 'otlp' | 'none' | null;
  readonly OTEL_METRIC_EXPORT_INTERVAL?: number | null;
  readonly OTEL_SDK_DISABLED?: 'true' | 'false' | null;
}

/**
 * `null` without an address to export to, or with `OTEL_SDK_DISABLED=true` (OpenTelemetry specification, “Environment variable
 * specification”).
 */
export function otlpConfig(values: TelemetryValues): OtlpConfig {
  if (values.OTEL_SDK_DISABLED === 'true') return null;
  const all = values.OTEL_EXPORTER_OTLP_ENDPOINT ?? null;
  const traces = (values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? all) !== null && values.OTEL_TRACES_EXPORTER !== 'none';
  const metrics =
    (values.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT ?? all) !== null && values.OTEL_METRICS_EXPORTER !== 'none';
  if (!traces && !metrics) return null;
  return { traces, metrics, metricIntervalMs: values.OTEL_METRIC_EXPORT_INTERVAL ?? 60_000 };
}
