import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { openEmbedded } from '../adapters/embedded.js';
import { createLogger, createRegistry, loadConfig } from '@countersign/process';
import type { Config } from '@countersign/process';
import { PeerRegistry } from '../service/peer-registry.js';
import type { ServiceDefinition } from '../service/definition.js';
import type { ServingThread } from '../service/serve-thread.js';
import { Waiting } from '../service/waiting.js';
import { serveProcess } from './serve-process.js';

@Module({})
class NothingModule {}

const log = createLogger('silent');
const interruption = new AbortController();
const waiting = new Waiting(log, interruption.signal);

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function status(port: number, path: string): Promise<number | string> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });
    await response.text();
    return response.status;
  } catch (error) {
    return ((error as Error).cause as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

async function until(port: number, path: string, wanted: number | string): Promise<void> {
  while ((await status(port, path)) !== wanted) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('a process with a port for its probes', () => {
  let folder: string;
  let config: Config;
  let probesPort: number;
  let missing: string[] = [];
  let starting: Promise<ServingThread>;
  let backends: Awaited<ReturnType<typeof openEmbedded>>;
  const definition: ServiceDefinition = {
    name: 'policy',
    routes: [],
    reads: [],
    writes: [],
    after: [],
    start: async () => ({ module: NothingModule, notReady: () => missing, stop: async () => undefined }),
  };
  const start = (): Promise<ServingThread> =>
    serveProcess([definition], {
      config,
      log,
      metrics: createRegistry('main', false),
      peers: new PeerRegistry(),
      clock: () => Date.now(),
      waiting,
      routes: [],
      backends: async () => backends,
    });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-probes-'));
    probesPort = await freePort();
    config = { ...loadConfig({ COUNTERSIGN_DATA_DIR: folder }), port: await freePort(), probesPort };
    backends = await openEmbedded(config, log);
  });
  afterAll(async () => {
    await backends.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('answers them at once, and opens the public port when it is ready', async () => {
    missing = ['is catching up'];
    starting = start();
    await until(probesPort, '/healthz', 200);
    const unready = await fetch(`http://127.0.0.1:${probesPort}/readyz`);
    expect(unready.status).toBe(503);
    expect(await status(config.port, '/healthz')).toBe('ECONNREFUSED');
    missing = ['is nearly there'];
    let said: unknown = null;
    while (JSON.stringify(said) !== '{"ready":false,"waitingFor":["policy: is nearly there"]}') {
      said = await (await fetch(`http://127.0.0.1:${probesPort}/readyz`)).json();
    }
    expect(await status(config.port, '/healthz')).toBe('ECONNREFUSED');
    missing = [];
    const { address } = await starting;
    expect(address).toBe(`http://127.0.0.1:${config.port}`);
    expect(await status(config.port, '/readyz')).toBe(200);
    expect(await status(probesPort, '/readyz')).toBe(200);
  }, 30_000);

  it('answers nothing else there', async () => {
    expect(await status(probesPort, '/metrics')).toBe(200);
    for (const path of ['/v1/openapi.json', '/v1/check', '/internal/event-archive/range', '/']) {
      expect([path, await status(probesPort, path)]).toEqual([path, 404]);
    }
    expect(await status(config.port, '/v1/openapi.json')).toBe(200);
    expect(await status(config.port, '/metrics')).toBe(404);
  });

  it('reports that it is not ready, serves for a while, and only then refuses connections', async () => {
    const serving = await starting;
    const closed = serving.closeIntake(1000);
    expect(await status(probesPort, '/readyz')).toBe(503);
    expect(await status(config.port, '/v1/openapi.json')).toBe(200);
    await closed;
    expect(await status(config.port, '/v1/openapi.json')).toBe('ECONNREFUSED');
    expect(await status(probesPort, '/healthz')).toBe(200);
    await serving.stop();
    expect(await status(probesPort, '/healthz')).toBe('ECONNREFUSED');
  }, 30_000);

  it('opens no public port, and leaves none open, if it ends before it is ready', async () => {
    missing = ['waits for ever'];
    const ended = start();
    await until(probesPort, '/readyz', 503);
    interruption.abort(new Error('stopping'));
    await expect(ended).rejects.toThrow('stopping');
    expect([await status(config.port, '/healthz'), await status(probesPort, '/healthz')]).toEqual([
      'ECONNREFUSED',
      'ECONNREFUSED',
    ]);
  }, 30_000);
});
