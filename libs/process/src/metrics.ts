import { readFileSync, statfsSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { readBackupRecord } from './data-directory/backup-record.js';

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Creates the registry of one thread. With `wholeProcess` it has the metrics of the process, for one thread of it. */
export function createRegistry(thread: string, wholeProcess: boolean): Registry {
  const registry = new Registry();
  if (wholeProcess) {
    collectDefaultMetrics({ register: registry });
    registerBuild(registry);
  }
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  const lag = new Gauge({
    name: 'countersign_event_loop_lag_seconds',
    help: 'Delay of the event loop since the last reading',
    labelNames: ['thread', 'quantile'],
    registers: [registry],
    collect() {
      for (const quantile of [50, 99]) {
        lag.set({ thread, quantile: String(quantile / 100) }, delay.percentile(quantile) / 1e9);
      }
      delay.reset();
    },
  });
  return registry;
}

/** Publishes the free space of the data directory's file system as a metric. */
export function observeDataSpace(registry: Registry, dataDir: string): void {
  new Gauge({
    name: 'countersign_data_free_bytes',
    help: 'Bytes that this process may still write to the file system of its data directory',
    registers: [registry],
    collect() {
      try {
        const { bavail, bsize } = statfsSync(dataDir);
        this.set(bavail * bsize);
      } catch {
        this.remove();
      }
    },
  });
}

/** Publishes the age of the last backup of the data directory as a metric. */
export function observeBackupAge(registry: Registry, dataDir: string, now: () => number = Date.now): void {
  new Gauge({
    name: 'countersign_backup_age_seconds',
    help: 'Age of the state that the last backup of the data directory holds; +Inf: there was no backup',
    registers: [registry],
    collect() {
      const record = readBackupRecord(dataDir);
      this.set(record === null ? Infinity : Math.max(0, (now() - Date.parse(record.takenAt)) / 1000));
    },
  });
}

/** The release that runs: the value is always 1. */
function registerBuild(registry: Registry): void {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(manifest) as { readonly version: string };
  new Gauge({
    name: 'countersign_build_info',
    help: 'Version of the release and of Node.js that this process runs',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version, node: process.version }, 1);
}

export type RequestObserver = (method: string, route: string, status: number, seconds: number) => void;

export function requestObserver(registry: Registry): RequestObserver {
  const histogram = new Histogram({
    name: 'countersign_http_request_duration_seconds',
    help: 'Time from the request head to the end of the answer',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [registry],
  });
  return (method, route, status, seconds) => histogram.observe({ method, route, status: String(status) }, seconds);
}
