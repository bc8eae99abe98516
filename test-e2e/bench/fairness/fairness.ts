import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Outcome, Target } from '../load/job.js';
import { LoadGenerator } from '../load/load-generator.js';
import { median } from '../load/samples.js';
import type { BenchOptions } from '../options.js';
import { Countersign, setPlan, temporaryFolder } from '../subjects/countersign.js';
import { json, open } from '../subjects/http.js';
import { canPin } from '../subjects/program.js';
import { MAX_REQUESTS } from '../throughput/measure.js';
import { makeAgents, targetOf } from '../throughput/subjects.js';

const GATEWAY_CORE = 0;
const OTHERS_CORE = 1;
const TIMES = 10;
const CEILING_CONNECTIONS = 64;
const FLOOD_CONNECTIONS = 4096;
/** Load of the account that keeps to its share. */
const SMALL_LOAD = { perSecond: 100, connections: 64 } as const;
/** The flood does not delay the sending of the other account's checks: in reality another machine sends it. */
const FLOOD_NICE = 10;
/** The flood begins this long before the other account is measured, and continues as long after it, s. */
const LEAD_SECONDS = 2;

interface Measured {
  readonly load: string;
  readonly floodPerSecond: number;
  readonly floodAllowedPerSecond: number;
  readonly sent: number;
  readonly allowed: number;
  readonly outcome: Outcome;
}

/** Prints what becomes of one account's checks while another sends ten times what the gateway can decide. */
export async function fairness(options: BenchOptions, print: (line: string) => void): Promise<void> {
  const pinned = canPin();
  if (!pinned) print('taskset is missing: nothing is bound to a core');
  const cores = pinned ? { gateway: GATEWAY_CORE, others: OTHERS_CORE } : {};
  const folder = await temporaryFolder();
  const flood = new LoadGenerator(cores.others, FLOOD_NICE);
  const small = new LoadGenerator(cores.others);
  let gateway: Countersign | null = null;
  try {
    const { instance, flooding, keeping } = await startWithTwoAccounts(join(folder.path, 'data'), cores.gateway);
    gateway = instance;
    const measured: Measured[] = [];
    for (let repetition = 1; repetition <= options.repetitions; repetition += 1) {
      print(`${repetition} of ${options.repetitions}`);
      const ceiling = await flood.run({
        target: flooding,
        maxRequests: MAX_REQUESTS,
        seconds: options.seconds,
        load: { kind: 'closed', connections: CEILING_CONNECTIONS },
      });
      measured.push(measuredOf('alone', await keep(small, keeping, options.seconds, LEAD_SECONDS), null, 0));
      const perSecond = Math.round(ceiling.perSecond * TIMES);
      const seconds = options.seconds + 2 * LEAD_SECONDS;
      const flooded = flood.run({
        target: flooding,
        maxRequests: MAX_REQUESTS,
        seconds,
        load: { kind: 'open', perSecond, connections: FLOOD_CONNECTIONS, spin: false },
      });
      const before = await countsOf(instance);
      const kept = await keep(small, keeping, options.seconds, LEAD_SECONDS);
      measured.push(measuredOf(`${TIMES}x flood`, kept, await flooded, seconds));
      print(
        `answers by status, and those that were shed by their reason: ${countedSince(before, await countsOf(instance))}`,
      );
    }
    print(`\n${table(measured)}\n\n${LEGEND}`);
  } finally {
    flood.stop();
    small.stop();
    await gateway?.stop().catch(() => undefined);
    await folder.remove();
  }
}

async function startWithTwoAccounts(
  dataDir: string,
  core: number | undefined,
): Promise<{ readonly instance: Countersign; readonly flooding: Target; readonly keeping: Target }> {
  const whole = await Countersign.start({ dataDir, core });
  const floodingAgents = await makeAgents(whole);
  const other = await register(whole, dataDir);
  const keepingAgents = await makeAgents(other);
  await whole.stop();
  const instance = await Countersign.start({ dataDir, core, gatewayOnly: true });
  const { bootstrap } = instance;
  return {
    instance,
    flooding: targetOf(instance, floodingAgents),
    keeping: targetOf({ bootstrap: { ...bootstrap, apiKey: other.bootstrap.apiKey } }, keepingAgents),
  };
}

/** Another account, without a cap on its checks. */
async function register(whole: Countersign, dataDir: string): Promise<Pick<Countersign, 'bootstrap' | 'session'>> {
  const { baseUrl } = whole.bootstrap;
  const login = { email: `other-${randomUUID()}@example.com`, password: 'a long enough password' };
  const body = { ...login, accountName: 'Other' };
  const { token } = await json<{ token: string }>(baseUrl, 'POST', '/v1/auth/register', {}, body);
  const authorization = `Bearer ${token}`;
  const { id } = await json<{ id: string }>(baseUrl, 'GET', '/v1/account', { authorization });
  await setPlan(dataDir, id, 'enterprise');
  const { key } = await json<{ key: string }>(baseUrl, 'POST', '/v1/api-keys', { authorization }, { name: 'other' });
  return {
    bootstrap: { ...whole.bootstrap, ...login, apiKey: key },
    session: () => Promise.resolve({ authorization }),
  };
}

function keep(generator: LoadGenerator, target: Target, seconds: number, leadSeconds = 0): Promise<Outcome> {
  return generator.run({
    target,
    maxRequests: MAX_REQUESTS,
    seconds: seconds + leadSeconds,
    load: { kind: 'open', ...SMALL_LOAD, spin: false, leadSeconds },
  });
}

function measuredOf(load: string, outcome: Outcome, flooded: Outcome | null, seconds: number): Measured {
  const failed = failuresOf(outcome);
  const floodAnswers = flooded === null ? 0 : flooded.answered + failuresOf(flooded);
  return {
    load,
    floodPerSecond: flooded === null ? 0 : floodAnswers / seconds,
    floodAllowedPerSecond: flooded === null ? 0 : flooded.answered / seconds,
    sent: outcome.answered + failed,
    allowed: outcome.answered,
    outcome,
  };
}

/** Checks that were answered, by status, and those of them that were refused unread, by the reason. */
async function countsOf({ bootstrap: { baseUrl } }: Countersign): Promise<ReadonlyMap<string, number>> {
  const { stream } = await open(baseUrl, 'GET', '/metrics', {});
  let text = '';
  for await (const part of stream) text += String(part);
  const lines = text.matchAll(/^countersign_check\w*_total\{[^}]*(?:reason|status)="([0-9a-z_]+)"[^}]*\} (\d+)$/gm);
  return new Map([...lines].map(([, reason, count]) => [reason!, Number(count)]));
}

function countedSince(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): string {
  const more = [...after].map(([reason, count]) => [reason, count - (before.get(reason) ?? 0)] as const);
  const some = more.filter(([, count]) => count > 0).map(([reason, count]) => `${reason} ${count}`);
  return some.join(', ') || 'none';
}

function failuresOf({ failures }: Outcome): number {
  return Object.values(failures).reduce((sum, count) => sum + count, 0);
}

const LEGEND = `flood/s, allowed/s: requests of the flooding account that came to an end, and those of them that were decided
sent, success %, others: of the account that keeps to ${SMALL_LOAD.perSecond} checks a second, over all repetitions
p50, p99: of its decided checks, from the moment that they were due, ms; medians of the repetitions; both generators share a core
`;

function table(all: readonly Measured[]): string {
  const head = 'load           flood/s  allowed/s     sent  success %    p50    p99    late  others';
  const lines = [...new Set(all.map(({ load }) => load))].map((load) => {
    const of = all.filter((one) => one.load === load);
    const sum = (figure: (one: Measured) => number): number => of.reduce((total, one) => total + figure(one), 0);
    const middle = (figure: (one: Measured) => number): number => median(of.map(figure));
    const others: Record<string, number> = {};
    for (const { outcome } of of) {
      for (const [status, count] of Object.entries(outcome.failures)) others[status] = (others[status] ?? 0) + count;
    }
    return [
      load.padEnd(12),
      middle(({ floodPerSecond }) => floodPerSecond)
        .toFixed(0)
        .padStart(9),
      middle(({ floodAllowedPerSecond }) => floodAllowedPerSecond)
        .toFixed(0)
        .padStart(10),
      String(sum(({ sent }) => sent)).padStart(8),
      ((100 * sum(({ allowed }) => allowed)) / sum(({ sent }) => sent)).toFixed(3).padStart(10),
      middle(({ outcome }) => outcome.latency.p50)
        .toFixed(1)
        .padStart(6),
      middle(({ outcome }) => outcome.latency.p99)
        .toFixed(1)
        .padStart(6),
      middle(({ outcome }) => outcome.sentLateMs)
        .toFixed(1)
        .padStart(7),
      JSON.stringify(others),
    ].join(' ');
  });
  return [head, ...lines].join('\n');
}
