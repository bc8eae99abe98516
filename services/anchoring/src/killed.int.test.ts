import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readLedger, startLocalnet, type Localnet } from '@countersign/chain';
import { authorityKey } from './authority/authority-key.js';
import { memoOf } from './close-windows/window-closer.js';
import { recomputeWindow } from './close-windows/recompute-window.js';
import { nodeCrypto } from '@countersign/process/node-crypto';
import type { AnchorStore, ClosedWindow } from './store/port.js';
import { backends, type Backend } from './testing/backends.js';
import type { KilledJob } from './testing/killed-rounds.js';

const PROGRAM = new URL('./testing/killed.test-program.js', import.meta.url).pathname;
const SEED = 7;

/** Exit code of a process, or the signal that ended it. */
function runOnce(job: KilledJob): Promise<number | NodeJS.Signals> {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(job)], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(signal ?? code ?? -1));
  });
}

async function windowsOf(store: AnchorStore): Promise<readonly ClosedWindow[]> {
  const found: ClosedWindow[] = [];
  for (const cadence of [1, 4]) {
    for (let number = 1; ; number += 1) {
      const window = await store.closedWindow(`${cadence}-${number}`);
      if (window === null) break;
      expect(await recomputeWindow(store, window.windowId, memoOf(window), nodeCrypto.sha256)).toEqual(window);
      found.push(window);
    }
  }
  return found;
}

describe('a process that is killed at any step', () => {
  const [sqlite, mongo] = backends(process.env['COUNTERSIGN_TEST_MONGODB_URI']);
  const directories: string[] = [];
  let localnet: Localnet;
  let ledgerDirectory: string;
  let undisturbed: readonly ClosedWindow[];

  const folder = (): string => {
    const directory = mkdtempSync(join(tmpdir(), 'anchoring-killed-'));
    directories.push(directory);
    return directory;
  };

  /** A job with a funded authority of its own. */
  async function newJob(mongodbUri: string | null): Promise<KilledJob> {
    const directory = folder();
    const { publicKey } = await authorityKey(directory, async () => null);
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'requestAirdrop', params: [publicKey, 1e9] });
    await fetch(localnet.rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    const common = { directory, mongodbUri, rpcUrl: localnet.rpcUrl, partitions: 3, seed: SEED };
    return { ...common, endAfter: -1, beforeSending: false };
  }

  async function memosOf(job: KilledJob): Promise<readonly string[]> {
    const { publicKey } = await authorityKey(job.directory, async () => null);
    const reader = (await readLedger(ledgerDirectory))!;
    return [...reader.transactions()]
      .filter(({ signers }) => signers.includes(publicKey))
      .flatMap(({ memos }) => memos);
  }

  async function look(backend: Backend, job: KilledJob): Promise<readonly ClosedWindow[]> {
    const store = await backend.openStore(job.directory);
    try {
      const windows = await windowsOf(store);
      expect((await store.waiting()).windows).toBe(0);
      expect([...(await memosOf(job))].sort()).toEqual(windows.map(memoOf).sort());
      return windows;
    } finally {
      await store.close();
    }
  }

  beforeAll(async () => {
    ledgerDirectory = join(folder(), 'ledger');
    localnet = await startLocalnet({ dir: ledgerDirectory, port: 0, finalityMs: 100 });
    const job = await newJob(null);
    expect(await runOnce(job)).toBe(0);
    undisturbed = await look(sqlite!, job);
    expect(undisturbed.filter(({ cadenceSeconds }) => cadenceSeconds === 1)).toHaveLength(5);
    expect(undisturbed.length).toBeGreaterThan(5);
  }, 60_000);

  afterAll(async () => {
    await localnet.close();
    await mongo!.end();
    for (const directory of directories) rmSync(directory, { recursive: true, force: true });
  });

  /** Kills it up to `most` times, within the first `within` messages of its life. Gives how often it was killed. */
  async function killUntilDone(job: KilledJob, most: number, within: number): Promise<number> {
    let kills = 0;
    for (let errors = 0; errors < 5;) {
      const endAfter = kills === most ? -1 : 3 + Math.floor(Math.random() * within);
      const ended = await runOnce({ ...job, endAfter, beforeSending: Math.random() < 0.5 });
      if (ended === 0) return kills;
      if (ended === 'SIGKILL') kills += 1;
      // Ended by a server that was too slow: one more way to end.
      else errors += 1;
    }
    throw new Error('it ends with an error again and again');
  }

  it('anchors the windows of an undisturbed one, each once, on SQLite', async () => {
    const job = await newJob(null);
    expect(await killUntilDone(job, 4, 12)).toBeGreaterThan(0);
    expect(await look(sqlite!, job)).toEqual(undisturbed);
  }, 120_000);

  (mongo!.available ? it : it.skip)(
    `anchors the windows of an undisturbed one, each once, on ${mongo!.name}`,
    async () => {
      const job = await newJob(mongo!.database!.uri);
      expect(await killUntilDone(job, 7, 110)).toBeGreaterThan(2);
      expect(await look(mongo!, job)).toEqual(undisturbed);
    },
    180_000,
  );
});
