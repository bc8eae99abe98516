import type { InstallationState } from '@countersign/contracts';
import { number } from '../../words/en.js';
import { installationWords } from '../../words/installation.js';

export type Tone = 'good' | 'bad' | 'held' | 'plain';

/** Names of runbooks: files of the page. */
export type Runbook = 'anchors-late' | 'alerts-late' | 'checks-slow' | 'consumer-lag' | 'instance-down';

/** A figure, what it means, and what to do where it is bad. */
export interface Line {
  readonly name: string;
  readonly text: string;
  readonly tone: Tone;
  readonly runbook: Runbook;
}

/** Bounds beyond which a line is bad: those of the alert rules in deploy/prometheus/rules.yml. */
const SLOW_CHECK_SECONDS = 0.05;
const LATE_ALERT_SECONDS = 120;
const LATE_WINDOW_SECONDS = 7200;
export const LAG_MESSAGES = 50_000;
/** No rule has one for it: a check waits at least as long as the loop. */
const SLOW_LOOP_SECONDS = 0.25;

/** The figures of the installation as lines; one that was not read is `held`. */
export function linesOf(state: InstallationState): readonly Line[] {
  const { names } = installationWords;
  const { chainReachable, windowsWaiting, lastWindowAgeSeconds: age, alerts, checks, eventLoop } = state;
  const span = (name: string, seconds: number | null | undefined, most: number): Line =>
    seconds === null || seconds === undefined
      ? {
          name,
          text: checks === null ? installationWords.notRead : installationWords.noChecks,
          tone: 'held',
          runbook: 'checks-slow',
        }
      : { name, text: installationWords.span(seconds), tone: seconds > most ? 'bad' : 'good', runbook: 'checks-slow' };
  const of = (name: string, runbook: Runbook, read: readonly [text: string, tone: Tone] | null): Line => ({
    name,
    runbook,
    text: read?.[0] ?? installationWords.notRead,
    tone: read?.[1] ?? 'held',
  });
  // Instances of a service have names of their own, and its lag is of all of them.
  const apart = state.consumerLag.filter(({ service }) => state.services.every(({ name }) => name !== service));
  return [
    of(
      names.chain,
      'anchors-late',
      chainReachable === null
        ? null
        : chainReachable
          ? [installationWords.reachable, 'good']
          : [installationWords.unreachable, 'bad'],
    ),
    // While the chain is away they wait; what is bad is the chain.
    of(names.windows, 'anchors-late', windowsWaiting === null ? null : [number(windowsWaiting), 'plain']),
    of(
      names.window,
      'anchors-late',
      age === null ? null : [installationWords.ago(age), age > LATE_WINDOW_SECONDS ? 'bad' : 'good'],
    ),
    of(
      names.alerts,
      'alerts-late',
      alerts === null
        ? null
        : alerts.oldestDueSeconds === 0
          ? [installationWords.noAlerts, 'good']
          : [
              installationWords.due(alerts.oldestDueSeconds),
              alerts.oldestDueSeconds > LATE_ALERT_SECONDS ? 'bad' : 'good',
            ],
    ),
    ...apart.map(({ service, messages }) =>
      of(names.lag(service), 'consumer-lag', [number(messages), messages > LAG_MESSAGES ? 'bad' : 'good']),
    ),
    span(names.p50, checks?.p50Seconds, SLOW_CHECK_SECONDS),
    span(names.p95, checks?.p95Seconds, SLOW_CHECK_SECONDS),
    span(names.p99, checks?.p99Seconds, SLOW_CHECK_SECONDS),
    ...eventLoop.map(({ process, thread, p99Seconds }) =>
      span(names.loop(process, thread), p99Seconds, SLOW_LOOP_SECONDS),
    ),
  ];
}

/** The text that is copied: services and figures, each a line. */
export function figuresText(state: InstallationState): string {
  const lag = new Map(state.consumerLag.map(({ service, messages }) => [service, messages]));
  const services = state.services.map(({ name, state: one, waitingFor, problem }) =>
    [
      name,
      one,
      ...waitingFor,
      ...(problem === null ? [] : [problem]),
      ...(lag.has(name) ? [`lag ${lag.get(name)}`] : []),
    ].join('\t'),
  );
  return [state.asOf, ...services, ...linesOf(state).map(({ name, text }) => `${name}\t${text}`)].join('\n');
}
