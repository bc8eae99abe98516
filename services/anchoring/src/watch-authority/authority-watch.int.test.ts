import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  openSolanaChain,
  startLocalnet,
  submitMemo,
  intentFor,
  type Chain,
  type ListedTransaction,
  type Localnet,
} from '@countersign/chain';
import { windowMemo } from '@countersign/evidence';
import { pino } from 'pino';
import { authorityKey, type AuthorityKey } from '../authority/authority-key.js';
import { AuthorityWatch } from './authority-watch.js';

const START = '2026-03-01T10:00:00.000Z';
const OURS = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);

describe('AuthorityWatch', () => {
  const directory = mkdtempSync(join(tmpdir(), 'authority-watch-'));
  let localnet: Localnet;
  let chain: Chain;
  let key: AuthorityKey;
  let thief: AuthorityKey;
  let counted: string[];
  let lines: string[];

  const memo = (root: string, windowStart = START): string =>
    windowMemo({ root, prev: null, windowStart, durationSeconds: 1, agents: 1, events: 1 });
  const send = async (text: string, signer: AuthorityKey): Promise<void> => {
    const save = async (): Promise<void> => undefined;
    await submitMemo(intentFor(text), { chain, signer, save, pollMs: 50 });
  };
  const newWatch = (over: Partial<Chain> = {}): AuthorityWatch =>
    new AuthorityWatch({
      chain: {
        transactionsOf: over.transactionsOf ?? ((address, page) => chain.transactionsOf(address, page)),
        transaction: over.transaction ?? ((signature) => chain.transaction(signature)),
      },
      store: { rootAt: async (cadence, startMs) => (cadence === 1 && startMs === Date.parse(START) ? OURS : null) },
      authority: key.publicKey,
      log: pino({ level: 'error' }, { write: (line: string) => void lines.push(line) }),
      equivocated: (kind) => counted.push(kind),
    });

  beforeAll(async () => {
    localnet = await startLocalnet({ dir: join(directory, 'ledger'), port: 0, finalityMs: 100 });
    chain = await openSolanaChain({ urls: localnet.rpcUrl });
  });
  beforeEach(async () => {
    [counted, lines] = [[], []];
    key = await authorityKey(mkdtempSync(join(directory, 'key-')), async () => null);
    thief = await authorityKey(mkdtempSync(join(directory, 'key-')), async () => null);
    for (const { publicKey } of [key, thief]) {
      const airdrop = await chain.requestAirdrop(publicKey, 1e9);
      while ((await chain.status(airdrop)).state !== 'finalized')
        await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
  afterAll(async () => {
    await chain.close();
    await localnet.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('takes the same memo twice, and what is no window', async () => {
    await send(memo(OURS), key);
    await send(memo(OURS), key);
    await send(`countersign/1 report=${OTHER}`, key);
    await newWatch().look();
    expect(counted).toEqual([]);
  });

  it('raises the alarm once for another root of a window, and for a window that we do not have', async () => {
    const watch = newWatch();
    await send(memo(OURS), key);
    await watch.look();
    await send(memo(OTHER), key);
    await send(memo(OTHER, '2026-03-01T10:00:01.000Z'), key);
    await watch.look();
    await watch.look();
    // Newest first.
    expect(counted).toEqual(['unknown-window', 'other-root']);
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[1]!)).toMatchObject({
      metric: 'countersign_equivocations_total',
      said: { root: OTHER },
      ours: OURS,
    });
    await newWatch().look();
    expect(counted).toHaveLength(4);
  });

  it('is not alarmed by what others sign', async () => {
    await send(memo(OTHER), thief);
    const listed = await chain.transactionsOf(thief.publicKey, { limit: 1 });
    // As if it named the authority among its accounts.
    await newWatch({ transactionsOf: async () => listed }).look();
    expect(counted).toEqual([]);
  });

  it('pages through what is new, and goes on where a node failed', async () => {
    const pages: unknown[] = [];
    let fail = true;
    const page = (n: number) =>
      Array.from({ length: 500 }, (_, i) => ({
        signature: `s${n}-${i}`,
        slot: 1,
        blockTime: null,
        succeeded: true,
        memos: [],
      }));
    const watch = newWatch({
      transactionsOf: async (_address, asked) => {
        pages.push(asked);
        if (pages.length === 2 && fail) throw new Error('no node answers');
        return page(pages.length);
      },
    });
    await expect(watch.look()).rejects.toThrow('no node answers');
    fail = false;
    // The first look ends at its bound: four pages more.
    expect(await watch.look()).toBe(true);
    expect(pages).toHaveLength(6);
    expect(pages[0]).toEqual({ limit: 500 });
    expect(pages[2]).toEqual({ limit: 500, before: 's1-499' });
    pages.length = 0;
    expect(await watch.look()).toBe(false);
    expect(pages[0]).toEqual({ limit: 500, until: 's1-0' });
  });

  it('finds what a thief signed below a flood of transactions that name the authority', async () => {
    await send(memo(OTHER), key);
    const [signed] = await chain.transactionsOf(key.publicKey, { limit: 1 });
    const named = (n: number): ListedTransaction => ({
      signature: `n${n}`,
      slot: 1,
      blockTime: null,
      succeeded: true,
      memos: [],
    });
    // Newest first: 2,600 that others sent, the thief's, and what the look before had seen.
    let all = [named(0)];
    const watch = newWatch({
      transactionsOf: async (_address, { limit = 500, before, until } = {}) => {
        const from = before === undefined ? 0 : all.findIndex(({ signature }) => signature === before) + 1;
        const to = until === undefined ? all.length : all.findIndex(({ signature }) => signature === until);
        return all.slice(from, Math.min(to, from + limit));
      },
    });
    expect(await watch.look()).toBe(true);
    all = [...Array.from({ length: 2600 }, (_, n) => named(2600 - n)), signed!, ...all];
    expect(await watch.look()).toBe(false);
    expect(counted).toEqual([]);
    expect(await watch.look()).toBe(true);
    expect(counted).toEqual(['other-root']);
    expect(await watch.look()).toBe(true);
    expect(counted).toHaveLength(1);
  });
});
