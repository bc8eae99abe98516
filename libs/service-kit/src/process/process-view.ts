import type { Registry } from 'prom-client';
import type { ServiceName } from '@countersign/contracts';

/** One value of a metric, as a line of the Prometheus text format. */
export interface Sample {
  /** With `_bucket`, `_sum` or `_count` for parts of a histogram. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ProcessState {
  readonly services: readonly ServiceName[];
  /** `<service>: <what it waits for>` */
  readonly notReady: readonly string[];
  readonly samples: readonly Sample[];
}

/**
 * Returns the state of the process to one of its services, of all its threads.
 * @param metrics names of metrics that are read; one that is not registered has no samples
 */
export type ProcessView = (metrics: readonly string[]) => Promise<ProcessState>;

/** The current values of these metrics; nothing else in the registry is collected. */
export async function samplesOf(registry: Registry, metrics: readonly string[]): Promise<readonly Sample[]> {
  const read = await Promise.all(
    metrics.map(async (name) => {
      const metric = await registry.getSingleMetric(name)?.get();
      return (metric?.values ?? []).map((one): Sample => {
        const { metricName = name } = one as { readonly metricName?: string };
        const labels = Object.entries(one.labels).map(([label, value]) => [label, String(value)] as const);
        return { name: metricName, labels: Object.fromEntries(labels), value: one.value };
      });
    }),
  );
  return read.flat();
}
