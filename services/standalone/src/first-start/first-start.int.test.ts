import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FirstAccount } from '@countersign/service-kit';
import { isWellFormedApiKey } from '@countersign/process';
import { BootstrapDamaged, readBootstrap, writeBootstrap } from './bootstrap-file.js';
import { ensureFirstStart, type FirstStartCalls } from './first-start.js';

const ADDRESSES = {
  baseUrl: 'http://127.0.0.1:1',
  mcpUrl: 'http://127.0.0.1:1/mcp',
  solanaRpcUrl: 'http://127.0.0.1:2',
};

class Services implements FirstStartCalls {
  readonly accounts = new Map<string, FirstAccount>();
  readonly agents = new Set<string>();
  failAt: 'account' | 'agent' | null = null;

  async hasAccount(): Promise<boolean> {
    return this.accounts.size > 0;
  }
  async createAccount(first: FirstAccount): Promise<void> {
    if (this.failAt === 'account') throw new Error('killed');
    if (!this.accounts.has(first.accountId)) this.accounts.set(first.accountId, first);
  }
  async createAgent({ agentId }: { readonly agentId: string }): Promise<void> {
    if (this.failAt === 'agent') throw new Error('killed');
    this.agents.add(agentId);
  }
}

describe('the first start', () => {
  let dataDir: string;
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'countersign-first-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  it('refuses credentials that were changed or cannot be read, and leaves them unchanged', async () => {
    const { credentials } = await ensureFirstStart(dataDir, new Services());
    await writeBootstrap(dataDir, ADDRESSES, credentials!);
    const file = join(dataDir, 'bootstrap.json');
    const { apiKey } = credentials!;
    const other = apiKey.slice(0, -1) + (apiKey.endsWith('0') ? '1' : '0');
    const wrong = readFileSync(file, 'utf8').replace(apiKey, other);
    writeFileSync(file, wrong);
    await expect(readBootstrap(dataDir)).rejects.toThrow(BootstrapDamaged);
    await expect(readBootstrap(dataDir)).rejects.toThrow(`${file} is damaged: its apiKey is no API key`);
    expect(readFileSync(file, 'utf8')).toBe(wrong);
    rmSync(file);
    mkdirSync(file);
    await expect(readBootstrap(dataDir)).rejects.toThrow(`${file} cannot be read (EISDIR)`);
  });

  it('makes one account, and later starts make none', async () => {
    const services = new Services();
    const first = await ensureFirstStart(dataDir, services);
    expect(first.isFirst).toBe(true);
    expect(isWellFormedApiKey(first.credentials!.apiKey)).toBe(true);
    await writeBootstrap(dataDir, ADDRESSES, first.credentials!);
    expect(readdirSync(dataDir)).toEqual(['bootstrap.json']);
    expect(statSync(join(dataDir, 'bootstrap.json')).mode & 0o777).toBe(0o600);
    const again = await ensureFirstStart(dataDir, services);
    expect(again).toMatchObject({ isFirst: false, credentials: { apiKey: first.credentials!.apiKey } });
    expect([services.accounts.size, services.agents.size]).toEqual([1, 1]);
  });

  it.each(['account', 'agent'] as const)(
    'continues with the same credentials after a crash before the %s',
    async (step) => {
      const services = new Services();
      services.failAt = step;
      await expect(ensureFirstStart(dataDir, services)).rejects.toThrow('killed');
      const known = [...services.accounts.values()];
      services.failAt = null;
      const { credentials } = await ensureFirstStart(dataDir, services);
      const account = services.accounts.get(credentials!.accountId)!;
      expect([services.accounts.size, services.agents.size]).toEqual([1, 1]);
      expect(account).toMatchObject({
        apiKey: credentials!.apiKey,
        password: credentials!.password,
        plan: 'enterprise',
      });
      for (const earlier of known) expect(earlier).toEqual(account);
    },
  );

  it('continues after a crash between the account and bootstrap.json', async () => {
    const services = new Services();
    const { credentials } = await ensureFirstStart(dataDir, services);
    const again = await ensureFirstStart(dataDir, services);
    expect(again.credentials).toEqual(credentials);
    expect(services.accounts.size).toBe(1);
  });

  it('creates no second account if bootstrap.json is missing', async () => {
    const services = new Services();
    const { credentials } = await ensureFirstStart(dataDir, services);
    await writeBootstrap(dataDir, ADDRESSES, credentials!);
    rmSync(join(dataDir, 'bootstrap.json'));
    expect(await ensureFirstStart(dataDir, services)).toEqual({ credentials: null, isFirst: false });
    expect(await readBootstrap(dataDir)).toBeNull();
  });
});
