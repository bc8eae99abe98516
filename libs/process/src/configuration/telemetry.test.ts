import { loadConfig } from './load-config.js';

const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector.example:4318';

describe('what is exported by OTLP', () => {
  it.each([
    ['nothing without an address', {}, null],
    ['traces and metrics', { OTEL_EXPORTER_OTLP_ENDPOINT }, { traces: true, metrics: true, metricIntervalMs: 60_000 }],
    [
      'metrics alone, by their own address',
      { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'https://m.example/v1/metrics', OTEL_METRIC_EXPORT_INTERVAL: '5000' },
      { traces: false, metrics: true, metricIntervalMs: 5000 },
    ],
    [
      'traces alone, where metrics are not wanted',
      { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_METRICS_EXPORTER: 'none' },
      { traces: true, metrics: false, metricIntervalMs: 60_000 },
    ],
    [
      'nothing where both are not',
      { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_METRICS_EXPORTER: 'none', OTEL_TRACES_EXPORTER: 'none' },
      null,
    ],
    [
      'nothing, whatever else the environment has',
      { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_TRACES_EXPORTER: 'console' },
      null,
    ],
    [
      'nothing of a disabled SDK, whatever else',
      { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      null,
    ],
    ['nothing of a disabled SDK', { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }, null],
  ])('is %s', (_what, environment, expected) => {
    expect(loadConfig(environment).otlp).toEqual(expected);
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'one of http/protobuf'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'http'],
    ['OTEL_METRIC_EXPORT_INTERVAL', '10', '1000'],
  ])('refuses %s=%s', (name, value, words) => {
    expect(() => loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, [name]: value })).toThrow(words);
  });
});
