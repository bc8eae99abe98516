import { setTimeout as sleep } from 'node:timers/promises';
import { distributedInstallation, missingServers } from '../instance/distributed.js';
import type { Installation } from '../instance/installation.js';
import type { Asked } from '../instance/instance.js';
import { eventually, send } from '../instance/request.js';
import { settled } from '../server-faults/whole.js';
import type { SteadyLoad, TimedAttempt } from '../server-faults/steady-load.js';
import { EdgeProcess } from '../topology/edge-process.js';
import type { ServiceProcess } from '../topology/service-process.js';
import { Topology, type TopologyOptions } from '../topology/topology.js';
import { isRecorded } from '../torture/load.js';
import type { Session } from '../torture/recorded.js';

/** An idle machine needs a second or two. */
const FOLLOWS_WITHIN_S = 120;

/** Enough for each partition of the events to have some. */
export const MANY_AGENTS = 16;
const SOME_AGENTS = 6;

const missing = [...missingServers(), ...(EdgeProcess.isInstalled() ? [] : ['nginx'])];
if (missing.length > 0 && process.env['COUNTERSIGN_TEST_INFRA'] === 'required') {
  throw new Error(`COUNTERSIGN_TEST_INFRA=required, and these are missing: ${missing.join(', ')}`);
}

/** `describe`, or without servers a skipped one whose name lists them. */
export function onTopology(what: string, tests: () => void): void {
  if (missing.length === 0) describe(what, tests);
  else describe.skip(`${what} (needs ${missing.join(', ')})`, tests);
}

/** A topology for repeated faults in one test file, and all answers that its callers got. */
export class FaultyTopology {
  readonly #attempts: TimedAttempt[] = [];

  private constructor(
    readonly installation: Installation,
    readonly topology: Topology,
    readonly session: Session,
    readonly agentIds: readonly string[],
  ) {}

  static async start(
    { agents = SOME_AGENTS, ...options }: TopologyOptions & { readonly agents?: number },
    installation?: Installation,
  ): Promise<FaultyTopology> {
    const installed = installation ?? (await distributedInstallation());
    let topology: Topology | null = null;
    try {
      topology = await Topology.start(installed, options);
      const session = await topology.session();
      return new FaultyTopology(installed, topology, session, await newAgents(topology, session, agents));
    } catch (error) {
      await topology?.end();
      await installed.discard();
      throw error;
    }
  }

  /**
   * Ends a load; its answers count from now on.
   * @param counts selects the counted ones; the edge does not know the result of open requests of a killed gateway
   */
  async end(
    load: SteadyLoad,
    counts: (attempt: TimedAttempt) => boolean = () => true,
  ): Promise<readonly TimedAttempt[]> {
    const attempts = await load.stop();
    this.#attempts.push(...attempts.filter(counts));
    return attempts;
  }

  /** The list has every answered check once, and no sequence has a gap. */
  async whole(through: Asked = this.topology): Promise<void> {
    const expected = this.#attempts.filter(isRecorded).length;
    let last = -1;
    // Waits for a stable number: pages of a growing list overlap.
    await eventually('as many events are listed as were answered, and no more come', FOLLOWS_WITHIN_S, async () => {
      const before = last;
      const { status, json } = await through.request('GET', '/v1/events?limit=1', { headers: this.session });
      last = status === 200 ? (json as { total: number }).total : -1;
      if (last >= expected && last === before) return true;
      await sleep(1000);
      return null;
    });
    const { problems } = await settled(through, this.session, this.#attempts);
    expect(problems).toEqual([]);
  }

  async discard(): Promise<void> {
    await this.topology.end();
    await this.installation.discard();
  }
}

/** Creates agents of the first account one after the other, to limit the load on the machine. */
async function newAgents(topology: Topology, session: Session, count: number): Promise<readonly string[]> {
  const made: string[] = [];
  for (let n = 0; n < count; n += 1) {
    const id = await eventually('an agent is made', 60, async () => {
      const body = { name: `agent ${n}` };
      const { status, json } = await topology.request('POST', '/v1/agents', { headers: session, body });
      return status === 201 ? (json as { id: string }).id : null;
    });
    made.push(id);
  }
  return made;
}

/** One process, called without the edge. */
export function directly(topology: Topology, process: ServiceProcess): Asked {
  const request: Asked['request'] = (method, path, options = {}) => send(process.url, method, path, options);
  return {
    bootstrap: topology.bootstrap,
    request,
    check: (action, { agentId = topology.bootstrap.agentId, headers = {} } = {}) =>
      request('POST', '/v1/check', {
        headers: { 'x-service-key': topology.bootstrap.apiKey, ...headers },
        body: { agentId, action },
      }),
  };
}

/** The values of one metric by its labels, as written; empty if the process does not answer. */
export async function metric(process: ServiceProcess, name: string): Promise<ReadonlyMap<string, number>> {
  const answer = await send(process.probesUrl, 'GET', '/metrics', {}).catch(() => null);
  const lines = (answer?.text ?? '').split('\n').filter((line) => line.startsWith(name));
  return new Map(
    lines.flatMap((line) => {
      const [, labels = '', value] = /^[a-z_]+(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      return value === undefined ? [] : [[labels, Number(value)] as const];
    }),
  );
}

/** Number of partitions of the events that a process of audit-log reads now. */
export async function partitionsOf(process: ServiceProcess): Promise<number> {
  const lag = await metric(process, 'countersign_consumer_lag_messages');
  return [...lag.keys()].filter((labels) => labels.includes('partition="agent-events/')).length;
}

/** Resolves when these, and no others of the group, read all partitions of the events, each at least one. */
export async function sharedAmong(processes: readonly ServiceProcess[], seconds: number): Promise<void> {
  await eventually(`${processes.length} instances share all partitions`, seconds, async () => {
    const counts = await Promise.all(processes.map(partitionsOf));
    const all = counts.reduce((sum, count) => sum + count, 0);
    return all === EVENT_PARTITIONS && counts.every((count) => count > 0) ? true : null;
  });
}

const EVENT_PARTITIONS = 12;

/** Kills it, waits, and starts it on the same address; resolves when it is ready. */
export async function killAndStart(process: ServiceProcess, awayMs = 300): Promise<void> {
  await process.kill();
  await sleep(awayMs);
  process.start();
  await process.ready();
}
