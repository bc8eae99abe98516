import type { RequestListener } from 'node:http';
import { randomUUID } from 'node:crypto';
import { diag, DiagLogLevel } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Route } from '@countersign/contracts';
import type { Config } from '@countersign/process';
import type { Logger } from 'pino';
import { RegistryProducer } from './registry-producer.js';
import type { ReadRegistry } from './registry-producer.js';
import { withSpans } from './request-spans.js';

export interface TelemetrySources {
  /** `service.name`, unless `OTEL_SERVICE_NAME` or `OTEL_RESOURCE_ATTRIBUTES` has another one. */
  readonly service: string;
  readonly otlp: NonNullable<Config['otlp']>;
  readonly log: Logger;
  readonly registry: ReadRegistry;
  readonly routes: () => Promise<readonly Route[]>;
}

export interface Telemetry {
  /** Adds a span to each request that the listener handles. */
  traced(handle: RequestListener): RequestListener;
  /** Exports what is left, within two seconds, and ends. */
  stop(): Promise<void>;
}

/** An unavailable collector is logged once in this time, ms. */
const LOG_EVERY_MS = 60_000;
const STOP_MS = 2_000;
const EXPORT_MS = 10_000;

/**
 * Exports the metrics of the process and a span for each request by OTLP over HTTP, to where the variables of the
 * OpenTelemetry specification say (`OTEL_EXPORTER_OTLP_…`, `OTEL_BSP_…`, `OTEL_TRACES_SAMPLER`), which its SDK reads itself. A
 * collector that is slow or unavailable delays no request: spans beyond the queue of 2,048 are dropped.
 */
export function openTelemetry({ service, otlp, log, registry, routes }: TelemetrySources): Telemetry {
  logProblems(log);
  const resource = resourceFromAttributes({
    'service.name': service,
    'service.instance.id': randomUUID(),
  }).merge(detectResources({ detectors: [envDetector] }));
  const meters = otlp.metrics
    ? new MeterProvider({
        resource,
        readers: [
          new PeriodicExportingMetricReader({
            exporter: new OTLPMetricExporter(),
            exportIntervalMillis: otlp.metricIntervalMs,
            exportTimeoutMillis: Math.min(otlp.metricIntervalMs, EXPORT_MS),
            metricProducers: [new RegistryProducer(registry, resource)],
          }),
        ],
      })
    : null;
  const tracers = otlp.traces
    ? new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] })
    : null;
  return {
    traced: (handle) => (tracers === null ? handle : withSpans(handle, tracers.getTracer('countersign'), routes)),
    async stop() {
      const ended = Promise.allSettled([meters?.shutdown({ timeoutMillis: STOP_MS }), tracers?.shutdown()]);
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise((resolve) => {
        timer = setTimeout(resolve, STOP_MS);
      });
      await Promise.race([ended, late]);
      clearTimeout(timer);
    },
  };
}

/** Problems of the exporters, of which a collector that is away makes one for each attempt. */
function logProblems(log: Logger): void {
  let silentUntil = 0;
  const warn = (message: string, ...rest: readonly unknown[]): void => {
    const now = performance.now();
    if (now < silentUntil) return;
    silentUntil = now + LOG_EVERY_MS;
    log.warn({ otlp: [message, ...rest].map(String).join(' ').slice(0, 500) }, 'telemetry was not exported');
  };
  const silent = (): void => undefined;
  diag.setLogger({ error: warn, warn, info: silent, debug: silent, verbose: silent }, DiagLogLevel.WARN);
}
