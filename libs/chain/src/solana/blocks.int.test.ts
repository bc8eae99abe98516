import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HandClock, newKey, rpc, TestBench } from '../localnet/fixtures.test-kit.js';
import { SolanaBlocks } from './blocks.js';
import { SolanaChain } from './solana-chain.js';

const bench = new TestBench();
afterAll(() => bench.end());

describe('blocks of the embedded network', () => {
  it('are found by their slot once they are final, the same after a restart', async () => {
    const clock = new HandClock();
    const first = await bench.localnet({ clock });
    const blocks = new SolanaBlocks({ urls: [first.rpcUrl] });
    const newest = await blocks.newestSlot();
    expect(await blocks.network()).toBe('solana:localnet');
    expect(await blocks.firstBlock(newest + 1)).toBeNull();
    clock.passSlots(40);
    const found = await blocks.firstBlock(newest + 20);
    expect(found).toEqual({ slot: newest + 20, blockhash: expect.any(String), blockTime: expect.any(Number) });
    expect(await blocks.firstBlock(newest + 21)).not.toEqual(found);
    await blocks.close();
    await first.close();
    const later = new HandClock();
    later.passSlots(40);
    const second = await bench.localnet({ dir: first.dir, clock: later });
    const again = bench.closes(new SolanaBlocks({ urls: [second.rpcUrl] }));
    expect(await again.firstBlock(newest + 20)).toEqual(found);
  });

  it('are listed as nodes list them', async () => {
    const clock = new HandClock();
    const { rpcUrl } = await bench.localnet({ clock });
    clock.passSlots(20);
    const slot = Number((await rpc(rpcUrl, 'getSlot')).result);
    const list = async (method: string, ...params: unknown[]) => (await rpc(rpcUrl, method, params)).result;
    expect(await list('getBlocks', slot - 2, slot)).toEqual([slot - 2, slot - 1, slot]);
    expect(await list('getBlocks', slot - 1)).toEqual([slot - 1, slot]);
    expect(await list('getBlocks', slot, slot + 9)).toEqual([slot]);
    expect(await list('getBlocks', slot - 1, { commitment: 'confirmed' })).toHaveLength(4);
    expect(await list('getBlocks', slot + 5, slot)).toEqual([]);
    for (const params of [[0, 500_001], ['1'], [1, 2, { commitment: 'processed' }]]) {
      expect((await rpc(rpcUrl, 'getBlocks', params)).error?.code).toBe(-32602);
    }
  });

  it('come after a transaction that landed before them', async () => {
    const clock = new HandClock();
    const { rpcUrl } = await bench.localnet({ clock });
    const chain = bench.closes(new SolanaChain({ urls: rpcUrl }));
    const key = newKey();
    await chain.requestAirdrop(key.publicKey, 1e9);
    const { wire, signature } = await chain.prepareMemo('a report', key);
    await chain.send(wire);
    clock.passSlots(40);
    const { slot, blockTime } = (await chain.transaction(signature))!;
    const blocks = bench.closes(new SolanaBlocks({ urls: [rpcUrl] }));
    const found = (await blocks.firstBlock(slot + 32))!;
    expect(found.slot).toBe(slot + 32);
    expect(found.blockTime).toBeGreaterThanOrEqual(blockTime!);
  });
});

describe('a node', () => {
  /** A node that has only the blocks of these slots; each block's parent is the one before. */
  async function node(slots: readonly number[], parents: readonly number[], newest: number): Promise<string> {
    const answers: Readonly<Record<string, (params: readonly number[]) => unknown>> = {
      getGenesisHash: () => 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
      getSlot: () => newest,
      getBlocks: ([first, last]) => slots.filter((slot) => slot >= first! && slot <= last!),
      getBlock: ([slot]) => ({
        blockhash: `hash-${slot}`,
        previousBlockhash: 'x',
        parentSlot: parents[slots.indexOf(slot!)],
        blockTime: 1_700_000_000 + slot!,
        blockHeight: slot,
      }),
    };
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]!(params) }));
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    bench.closes({ close: () => new Promise((done) => void server.close(() => done())) });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it('may have skipped slots, few or many', async () => {
    const slots = [100, 103, 5000];
    const blocks = bench.closes(new SolanaBlocks({ urls: [await node(slots, [99, 100, 103], 9000)] }));
    expect(await blocks.network()).toBe('solana:devnet');
    expect(await blocks.firstBlock(101)).toMatchObject({ slot: 103, blockhash: 'hash-103' });
    expect(await blocks.firstBlock(104)).toMatchObject({ slot: 5000 });
    expect(await blocks.firstBlock(5001)).toBeNull();
  });

  it('is not trusted where it no longer has the blocks before the first that it lists', async () => {
    const urls = [await node([200], [199], 300)];
    const blocks = bench.closes(new SolanaBlocks({ urls }));
    expect(await blocks.firstBlock(200)).toMatchObject({ slot: 200 });
    const refused = new SolanaBlocks({ urls });
    const asked = refused.firstBlock(150).catch((error: Error) => error.name);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await refused.close();
    expect(await asked).toBe('ChainUnavailable');
  });
});
