import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { SolanaChain } from '../../solana/solana-chain.js';
import { newKey, rpc, TestBench } from '../fixtures.test-kit.js';
import { startLocalnetInWorker } from '../start-in-worker.js';
import { startLocalnet } from '../start.js';
import { readLedger } from './read-ledger.js';

const bench = new TestBench();
afterAll(() => bench.end());

/** A ledger with a funded key and a few memos. */
async function filled(memos: readonly string[]) {
  const localnet = await startLocalnet({ dir: bench.dir(), port: 0, finalityMs: 0 });
  const dir = bench.dir();
  await localnet.close();
  const again = await startLocalnet({ dir, port: 0, finalityMs: 0 });
  const chain = new SolanaChain({ urls: again.rpcUrl });
  const key = newKey();
  const signatures = [await chain.requestAirdrop(key.publicKey, 1e10)];
  for (const memo of memos) {
    const prepared = await chain.prepareMemo(memo, key);
    await chain.send(prepared.wire);
    signatures.push(prepared.signature);
  }
  const balance = await chain.balance(key.publicKey);
  await chain.close();
  await again.close();
  return { dir, key, signatures, balance, genesisHash: again.genesisHash };
}

describe('the ledger', () => {
  it('keeps everything over a restart: genesis, transactions, balances, duplicates', async () => {
    const before = await filled(['first', 'second']);
    const { rpcUrl, genesisHash } = await bench.localnet({ dir: before.dir, finalityMs: 0 });
    expect(genesisHash).toBe(before.genesisHash);
    const chain = bench.closes(new SolanaChain({ urls: rpcUrl }));
    expect(await chain.balance(before.key.publicKey)).toBe(before.balance);
    for (const signature of before.signatures) {
      expect(await chain.transaction(signature)).toMatchObject({ signature, succeeded: true });
    }
    const slots = (await Promise.all(before.signatures.map((one) => chain.transaction(one)))).map((one) => one?.slot);
    expect(await chain.blockHeight('processed')).toBeGreaterThan(Math.max(...slots.map(Number)));
    const prepared = await chain.prepareMemo('third', before.key);
    await chain.send(prepared.wire);
    expect(await chain.transaction(prepared.signature)).toMatchObject({ memos: ['third'] });
  });

  it('can be read without a network, and beside one', async () => {
    const { dir, key, signatures, genesisHash } = await filled(['first', 'second']);
    const check = () => {
      const ledger = readLedger(dir);
      expect(ledger?.genesisHash).toBe(genesisHash);
      expect(ledger?.count()).toBe(3);
      expect(ledger?.firstBroken()).toBeNull();
      expect([...(ledger?.transactions() ?? [])].map(({ signature }) => signature)).toEqual(signatures);
      expect(ledger?.transaction(signatures[1] ?? '')).toMatchObject({
        sequence: 2,
        memos: ['first'],
        signers: [key.publicKey],
        feePayer: key.publicKey,
        succeeded: true,
        err: null,
      });
      expect(ledger?.transaction('unknown')).toBeNull();
      ledger?.close();
    };
    check();
    await bench.localnet({ dir });
    check();
    expect(readLedger(bench.dir())).toBeNull();
  });

  it('locks out others, in this process, another thread or another process', async () => {
    const { dir } = await bench.localnet();
    await expect(startLocalnet({ dir, port: 0 })).rejects.toMatchObject({ name: 'LedgerLocked', path: dir });
    await expect(startLocalnetInWorker({ dir, port: 0 })).rejects.toMatchObject({ name: 'LedgerLocked' });
    const child = runNetwork(dir);
    expect(await child.firstLine()).toContain('LedgerLocked');
    await child.kill();
  });

  it.each([
    [
      'is not a database',
      (path: string) => writeFileSync(path, 'something else, and more than a hundred bytes: '.repeat(99)),
    ],
    ['is empty', (path: string) => writeFileSync(path, '')],
    ['was cut short', (path: string) => truncateSync(path, statSync(path).size - 5_000)],
    ['has a flipped page', (path: string) => flip(path, 0.5)],
    ['has a header of nonsense', (path: string) => flip(path, 0)],
    ['belongs to another program', (path: string) => change(path, 'PRAGMA application_id = 7')],
    ['has a newer format', (path: string) => change(path, 'PRAGMA user_version = 99')],
    ['has lost its genesis', (path: string) => change(path, "DELETE FROM meta WHERE key = 'genesisHash'")],
    ['has a changed memo', (path: string) => change(path, `UPDATE transactions SET memos = '["x"]' WHERE seq = 2`)],
    ['has lost a transaction', (path: string) => change(path, 'DELETE FROM transactions WHERE seq = 2')],
  ])('names its file and does not change it when it %s', async (_what, damage) => {
    const { dir } = await filled(Array.from({ length: 30 }, (_, i) => `memo ${i}`));
    const path = join(dir, 'ledger.db');
    damage(path);
    const damaged = readFileSync(path);
    await expect(startLocalnet({ dir, port: 0 })).rejects.toMatchObject({
      name: 'LedgerDamaged',
      message: expect.stringContaining(path),
    });
    expect(() => readLedger(dir)).toThrow(expect.objectContaining({ name: 'LedgerDamaged', path }));
    expect(readFileSync(path).equals(damaged)).toBe(true);
    rmSync(path);
    await (await startLocalnet({ dir, port: 0 })).close();
  });

  it('does not create a new file beside a log whose file is missing', async () => {
    const dir = bench.dir();
    writeFileSync(join(dir, 'ledger.db-wal'), 'left over');
    await expect(startLocalnet({ dir, port: 0 })).rejects.toMatchObject({ name: 'LedgerDamaged' });
    expect(existsSync(join(dir, 'ledger.db'))).toBe(false);
  });

  it('accepts nothing more after its disk failed, and reports it', async () => {
    const { dir, rpcUrl } = await bench.localnet({ finalityMs: 0 });
    const chain = bench.closes(new SolanaChain({ urls: rpcUrl, deadlineMs: 500 }));
    const key = newKey();
    await chain.requestAirdrop(key.publicKey, 1e9);
    const prepared = await chain.prepareMemo('never answered', key);
    const other = new Database(join(dir, 'ledger.db'), { timeout: 0 });
    other.exec('DROP TABLE transaction_accounts');
    other.close();
    await expect(chain.send(prepared.wire)).rejects.toMatchObject({ name: 'ChainUnavailable' });
    expect((await rpc(rpcUrl, 'getHealth')).error).toMatchObject({ code: -32005 });
    expect(await (await fetch(`${rpcUrl}/health`)).text()).toBe('unknown');
    expect(await chain.status(prepared.signature)).toEqual({ state: 'not-found' });
  });

  it('runs in its own thread', async () => {
    const dir = bench.dir();
    const first = await startLocalnetInWorker({ dir, port: 0, finalityMs: 0 });
    const key = newKey();
    await rpc(first.rpcUrl, 'requestAirdrop', [key.publicKey, 1e9]);
    await first.close();
    await first.close();
    const second = bench.closes(await startLocalnetInWorker({ dir, port: 0, finalityMs: 0 }));
    expect(second.genesisHash).toBe(first.genesisHash);
    expect((await rpc(second.rpcUrl, 'getBalance', [key.publicKey])).result).toMatchObject({ value: 1e9 });
  });

  it('has, after each of five kill -9 under load, everything that was answered', async () => {
    const dir = bench.dir();
    const key = newKey();
    const answered: string[] = [];
    for (let round = 0; round < 5; round++) {
      const network = runNetwork(dir);
      const url = await network.firstLine();
      const chain = new SolanaChain({ urls: url, deadlineMs: 2000 });
      const asking = new SolanaChain({ urls: url });
      for (const signature of answered) expect((await asking.status(signature)).state).not.toBe('not-found');
      await asking.close();
      if (round === 0) await chain.requestAirdrop(key.publicKey, 1e10);
      let running = true;
      const load = Array.from({ length: 4 }, async (_, client) => {
        for (let i = 0; running; i++) {
          try {
            const prepared = await chain.prepareMemo(`round ${round} client ${client} memo ${i}`, key);
            await chain.send(prepared.wire);
            answered.push(prepared.signature);
          } catch {
            // It was killed.
          }
        }
      });
      const before = answered.length;
      await until(30_000, () => answered.length >= before + 10);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 400));
      await network.kill();
      running = false;
      await Promise.all(load);
      await chain.close();
    }
    const ledger = readLedger(dir);
    const stored = new Set([...(ledger?.transactions() ?? [])].map(({ signature }) => signature));
    expect(ledger?.firstBroken()).toBeNull();
    ledger?.close();
    expect(answered.length).toBeGreaterThanOrEqual(50);
    expect(answered.filter((signature) => !stored.has(signature))).toEqual([]);
    const { rpcUrl } = await bench.localnet({ dir, finalityMs: 0 });
    const chain = bench.closes(new SolanaChain({ urls: rpcUrl }));
    // Each landed memo cost its fee, none twice: the accounts match the transactions.
    expect(await chain.balance(key.publicKey)).toBe(1e10 - 5_000 * (stored.size - 1));
  }, 200_000);
});

/** Resolves when it holds; after the timeout, whether it holds or not. */
async function until(withinMs: number, holds: () => boolean): Promise<void> {
  const end = performance.now() + withinMs;
  while (!holds() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
}

function flip(path: string, where: number): void {
  const bytes = readFileSync(path);
  const at = Math.floor(bytes.length * where);
  bytes.fill(0xa5, at, at + 64);
  writeFileSync(path, bytes);
}

function change(path: string, sql: string): void {
  const copy = `${path}-elsewhere`;
  mkdirSync(copy);
  copyFileSync(path, join(copy, 'ledger.db'));
  const db = new Database(join(copy, 'ledger.db'));
  db.exec(sql);
  db.pragma('journal_mode = DELETE');
  db.pragma('journal_mode = WAL');
  db.close();
  copyFileSync(join(copy, 'ledger.db'), path);
  rmSync(copy, { recursive: true });
}

/** The network in its own process, which prints its address or its error. */
function runNetwork(dir: string) {
  const entry = new URL('../start.js', import.meta.url).href;
  const script = `
    const { startLocalnet } = await import(${JSON.stringify(entry)});
    try {
      console.log((await startLocalnet({ dir: ${JSON.stringify(dir)}, port: 0 })).rpcUrl);
    } catch (error) {
      console.log(String(error));
    }`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return {
    firstLine: async () => {
      const [data] = (await once(child.stdout, 'data')) as [Buffer];
      return data.toString('utf8').trim();
    },
    kill: async () => {
      if (child.exitCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
