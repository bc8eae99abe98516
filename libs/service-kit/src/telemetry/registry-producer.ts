import { ValueType } from '@opentelemetry/api';
import type { Attributes, HrTime } from '@opentelemetry/api';
import { AggregationTemporality, DataPointType } from '@opentelemetry/sdk-metrics';
import type { Histogram, MetricData, MetricProducer, CollectionResult } from '@opentelemetry/sdk-metrics';
import type { Resource } from '@opentelemetry/resources';
import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client';

type Metric = MetricObjectWithValues<MetricValue<string>>;
/** A value of prom-client; those of histograms and summaries name the series that they belong to. */
type Value = MetricValue<string> & { readonly metricName?: string };

/** The registry of a whole process, as it is now. */
export type ReadRegistry = () => Promise<Pick<Registry, 'metrics' | 'getMetricsAsJSON'>>;

/**
 * Metrics of prom-client as those of OpenTelemetry, cumulative since the start of the process and under the same names, so
 * that a query means the same whether they were scraped or pushed (OpenTelemetry specification, “Prometheus and OpenMetrics
 * compatibility”). Counters are monotonic sums. Summaries, which that data model lacks, are left out.
 */
export class RegistryProducer implements MetricProducer {
  readonly #started = hrTimeOf(performance.timeOrigin);

  constructor(
    private readonly read: ReadRegistry,
    private readonly resource: Resource,
  ) {}

  async collect(): Promise<CollectionResult> {
    const registry = await this.read();
    const metrics = (await registry.getMetricsAsJSON()) as unknown as readonly Metric[];
    const times = { startTime: this.#started, endTime: hrTimeOf(Date.now()) };
    const converted = metrics.map((metric) => metricData(metric, times)).filter((data) => data !== null);
    const scopeMetrics = [{ scope: { name: 'countersign' }, metrics: converted }];
    return { resourceMetrics: { resource: this.resource, scopeMetrics }, errors: [] };
  }
}

interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

function metricData(metric: Metric, times: Times): MetricData | null {
  const common = {
    // The name has the unit.
    descriptor: { name: metric.name, description: metric.help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const points = (): { attributes: Attributes; value: number; startTime: HrTime; endTime: HrTime }[] =>
    metric.values.map(({ labels, value }) => ({ ...times, attributes: { ...labels }, value }));
  // prom-client writes types as text, whatever its declaration says.
  switch (String(metric.type)) {
    case 'counter':
      return { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() };
    case 'gauge':
      return { ...common, dataPointType: DataPointType.GAUGE, dataPoints: points() };
    case 'histogram': {
      const dataPoints = [...histograms(metric)].map((point) => ({ ...times, ...point }));
      return { ...common, dataPointType: DataPointType.HISTOGRAM, dataPoints };
    }
    default:
      return null;
  }
}

/** The histogram of each set of labels: prom-client has cumulative buckets, OpenTelemetry the count of each. */
function histograms(metric: Metric): Iterable<{ attributes: Attributes; value: Histogram }> {
  const found = new Map<
    string,
    { attributes: Attributes; bounds: number[]; upTo: number[]; sum: number; count: number }
  >();
  for (const { labels, value, metricName } of metric.values as readonly Value[]) {
    const { le, ...attributes } = labels as Readonly<Record<string, string | number>>;
    const key = JSON.stringify(Object.entries(attributes).sort());
    const one = found.get(key) ?? { attributes, bounds: [], upTo: [], sum: 0, count: 0 };
    found.set(key, one);
    if (metricName === `${metric.name}_sum`) one.sum = value;
    else if (metricName === `${metric.name}_count`) one.count = value;
    else if (le !== undefined && le !== '+Inf') {
      one.bounds.push(Number(le));
      one.upTo.push(value);
    }
  }
  return [...found.values()].map(({ attributes, bounds, upTo, sum, count }) => ({
    attributes,
    value: {
      buckets: {
        boundaries: bounds,
        counts: [...upTo, count].map((cumulated, i) => cumulated - (i === 0 ? 0 : upTo[i - 1]!)),
      },
      sum,
      count,
    },
  }));
}

function hrTimeOf(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}
