/** Where to send, and what: whole requests as text of ASCII, taken in turn. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly requests: readonly string[];
}

/** Each connection sends its next request when the answer to the last one has come. */
export interface ClosedLoop {
  readonly kind: 'closed';
  readonly connections: number;
}

/** Requests are due at the times of a Poisson process, whether or not earlier ones were answered. */
export interface OpenLoop {
  readonly kind: 'open';
  readonly perSecond: number;
  /** Connections kept; a request that finds none free waits, and its wait counts. */
  readonly connections: number;
  /** Watches the clock without pause: for a generator with a core of its own. */
  readonly spin: boolean;
  /** What is due so soon after the beginning is sent and not counted, s; default 0. */
  readonly leadSeconds?: number;
}

export type Load = ClosedLoop | OpenLoop;

/** What a generator is told to do. */
export interface Job {
  readonly target: Target;
  readonly load: Load;
  readonly seconds: number;
  /** Ends with this many requests if that comes first. */
  readonly maxRequests: number;
}

export interface Latencies {
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
}

/** In less than this an overloaded service shall refuse, ms. */
export const REFUSAL_AIM_MS = 10;

/** What came of a job. */
export interface Outcome {
  /** Answers with 200, all of them, also those that came after the time. */
  readonly answered: number;
  /** Other statuses, by status; 0 where the connection broke or no answer came. */
  readonly failures: Readonly<Record<number, number>>;
  /** Answers with 200 a second, within the time. */
  readonly perSecond: number;
  /** ms; of an open loop from the moment that the request was due. */
  readonly latency: Latencies;
  /** Of answers with 503, ms, counted likewise. */
  readonly refusedLatency: Latencies;
  /** Of the answers with 503, those that came in less than {@link REFUSAL_AIM_MS}, %; NaN where there are none. */
  readonly refusedInAimPercent: number;
  /** Answers with 503 a second, within the time. */
  readonly refusedPerSecond: number;
  /** So long at most (p99) after it was due a request of an open loop was sent, ms: the generator's own part of latencies. */
  readonly sentLateMs: number;
  /** Part of one core that the generator used: near 1 it was the bottleneck. */
  readonly generatorBusy: number;
}
