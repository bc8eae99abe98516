import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { guardGroup } from '#infra/processes/guard.js';
import type { Bootstrap } from '../instance/first-account.js';
import { send } from '../instance/request.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const COPIED = ['.config', 'deploy', 'libs', 'services', 'package.json', 'tsconfig.base.json'];

/** A clone after `npm ci`: nothing that a build writes is in it. */
function cloneWithoutBuild(folder: string): void {
  const isSource = (path: string): boolean => !['dist', 'node_modules'].includes(basename(path));
  for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true, filter: isSource });
  mkdirSync(join(folder, 'node_modules'));
  // The packages of the repository are linked by the start itself.
  for (const name of readdirSync(join(ROOT, 'node_modules')).filter((one) => one !== '@countersign')) {
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  for (const library of readdirSync(join(ROOT, 'libs'))) {
    const own = join('libs', library, 'node_modules');
    if (existsSync(join(ROOT, own))) symlinkSync(join(ROOT, own), join(folder, own));
  }
}

/** Paths of directories and files below a folder, without those of installed packages. */
function below(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? [path, ...below(path)] : [path];
    });
}

interface Started {
  readonly output: () => string;
  readonly bootstrap: Bootstrap;
  /** Ends it by a signal to npm. Resolves once no process holds its output any more, the instance included. */
  readonly end: () => Promise<void>;
}

describe('npm start', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-e2e-'));
    cloneWithoutBuild(folder);
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function start(...options: readonly string[]): Promise<Started> {
    const npm = spawn('npm', ['start', ...options], {
      cwd: folder,
      env: { ...process.env, COUNTERSIGN_DATA_DIR: join(folder, 'data'), COUNTERSIGN_PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, which ends with the tests.
      detached: true,
    });
    guardGroup(npm.pid!);
    let output = '';
    const closed = new Promise<void>((resolve) => npm.on('close', () => resolve()));
    const ready = new Promise<void>((resolve) => {
      for (const stream of [npm.stdout, npm.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          output += chunk.toString('utf8');
          if (output.includes('Stop it with Ctrl-C')) resolve();
        });
      }
    });
    await Promise.race([ready, closed]);
    if (!output.includes('Stop it with Ctrl-C')) throw new Error(`npm start ended: ${output}`);
    const bootstrap = JSON.parse(readFileSync(join(folder, 'data/bootstrap.json'), 'utf8')) as Bootstrap;
    const end = (): Promise<void> => {
      npm.kill('SIGTERM');
      return closed;
    };
    return { output: () => output, bootstrap, end };
  }

  /** A check is decided, and each page has its scripts. */
  async function answers({ baseUrl, apiKey, agentId }: Bootstrap): Promise<void> {
    const action = { type: 'http_call', url: 'https://api.example.com/v1/orders' };
    const headers = { 'x-service-key': apiKey };
    const { json } = await send(baseUrl, 'POST', '/v1/check', { headers, body: { agentId, action } });
    expect(json).toEqual({ allowed: true });
    const textOf = async (path: string): Promise<string> => {
      const { status, text } = await send(baseUrl, 'GET', path, {});
      expect([path, status]).toEqual([path, 200]);
      return text;
    };
    for (const page of ['/console', '/verify', '/docs']) {
      const scripts = [...(await textOf(page)).matchAll(/(?:src|href)="([^"]+\.js)"/g)].map(([, path]) => path!);
      expect(scripts.length).toBeGreaterThan(0);
      for (const path of scripts) await textOf(`/${path}`);
    }
    for (const name of ['worker.js', 'evidence.js', 'redecide.js', 'sql-parser.js', 'libpg-query.wasm']) {
      await textOf(`/verify/${name}`);
    }
  }

  it('makes what it needs from the sources, and forwards a signal to the instance, which drains and ends', async () => {
    const { output, bootstrap, end } = await start();
    await answers(bootstrap);
    expect(below(folder).filter((path) => path.endsWith('dist/index.js'))).toEqual([]);
    await end();
    expect(output()).toContain('"msg":"stopping"');
    expect(output()).not.toContain('"level":"error"');
  }, 120_000);

  it('runs where the sources are not, as in the image', async () => {
    const sources = below(folder).filter((path) => basename(path) === 'src');
    expect(sources.length).toBeGreaterThan(20);
    for (const path of sources) rmSync(path, { recursive: true });
    const { output, bootstrap, end } = await start('--ignore-scripts');
    await answers(bootstrap);
    await end();
    expect(output()).not.toContain('"level":"error"');
  }, 60_000);
});
