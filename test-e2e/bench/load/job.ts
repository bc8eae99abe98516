/** Address and requests: whole requests as ASCII text, used in turn. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly requests: readonly string[];
}

/** Each connection sends its next request when the last one is answered. */
export interface ClosedLoop {
  readonly kind: 'closed';
  readonly connections: number;
}

/** Requests are due at the times of a Poisson process, whether or not earlier ones were answered. */
export interface OpenLoop {
  readonly kind: 'open';
  readonly perSecond: number;
  /** Number of connections; a request that finds none free waits, and its wait counts. */
  readonly connections: number;
  /** Polls the clock without pause: for a generator with a core of its own. */
  readonly spin: boolean;
  /** Requests due within this time from the start are sent and not counted, s; default 0. */
  readonly leadSeconds?: number;
}

export type Load = ClosedLoop | OpenLoop;

/** A generator's job. */
export interface Job {
  readonly target: Target;
  readonly load: Load;
  readonly seconds: number;
  /** Ends after this many requests if that comes first. */
  readonly maxRequests: number;
}

export interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

/** Target latency of refusals of an overloaded service, ms. */
export const REFUSAL_AIM_MS = 10;

/** Result of a job. */
export interface Outcome {
  /** All answers with 200, also those after the time. */
  readonly answered: number;
  /** Other statuses, by status; 0 if the connection broke or no answer came. */
  readonly failures: Readonly<Record<number, number>>;
  /** Answers with 200 a second, within the time. */
  readonly perSecond: number;
  /** ms; in an open loop from the due time of the request. */
  readonly latency: Latencies;
  /** Of answers with 503, ms, likewise. */
  readonly refusedLatency: Latencies;
  /** Share of the answers with 503 that came in less than {@link REFUSAL_AIM_MS}, %; NaN if there are none. */
  readonly refusedInAimPercent: number;
  /** Answers with 503 a second, within the time. */
  readonly refusedPerSecond: number;
  /** Delay from due time to sending in an open loop (p99), ms: the generator's own part of latencies. */
  readonly sentLateMs: number;
  /** Share of one core used by the generator: near 1 it was the bottleneck. */
  readonly generatorBusy: number;
}
