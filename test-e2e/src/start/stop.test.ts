import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Instance } from '../instance/instance.js';
import { eventually, send } from '../instance/request.js';

/** Sends a request with an unfinished body, so that it stays in flight for as long as a test needs. */
async function begin(
  instance: Instance,
  path: string,
  headers: Record<string, string>,
): Promise<{ readonly request: ClientRequest; readonly status: Promise<number> }> {
  const request = httpRequest(`${instance.bootstrap.baseUrl}${path}`, { method: 'POST', headers });
  const status = new Promise<number>((resolve, reject) => {
    request.on('response', (response: IncomingMessage) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
  });
  status.catch(() => undefined);
  request.write('{');
  await sleep(200);
  return { request, status };
}

describe('a stop', () => {
  let instance: Instance;
  beforeEach(async () => {
    // A check whose body arrives late must not exceed its deadline here.
    instance = await Instance.start({ env: { COUNTERSIGN_CHECK_DEADLINE_MS: '30000' } });
  }, 90_000);
  afterEach(() => instance.discard());

  it('finishes requests in flight in every thread, accepts no new ones, and ends with 0', async () => {
    const { apiKey, agentId, baseUrl } = instance.bootstrap;
    const check = await begin(instance, '/v1/check', { 'x-service-key': apiKey });
    const agent = await begin(instance, '/v1/agents', await instance.session());
    const ended = instance.stop();
    await eventually('no new connection', 30, () =>
      send(baseUrl, 'GET', '/healthz', { headers: { connection: 'close' } }).then(
        () => null,
        () => true,
      ),
    );
    expect(instance.child.exitCode).toBeNull();
    check.request.end(`"agentId":"${agentId}","action":{"type":"tool_use"}}`);
    agent.request.end('"name":"the last one"}');
    expect(await Promise.all([check.status, agent.status])).toEqual([200, 201]);
    expect(await ended).toEqual({ code: 0, signal: null });

    instance = await Instance.start({ dataDir: instance.dataDir });
    const headers = await instance.session();
    expect((await instance.request('GET', '/v1/agents', { headers })).text).toContain('the last one');
  }, 120_000);

  it('ends with 1 at once on a second signal', async () => {
    await begin(instance, '/v1/check', { 'x-service-key': instance.bootstrap.apiKey });
    instance.child.kill('SIGINT');
    await sleep(800);
    expect(instance.child.exitCode).toBeNull();
    const begun = Date.now();
    instance.child.kill('SIGINT');
    expect(await instance.ended).toEqual({ code: 1, signal: null });
    expect(Date.now() - begun).toBeLessThan(1000);
  }, 60_000);

  it('treats two simultaneous signals as one: npm forwards the signal that the terminal sent to both', async () => {
    instance.child.kill('SIGINT');
    await sleep(20);
    instance.child.kill('SIGINT');
    expect(await instance.ended).toEqual({ code: 0, signal: null });
  }, 60_000);
});

describe('a stop during the start', () => {
  it('ends with 0, and the next start succeeds', async () => {
    const dataDir = join(mkdtempSync(join(tmpdir(), 'countersign-e2e-')), 'data');
    const early = await Instance.start({ dataDir, wait: false });
    await eventually('the lock', 30, async () => (existsSync(join(dataDir, 'lock.json')) ? true : null));
    await sleep(300);
    expect(await early.stop()).toEqual({ code: 0, signal: null });
    const instance = await Instance.start({ dataDir });
    expect((await instance.check({ type: 'tool_use' })).status).toBe(200);
    await instance.discard();
  }, 120_000);
});

describe('a data directory with a path too long for a socket', () => {
  it('works nevertheless', async () => {
    const folder = mkdtempSync(join(tmpdir(), `countersign-e2e-${'long'.repeat(30)}-`));
    const instance = await Instance.start({ dataDir: join(folder, 'data') });
    expect((await instance.request('GET', '/v1/keys')).status).toBe(200);
    const sockets = readFileSync(join(instance.dataDir, 'socket-folder'), 'utf8');
    expect(readdirSync(sockets).sort()).toEqual(['admin.sock', 'services.sock']);
    expect(await instance.stop()).toEqual({ code: 0, signal: null });
    expect(existsSync(sockets)).toBe(false);
    await instance.discard();
  }, 90_000);
});
