import { freePorts } from '#infra/processes/free-port.js';
import { makeFirstAccount, sessionAt, type Bootstrap } from '../instance/first-account.js';
import type { Installation } from '../instance/installation.js';
import { send, type Answer, type RequestOptions } from '../instance/request.js';
import { ServiceProcess } from '../topology/service-process.js';

/** Two gateways in processes of their own, which are asked directly, and all other services in one more. */
export class TwoGateways {
  private constructor(
    readonly gateways: readonly ServiceProcess[],
    readonly rest: ServiceProcess,
    readonly bootstrap: Bootstrap,
  ) {}

  /** Resolves when all are ready and there is an account. */
  static async start(installation: Installation, more: Readonly<Record<string, string>>): Promise<TwoGateways> {
    const [first = 0, second = 0, rest = 0, ...probes] = await freePorts(6);
    const url = `http://127.0.0.1:${rest}`;
    const env = {
      COUNTERSIGN_LOG_LEVEL: 'warn',
      ...installation.env,
      COUNTERSIGN_PUBLIC_URL: url,
      COUNTERSIGN_API_URL: url,
      COUNTERSIGN_IDENTITY_URL: url,
      COUNTERSIGN_POLICY_URL: url,
      COUNTERSIGN_AUDIT_LOG_URL: url,
      COUNTERSIGN_ANCHORING_URL: url,
      ...more,
    };
    const [a = 0, b = 0, c = 0] = probes;
    const others = ['identity', 'policy', 'audit-log', 'alerts', 'anchoring', 'reporting'] as const;
    const gateways = [new ServiceProcess(['gateway'], first, a, env), new ServiceProcess(['gateway'], second, b, env)];
    const processes = [...gateways, new ServiceProcess(others, rest, c, env)];
    try {
      for (const process of processes) process.start();
      await Promise.all(processes.map((process) => process.ready()));
      return new TwoGateways(gateways, processes[2]!, await makeFirstAccount(env));
    } catch (error) {
      await Promise.all(processes.map((process) => process.kill()));
      throw error;
    }
  }

  /** To one of the services that are not gateways. */
  request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    return send(this.rest.url, method, path, options);
  }

  /** Headers of a new session of the first account's admin. */
  session(): Promise<{ readonly authorization: string }> {
    return sessionAt(this);
  }

  /** Kills all processes; the installation stays. */
  async end(): Promise<void> {
    await Promise.all([...this.gateways, this.rest].map((process) => process.kill()));
  }
}
