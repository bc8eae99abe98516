import type { Api } from '../api-client/api.js';
import type { Action } from './read-actions.js';

export interface ReplayTarget {
  readonly api: Api;
  readonly apiKey: string;
  readonly agentId: string;
  /** Maximum number of concurrent checks. */
  readonly concurrency: number;
}

export interface ReplayResult {
  readonly checks: number;
  readonly allowed: number;
  /** By `violation_type` and rule, most frequent first. */
  readonly denied: readonly { readonly rule: string; readonly count: number }[];
  /** Answers other than 200, by status or error. */
  readonly refused: readonly { readonly reason: string; readonly count: number }[];
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly eventIds: readonly string[];
}

/** Sends every action as a check, in order, with at most `concurrency` in flight. */
export async function replay(
  actions: readonly Action[],
  target: ReplayTarget,
  progress: (done: number) => void,
): Promise<ReplayResult> {
  const denied = new Map<string, number>();
  const refused = new Map<string, number>();
  const latencies: number[] = [];
  const eventIds: string[] = [];
  let allowed = 0;
  let next = 0;
  const add = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
  const headers = { 'x-service-key': target.apiKey };
  const run = async (): Promise<void> => {
    while (next < actions.length) {
      const action = actions[next++]!;
      const started = performance.now();
      try {
        const answer = await target.api.send('POST', '/v1/check', headers, { agentId: target.agentId, action });
        latencies.push(performance.now() - started);
        const eventId = answer.headers['x-event-id'];
        if (typeof eventId === 'string') eventIds.push(eventId);
        if (answer.status !== 200) add(refused, `${answer.status} ${errorIn(answer.text)}`);
        else {
          const body = JSON.parse(answer.text) as { allowed: boolean; violation_type?: string; rule?: string };
          if (body.allowed) allowed += 1;
          else
            add(denied, [body.violation_type ?? 'denied', body.rule].filter((part) => part !== undefined).join('  '));
        }
      } catch (error) {
        add(refused, error instanceof Error ? error.message : 'no answer');
      }
      progress(latencies.length);
    }
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: Math.min(target.concurrency, actions.length) }, run));
  latencies.sort((a, b) => a - b);
  return {
    checks: actions.length,
    allowed,
    denied: ranked(denied).map(([rule, count]) => ({ rule, count })),
    refused: ranked(refused).map(([reason, count]) => ({ reason, count })),
    seconds: (performance.now() - started) / 1000,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    eventIds,
  };
}

function errorIn(text: string): string {
  try {
    const { error, reason } = JSON.parse(text) as { error?: unknown; reason?: unknown };
    const message = error ?? reason;
    return typeof message === 'string' ? message.slice(0, 120) : '';
  } catch {
    return '';
  }
}

function ranked(counts: ReadonlyMap<string, number>): [string, number][] {
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

/** Nearest rank of ascending values; 0 of none. */
export function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? 0;
}

/** The closing table. */
export function replayTable(result: ReplayResult): string {
  const deniedCount = result.denied.reduce((sum, { count }) => sum + count, 0);
  const refusedCount = result.refused.reduce((sum, { count }) => sum + count, 0);
  const rows: [string, string][] = [
    ['checks', String(result.checks)],
    ['allowed', String(result.allowed)],
    ['denied', String(deniedCount)],
    ...result.denied.map(({ rule, count }): [string, string] => [`  ${rule}`, String(count)]),
    ...(refusedCount === 0 ? [] : ([['not decided', String(refusedCount)]] as [string, string][])),
    ...result.refused.map(({ reason, count }): [string, string] => [`  ${reason}`, String(count)]),
    ['rate', `${Math.round(result.checks / Math.max(result.seconds, 0.001))}/s`],
    ['p50', `${result.p50.toFixed(1)} ms`],
    ['p99', `${result.p99.toFixed(1)} ms`],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return `${rows.map(([name, value]) => `${name.padEnd(width)}  ${value.padStart(8)}`).join('\n')}\n`;
}
