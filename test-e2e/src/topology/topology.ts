import { freePorts } from '#infra/processes/free-port.js';
import { checkAt, makeFirstAccount, sessionAt, type Bootstrap, type CheckOptions } from '../instance/first-account.js';
import type { Installation } from '../instance/installation.js';
import { send, type Answer, type RequestOptions } from '../instance/request.js';
import { EdgeProcess } from './edge-process.js';
import { ServiceProcess, type ServiceName } from './service-process.js';

const SERVICES: readonly ServiceName[] = [
  'gateway',
  'identity',
  'policy',
  'audit-log',
  'alerts',
  'anchoring',
  'reporting',
  'verification',
  'mcp',
  'console',
];
/** No scenario needs them unless it asks for them. */
const OPTIONAL: ReadonlySet<ServiceName> = new Set(['mcp', 'console']);
const FRONT: readonly ServiceName[] = SERVICES.filter((name) => name !== 'anchoring');

/** They use no session and no internal route: the instance secret is not mounted for them (deploy/). */
const WITHOUT_SECRET: ReadonlySet<ServiceName> = new Set(['verification', 'mcp', 'console']);
const NO_SECRET = { COUNTERSIGN_INSTANCE_SECRET_FILE: '/nonexistent/instance-secret' };

/** The discard port: nginx requires an address for each service. */
const NO_SERVER = '127.0.0.1:9';

export interface TopologyOptions {
  /** Number of instances by service; default one of each, and none of mcp and console. Reporting and verification may have none. */
  readonly instances?: Readonly<Partial<Record<ServiceName, number>>>;
  /** Services that run together in a single process: for tests that end others. */
  readonly together?: readonly ServiceName[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Every service in processes of its own behind the edge proxy, on an installation of the distributed profile. */
export class Topology {
  #bootstrap: Bootstrap | null = null;

  private constructor(
    readonly installation: Installation,
    readonly processes: readonly ServiceProcess[],
    readonly edge: EdgeProcess,
    readonly env: Readonly<Record<string, string>>,
  ) {}

  /** Starts all at once, in any order; resolves when each is ready and there is an account. */
  static async start(installation: Installation, options: TopologyOptions = {}): Promise<Topology> {
    const { instances = {}, together = [] } = options;
    const alone = SERVICES.filter((service) => !together.includes(service));
    const groups: readonly (readonly ServiceName[])[] = [
      ...alone.flatMap((service) =>
        Array.from({ length: instances[service] ?? (OPTIONAL.has(service) ? 0 : 1) }, () => [service]),
      ),
      ...(together.length > 0 ? [together] : []),
    ];
    const [edgePort = 0, ...ports] = await freePorts(2 * groups.length + 1);
    const first = (service: ServiceName): string =>
      `http://127.0.0.1:${ports[groups.findIndex((group) => group.includes(service))]}`;
    const env = {
      COUNTERSIGN_ANCHOR_WINDOW_SECONDS: '1',
      COUNTERSIGN_LOG_LEVEL: 'warn',
      COUNTERSIGN_CHECK_DEADLINE_MS: '10000',
      ...installation.env,
      COUNTERSIGN_BEHIND_EDGE: 'true',
      COUNTERSIGN_PUBLIC_URL: `http://127.0.0.1:${edgePort}`,
      COUNTERSIGN_IDENTITY_URL: first('identity'),
      COUNTERSIGN_POLICY_URL: first('policy'),
      COUNTERSIGN_AUDIT_LOG_URL: first('audit-log'),
      COUNTERSIGN_ANCHORING_URL: first('anchoring'),
      ...(instances.reporting === 0 ? {} : { COUNTERSIGN_REPORTING_URL: first('reporting') }),
      COUNTERSIGN_API_URL: `http://127.0.0.1:${edgePort}`,
      ...options.env,
    };
    const processes = groups.map((services, n) => {
      const own = services.every((service) => WITHOUT_SECRET.has(service)) ? { ...env, ...NO_SECRET } : env;
      return new ServiceProcess(services, ports[n] ?? 0, ports[groups.length + n] ?? 0, own);
    });
    const addresses = FRONT.map((name) => {
      const own = processes.filter(({ services }) => services.includes(name)).map(({ port }) => `127.0.0.1:${port}`);
      return [name, own.length === 0 ? [NO_SERVER] : own];
    });
    for (const process of processes) process.start();
    const edge = await EdgeProcess.start(edgePort, Object.fromEntries(addresses) as Record<string, string[]>).catch(
      async (error: unknown) => {
        await Promise.all(processes.map((process) => process.kill()));
        throw error;
      },
    );
    const topology = new Topology(installation, processes, edge, env);
    try {
      await topology.ready();
      topology.#bootstrap = await makeFirstAccount(env);
      return topology;
    } catch (error) {
      await topology.end();
      throw error;
    }
  }

  get bootstrap(): Bootstrap {
    if (this.#bootstrap === null) throw new Error('the topology has no account yet');
    return this.#bootstrap;
  }

  of(service: ServiceName): readonly ServiceProcess[] {
    return this.processes.filter(({ services }) => services.includes(service));
  }

  /** Resolves when all running processes are ready. */
  async ready(withinMs?: number): Promise<void> {
    const running = this.processes.filter((process) => process.runs);
    await Promise.all(running.map((process) => process.ready(withinMs)));
  }

  /** Through the edge. */
  request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    return send(this.edge.url, method, path, options);
  }

  /** A check with the first account's key and agent. */
  check(action: unknown, more: CheckOptions = {}): Promise<Answer> {
    return checkAt(this, action, more);
  }

  /** Headers of a new session of the first account's admin. */
  session(): Promise<{ readonly authorization: string }> {
    return sessionAt(this);
  }

  /** Sends SIGTERM to each; resolves with their exits. */
  async stop(): Promise<readonly { readonly service: string; readonly code: number | null }[]> {
    const running = this.processes.filter((process) => process.runs);
    return Promise.all(
      running.map(async (process) => ({ service: process.service, code: (await process.stop()).code })),
    );
  }

  /** Kills all running processes; the installation stays. */
  async end(): Promise<void> {
    await Promise.all(this.processes.filter((process) => process.runs).map((process) => process.kill()));
    await this.edge.stop();
  }
}
