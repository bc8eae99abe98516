import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Target } from '../load/job.js';
import type { Bootstrap } from '../subjects/countersign.js';
import { json } from '../subjects/http.js';
import { checkRequests } from '../subjects/requests.js';
import { makeAgents } from '../throughput/subjects.js';
import type { Asked } from '../throughput/subjects.js';
import { ServiceUnderTest } from './service.js';
import type { BenchServers } from './servers.js';

const PROGRAM = fileURLToPath(new URL('../../../../services/standalone/bin/countersign.js', import.meta.url));

/** An installation of the distributed profile with an account and agents; no service is running. */
export interface BenchInstallation {
  readonly env: Readonly<Record<string, string>>;
  /** Target of a load on one of its gateways. */
  target(gateway: ServiceUnderTest): Target;
}

/** @param folder for its data directory */
export async function makeInstallation(
  servers: BenchServers,
  folder: string,
  asked?: Asked,
): Promise<BenchInstallation> {
  const env = {
    COUNTERSIGN_PROFILE: 'distributed',
    COUNTERSIGN_DATA_DIR: folder,
    COUNTERSIGN_ALLOW_SINGLE_BROKER: 'true',
    COUNTERSIGN_LOG_LEVEL: 'error',
    COUNTERSIGN_CHECK_DEADLINE_MS: '10000',
    // Required by policy; not used by anything that is measured.
    COUNTERSIGN_AUDIT_LOG_URL: 'http://127.0.0.1:9',
    ...servers.env,
  };
  const services = await ServiceUnderTest.start(['gateway', 'identity', 'policy'], { core: undefined, env });
  try {
    await services.ready();
    const { port } = new URL(services.baseUrl);
    const bootstrap = await makeAccount({ ...env, COUNTERSIGN_PORT: port });
    const agentIds = await makeAgents({ bootstrap, session: () => login(bootstrap) }, asked);
    return {
      env,
      target({ baseUrl }) {
        const url = new URL(baseUrl);
        const { apiKey } = bootstrap;
        const requests = checkRequests({ baseUrl, apiKey, agentIds }, asked?.payload);
        return { host: url.hostname, port: Number(url.port), requests };
      },
    };
  } finally {
    await services.stop();
  }
}

async function login({ baseUrl, email, password }: Bootstrap): Promise<{ readonly authorization: string }> {
  const { token } = await json<{ token: string }>(baseUrl, 'POST', '/v1/auth/login', {}, { email, password });
  return { authorization: `Bearer ${token}` };
}

function makeAccount(env: Readonly<Record<string, string>>): Promise<Bootstrap> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, 'admin', 'bootstrap'], {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve(JSON.parse(text) as Bootstrap);
      else reject(new Error(`admin bootstrap ended with ${String(code)}`));
    });
  });
}
