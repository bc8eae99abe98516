import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { countersign } from '../instance/command.js';
import { Instance } from '../instance/instance.js';

describe('a first start', () => {
  let instance: Instance;
  beforeAll(async () => {
    instance = await Instance.start();
  }, 90_000);
  afterAll(() => instance.discard());

  it('prints its address and a command that works when pasted', async () => {
    expect(instance.output).toContain(`ready at ${instance.bootstrap.baseUrl}`);
    const line = /^ {2}(curl .*)$/m.exec(instance.output)?.[1] ?? '';
    const { stdout } = await promisify(execFile)('sh', ['-c', line]);
    expect(stdout).toBe('{"allowed":true}');
  });

  it('restricts every file and socket to its owner', () => {
    const open = readdirSync(instance.dataDir, { recursive: true, encoding: 'utf8' })
      .map((name) => join(instance.dataDir, name))
      .filter((path) => (statSync(path).mode & 0o077) !== 0);
    expect(open).toEqual([]);
  });

  it('refuses a second instance on its data directory and names the process that holds it', async () => {
    const second = await countersign(['start'], { COUNTERSIGN_DATA_DIR: instance.dataDir, COUNTERSIGN_PORT: '0' });
    expect([second.code, second.stdout]).toEqual([1, '']);
    expect(second.stderr).toContain(`process ${instance.child.pid}`);
    expect(second.stderr).toContain(instance.dataDir);
    expect(second.stderr.trim().split('\n')).toHaveLength(1);
    expect((await instance.request('GET', '/readyz')).status).toBe(200);
  }, 60_000);

  it('serves the whole API description and the metrics of all its threads', async () => {
    const document = (await instance.request('GET', '/v1/openapi.json')).json as { paths: object; info: object };
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/v1/check', '/v1/auth/login', '/v1/agents', '/v1/events', '/v1/keys', '/readyz']),
    );
    expect(document.info).toMatchObject({ version: '1.0.0' });
    const { paths } = document as unknown as { paths: Record<string, Record<string, { requestBody?: Body }>> };
    interface Shape {
      readonly properties?: object;
      readonly anyOf?: readonly Shape[];
    }
    interface Body {
      readonly content: Record<string, { readonly schema: Shape }>;
    }
    const membersOf = ({ properties = {}, anyOf = [] }: Shape): string[] => [
      ...Object.keys(properties),
      ...anyOf.flatMap(membersOf),
    ];
    for (const [path, operations] of Object.entries(paths)) {
      for (const { requestBody } of Object.values(operations)) {
        const shown = requestBody?.content['application/json']?.schema;
        if (requestBody !== undefined) expect([path, membersOf(shown ?? {})]).not.toEqual([path, []]);
      }
    }
    const { text } = await instance.request('GET', '/metrics');
    expect(text).toMatch(/countersign_event_loop_lag_seconds\{[^}]*thread="edge"/);
    expect(text).toMatch(/countersign_event_loop_lag_seconds\{[^}]*thread="services"/);
    expect(text.match(/^process_resident_memory_bytes /gm)).toHaveLength(1);
  });

  it('starts again after kill -9, with the same credentials', async () => {
    const before = instance.bootstrap;
    await instance.kill();
    instance = await Instance.start({ dataDir: instance.dataDir });
    expect(instance.bootstrap).toMatchObject({ apiKey: before.apiKey, password: before.password });
    expect((await instance.check({ type: 'tool_use' })).text).toBe('{"allowed":true}');
    expect(instance.output).not.toContain(before.apiKey);
  }, 90_000);
});

describe('a first start that is killed repeatedly', () => {
  it('ends with one account whose credentials are in bootstrap.json', async () => {
    const dataDir = join(mkdtempSync(join(tmpdir(), 'countersign-e2e-')), 'data');
    for (const afterMs of [900, 1600, 2300, 3000]) {
      const killed = await Instance.start({ dataDir, wait: false });
      await Promise.race([killed.ended, new Promise((resolve) => setTimeout(resolve, afterMs))]);
      await killed.kill();
    }
    const instance = await Instance.start({ dataDir });
    try {
      const headers = await instance.session();
      expect((await instance.request('GET', '/v1/agents', { headers })).json).toMatchObject({ total: 1 });
      expect((await instance.request('GET', '/v1/users', { headers })).json).toMatchObject({ total: 1 });
      expect((await instance.check({ type: 'tool_use' })).status).toBe(200);
      expect(readdirSync(dataDir).filter((name) => /pending|\.tmp$/.test(name))).toEqual([]);
    } finally {
      await instance.discard();
    }
  }, 120_000);
});

describe('a start that is refused', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-e2e-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const start = (env: Record<string, string>) =>
    countersign(['start'], { COUNTERSIGN_DATA_DIR: join(folder, 'data'), COUNTERSIGN_PORT: '0', ...env });

  it('names every unknown variable and every malformed value', async () => {
    const { code, stderr } = await start({
      COUNTERSIGN_PROT: '1',
      COUNTERSIGN_PORT: 'eighty',
      COUNTERSIGN_PROFILE: 'x',
    });
    expect(code).toBe(1);
    for (const name of ['COUNTERSIGN_PROT', 'COUNTERSIGN_PORT', 'COUNTERSIGN_PROFILE']) expect(stderr).toContain(name);
    expect(stderr).not.toContain('    at ');
  });

  it('names the missing settings of the distributed profile', async () => {
    const { code, stderr } = await start({ COUNTERSIGN_PROFILE: 'distributed', REDIS_URL: 'redis://127.0.0.1' });
    expect(code).toBe(1);
    for (const name of ['KAFKA_BROKERS', 'MONGODB_URI', 'SOLANA_RPC_URL'])
      expect(stderr).toContain(`${name} is missing`);
    expect(stderr).not.toContain('REDIS_URL is missing');
  });

  it('names the port that is taken', async () => {
    const blocker = createServer();
    await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
    const { port } = blocker.address() as AddressInfo;
    const { code, stderr } = await start({ COUNTERSIGN_PORT: String(port) });
    blocker.close();
    expect([code, stderr.includes(`port ${port} on 127.0.0.1 is in use`)]).toEqual([1, true]);
  }, 60_000);

  it('names a damaged bootstrap.json and leaves it unchanged', async () => {
    const dataDir = join(mkdtempSync(join(folder, 'damaged-')), 'data');
    execFileSync('mkdir', ['-m', '700', dataDir]);
    const file = join(dataDir, 'bootstrap.json');
    writeFileSync(file, '{"email":', { mode: 0o600 });
    const { code, stderr } = await start({ COUNTERSIGN_DATA_DIR: dataDir });
    expect([code, stderr.includes(`${file} is damaged`)]).toEqual([1, true]);
    expect(readFileSync(file, 'utf8')).toBe('{"email":');
  }, 60_000);
});
