import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { forgetGroup, guardFolder, guardGroup } from '#infra/processes/guard.js';
import { send } from '../instance/request.js';

const TEMPLATE = fileURLToPath(new URL('../../../deploy/edge/countersign.conf.template', import.meta.url));
const ANSWERS_WITHIN_MS = 60_000;

/** Addresses by service, several if it has several instances. */
export type Upstreams = Readonly<Record<string, readonly string[]>>;

/** nginx as shipped, in front of local processes. */
export class EdgeProcess {
  private constructor(
    readonly url: string,
    readonly child: ChildProcess,
    readonly folder: string,
  ) {}

  static isInstalled(): boolean {
    return spawnSync('nginx', ['-v']).status === 0;
  }

  static async start(port: number, upstreams: Upstreams): Promise<EdgeProcess> {
    const folder = mkdtempSync(join(tmpdir(), 'countersign-edge-'));
    writeFileSync(join(folder, 'nginx.conf'), configuration(folder, port, upstreams));
    const child = spawn('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], {
      stdio: ['ignore', 'ignore', 'inherit'],
      // A process group of its own: a killed master leaves its worker running.
      detached: true,
    });
    const { pid } = child;
    if (pid !== undefined) {
      guardGroup(pid);
      child.once('exit', () => forgetGroup(pid));
    }
    guardFolder(folder);
    const edge = new EdgeProcess(`http://127.0.0.1:${port}`, child, folder);
    const until = Date.now() + ANSWERS_WITHIN_MS;
    for (;;) {
      const answer = await send(edge.url, 'GET', '/v1/nothing', {}).catch(() => null);
      if (answer?.status === 404) return edge;
      if (Date.now() > until || child.exitCode !== null) {
        await edge.stop();
        throw new Error('nginx does not answer');
      }
      await sleep(25);
    }
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The shipped template has one server per service: others are added, like names with several addresses. */
function configuration(folder: string, port: number, upstreams: Upstreams): string {
  const variables: Record<string, string> = {
    EDGE_LISTEN: `127.0.0.1:${port}`,
    EDGE_RESOLVER: '127.0.0.1',
    EDGE_TRUSTED_PROXIES: '',
  };
  const addresses = new Map(
    Object.entries(upstreams).map(([service, own]) => [`EDGE_${service.toUpperCase().replaceAll('-', '_')}`, own]),
  );
  const site = readFileSync(TEMPLATE, 'utf8')
    .replaceAll(/server \$\{([A-Z_]+)\}([^;]*);/g, (whole, name: string, parameters: string) => {
      const own = addresses.get(name);
      return own === undefined ? whole : own.map((address) => `server ${address}${parameters};`).join(' ');
    })
    .replaceAll(/\$\{([A-Z_]+)\}/g, (whole, name: string) => variables[name] ?? whole);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((n) => `${n}_temp_path ${folder}/${n};`);
  return `daemon off; pid ${folder}/pid; error_log ${folder}/error.log warn; worker_processes 1;
events { worker_connections 4096; }
http { access_log off; ${temporary.join(' ')}
${site}
}
`;
}
