import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startKafka } from '#infra/processes/kafka.js';
import { startMongo } from '#infra/processes/mongo.js';
import { startRedis } from '#infra/processes/redis.js';
import { countersign } from '../instance/command.js';
import { distributedInstallation } from '../instance/distributed.js';
import { eventually } from '../instance/request.js';
import { newAgents } from '../server-faults/whole.js';
import type { Session } from '../torture/recorded.js';
import { FAULTS, happen, type Fault } from './faults.js';
import { HistoriesLoad } from './load.js';
import { Random } from './random.js';
import { TwoGateways } from './two-gateways.js';

export interface HistoriesOptions {
  /** Number of checks that are answered. */
  readonly checks: number;
  readonly seed: number;
  readonly print?: (line: string) => void;
}

/** Output of `countersign verify --redecide --json`, as far as it is read here. */
interface Redecision {
  readonly totals: Readonly<Record<string, number>>;
  readonly agents: readonly {
    readonly agentId: string;
    readonly missing: number;
    readonly breaks: readonly object[];
  }[];
  readonly events: readonly {
    readonly eventId: string;
    readonly sequence: number;
    readonly verdict: string;
    readonly reason: string | null;
  }[];
}

export interface Histories {
  readonly answered: number;
  /** Checks of which no answer says whether they are recorded. */
  readonly open: number;
  readonly faults: Readonly<Record<Fault, number>>;
  /** Sums over the packages of all agents. */
  readonly totals: Readonly<Record<string, number>>;
  /** Verdicts that differ, balances that break, and answers that are recorded otherwise or not at all. */
  readonly wrong: readonly string[];
  /** Checks that are neither the same nor different, by reason. */
  readonly leftOut: Readonly<Record<string, number>>;
  /** Problems of packages, apart from re-decision. */
  readonly problems: readonly string[];
  /** Holds the packages. */
  readonly folder: string;
}

const AGENTS = 12;
/** At least that long, at most twice, after the fault before is over. */
const FAULT_EVERY_MS = 5_000;
/** The database of the tests lists some tens of events per second on a busy machine. */
const LISTED_WITHIN_S = 4 * 3_600;
const DEADLINE_MS = 3_000;
const STEPS = 10;

/**
 * Random checks over two gateways on Redis and Kafka, with changes of profiles, while gateways are killed, Redis is emptied and
 * restarted, and the broker is silent. Then every verdict is computed again from the exported packages.
 */
export async function histories({ checks, seed, print = () => undefined }: HistoriesOptions): Promise<Histories> {
  const random = new Random(seed);
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const [kafka, mongo, redis] = await Promise.all([startKafka(), startMongo(), startRedis()]);
    stops.unshift(() => Promise.all([kafka.stop(), mongo.stop(), redis.stop()]));
    const installation = await distributedInstallation({ kafka: kafka.brokers, mongo: mongo.uri, redis: redis.url });
    stops.unshift(() => installation.discard());
    const services = await TwoGateways.start(installation, {
      COUNTERSIGN_ANCHOR_WINDOW_SECONDS: '60',
      COUNTERSIGN_CHECK_DEADLINE_MS: String(DEADLINE_MS),
    });
    stops.unshift(() => services.end());
    const session = await services.session();
    const agentIds = await newAgents(services, session, AGENTS);
    const load = new HistoriesLoad(services, session, agentIds, random, checks);
    const { gateways } = services;
    const faults = await strike(load, { struck: { gateways, redis, kafka }, random, checks, print });
    print(
      `${load.answers.size} checks answered, ${load.open} open: ${JSON.stringify(Object.fromEntries(load.statuses))}`,
    );
    await listed(services, session, print);
    const folder = mkdtempSync(join(tmpdir(), 'countersign-histories-'));
    const { answers, open } = load;
    const redecided = await redecideAll(services, { session, agentIds, folder, answers, print });
    return { answered: answers.size, open, faults, folder, ...redecided };
  } finally {
    for (const stop of stops) await stop();
  }
}

async function strike(
  load: HistoriesLoad,
  {
    struck,
    random,
    checks,
    print,
  }: {
    readonly struck: Parameters<typeof happen>[1];
    readonly random: Random;
    readonly checks: number;
    readonly print: (line: string) => void;
  },
): Promise<Histories['faults']> {
  const counts = Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as Record<Fault, number>;
  let done = false;
  const running = load.end().finally(() => (done = true));
  let step = 1;
  for (let n = 0; !done; n += 1) {
    await Promise.race([running, sleep(FAULT_EVERY_MS + random.below(FAULT_EVERY_MS))]);
    if (done) break;
    // Each kind once, then by chance: mostly killed gateways.
    const fault = FAULTS[n] ?? (random.chance(0.5) ? 'gateway' : random.of(FAULTS));
    await happen(fault, struck, random);
    counts[fault] += 1;
    while (load.answers.size >= (step * checks) / STEPS)
      print(`${(step++ * checks) / STEPS} of ${checks} checks answered`);
  }
  await running;
  return counts;
}

/** Resolves when the list of events no longer grows. */
async function listed(services: TwoGateways, session: Session, print: (line: string) => void): Promise<void> {
  let last = -1;
  await eventually('no more events are listed', LISTED_WITHIN_S, async () => {
    await sleep(3_000);
    const { status, json } = await services.request('GET', '/v1/events?limit=1', { headers: session });
    const before = last;
    last = status === 200 ? (json as { total: number }).total : -1;
    return last >= 0 && last === before ? true : null;
  });
  print(`${last} events listed`);
}

interface ExportedEvent {
  readonly event: { readonly eventId: string; readonly allowed: boolean | null };
}

interface Exported {
  readonly session: Session;
  readonly agentIds: readonly string[];
  readonly folder: string;
  readonly answers: ReadonlyMap<string, boolean>;
  readonly print: (line: string) => void;
}

async function redecideAll(
  services: TwoGateways,
  { session, agentIds, folder, answers, print }: Exported,
): Promise<Pick<Histories, 'totals' | 'wrong' | 'leftOut' | 'problems'>> {
  const totals: Record<string, number> = {};
  const leftOut: Record<string, number> = {};
  const wrong: string[] = [];
  const problems: string[] = [];
  const recorded = new Set<string>();
  for (const agentId of agentIds) {
    const file = join(folder, `${agentId}.json`);
    const text = await exported(services, session, agentId);
    writeFileSync(file, text);
    for (const { event } of (JSON.parse(text) as { readonly events: readonly ExportedEvent[] }).events) {
      const allowed = answers.get(event.eventId);
      if (allowed === undefined) continue;
      recorded.add(event.eventId);
      if (allowed !== event.allowed) wrong.push(`${agentId}: ${event.eventId} was answered otherwise`);
    }
    const { code, stdout, stderr } = await countersign(['verify', file, '--redecide', '--json']);
    if (code !== 1 && code !== 2) throw new Error(`verify ended with ${String(code)}: ${stderr}`);
    const report = JSON.parse(stdout) as {
      readonly problems: readonly string[];
      readonly redecision: Redecision | null;
    };
    problems.push(...report.problems.map((problem) => `${agentId}: ${problem}`));
    if (report.redecision === null) throw new Error(`${file} cannot be decided again`);
    const { agents, events } = report.redecision;
    for (const [name, count] of Object.entries(report.redecision.totals)) totals[name] = (totals[name] ?? 0) + count;
    for (const event of events) {
      if (event.verdict === 'same') continue;
      if (event.verdict === 'different') wrong.push(`${agentId}: ${JSON.stringify(event)}`);
      const why = `${event.verdict} (${String(event.reason)})`;
      leftOut[why] = (leftOut[why] ?? 0) + 1;
    }
    for (const { breaks } of agents) wrong.push(...breaks.map((one) => `${agentId}: ${JSON.stringify(one)}`));
    print(`${agentId}: ${events.length} checks, ${wrong.length} wrong so far`);
  }
  for (const id of answers.keys()) if (!recorded.has(id)) wrong.push(`${id} was answered and is in no package`);
  return { totals, wrong, leftOut, problems };
}

async function exported(services: TwoGateways, session: Session, agentId: string): Promise<string> {
  const { status, text } = await services.request('POST', '/v1/events/export-signed', {
    headers: session,
    body: {
      ...{ agentIds: [agentId], format: 'json', frameworks: ['soc2'] },
      from: new Date(Date.now() - 86_400_000).toISOString(),
      to: new Date(Date.now() + 60_000).toISOString(),
    },
  });
  if (status !== 200) throw new Error(`export of ${agentId}: ${status} ${text}`);
  return text;
}
