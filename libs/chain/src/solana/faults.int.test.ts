import { HandClock, newKey, rpc, TestBench } from '../localnet/fixtures.test-kit.js';
import { advance } from '../submission/advance.js';
import { intentFor } from '../submission/intent.js';
import type { SubmissionIntent } from '../submission/intent.js';
import { FaultyRpc } from './faulty-rpc.test-kit.js';
import { SolanaChain } from './solana-chain.js';
import type { SolanaChainOptions } from './solana-chain.js';

const bench = new TestBench();
const clock = new HandClock();
const authority = newKey();
let healthy: { readonly rpcUrl: string; readonly genesisHash: string };

beforeAll(async () => {
  healthy = await bench.localnet({ clock });
  expect(await rpc(healthy.rpcUrl, 'requestAirdrop', [authority.publicKey, 1e10])).not.toHaveProperty('error');
});
afterAll(() => bench.end());

const faulty = async () => bench.closes(await new FaultyRpc(healthy.rpcUrl).start());
const chainOf = (urls: string | string[], more: Partial<SolanaChainOptions> = {}) =>
  bench.closes(new SolanaChain({ urls, requestMs: 300, deadlineMs: 1_500, ...more }));

describe('several nodes', () => {
  it.each([
    ['refuses connections', undefined],
    ['answers 503', { kind: 'http', status: 503 }],
    ['limits the rate', { kind: 'http', status: 429, retryAfter: '5' }],
    ['hangs', { kind: 'hang' }],
    ['cuts the connection', { kind: 'cut' }],
    ['says that it is behind', { kind: 'error', code: -32005, message: 'Node is behind by 42 slots' }],
    ['answers with a page', { kind: 'text', text: '<html>' }],
    ['answers in another shape', { kind: 'result', result: { surprise: true } }],
  ] as const)('goes to the next when the first one %s, and stays there', async (_what, fault) => {
    const first = await faulty();
    if (fault === undefined) await first.close();
    const firstUrl = fault === undefined ? 'http://127.0.0.1:1' : first.url;
    first.fault = () => fault ?? null;
    const chain = chainOf(`${firstUrl}, ${healthy.rpcUrl}`);
    expect(await chain.balance(authority.publicKey)).toBeGreaterThan(0);
    const asked = first.calls.length;
    await chain.balance(authority.publicKey);
    expect(first.calls.length).toBe(asked);
    const prepared = await chain.prepareMemo(`over ${_what}`, authority);
    await chain.send(prepared.wire);
    expect((await chain.status(prepared.signature)).state).not.toBe('not-found');
  });

  it('never asks a node of another network', async () => {
    const other = await bench.localnet();
    const chain = chainOf([other.rpcUrl, healthy.rpcUrl], { genesisHash: healthy.genesisHash });
    expect(await chain.balance(authority.publicKey)).toBeGreaterThan(0);
    expect(await chain.genesisHash()).toBe(healthy.genesisHash);
    const alone = chainOf(other.rpcUrl, { genesisHash: healthy.genesisHash });
    await expect(alone.blockHeight()).rejects.toMatchObject({ name: 'ChainUnavailable', reason: 'wrong-network' });
  });

  it('does not trust one node that it never saw a transaction', async () => {
    const blind = await faulty();
    blind.fault = ({ method, params }) => {
      if (method === 'getSignatureStatuses') {
        const value = (params[0] as unknown[]).map(() => null);
        return { kind: 'result', result: { context: { slot: 1e9 }, value } };
      }
      return method === 'getTransaction' ? { kind: 'result', result: null } : null;
    };
    const chain = chainOf([blind.url, healthy.rpcUrl]);
    const prepared = await chain.prepareMemo('seen by the other', authority);
    await chain.send(prepared.wire);
    expect((await chain.status(prepared.signature)).state).toBe('pending');
    expect((await chain.observe([prepared.signature])).statuses.get(prepared.signature)?.state).toBe('pending');
    clock.passSlots(5);
    expect((await chain.transaction(prepared.signature))?.memos).toEqual(['seen by the other']);
  });

  it('asks the next for a transaction outside the history of the first, and reports when no node has it', async () => {
    const forgetful = await faulty();
    forgetful.fault = ({ method }) =>
      method === 'getTransaction' || method === 'getSignatureStatuses'
        ? { kind: 'error', code: -32011, message: 'Transaction history is not available from this node' }
        : null;
    const chain = chainOf([forgetful.url, healthy.rpcUrl]);
    const prepared = await chain.prepareMemo('kept by the other', authority);
    await chain.send(prepared.wire);
    expect((await chain.status(prepared.signature)).state).toBe('pending');
    clock.passSlots(5);
    expect((await chain.transaction(prepared.signature))?.memos).toEqual(['kept by the other']);
    const alone = chainOf([forgetful.url, forgetful.url]);
    await expect(alone.transaction(prepared.signature)).rejects.toMatchObject({ code: 'history-not-available' });
  });

  it('does not trust one that has no such transaction while another does not answer', async () => {
    const forgetful = await faulty();
    forgetful.fault = ({ method }) =>
      method === 'getTransaction'
        ? { kind: 'error', code: -32011, message: 'Transaction history is not available from this node' }
        : null;
    const { signature } = await chainOf(healthy.rpcUrl).prepareMemo('never sent', authority);
    for (const urls of [
      [forgetful.url, healthy.rpcUrl],
      [healthy.rpcUrl, forgetful.url],
    ]) {
      await expect(chainOf(urls).transaction(signature)).rejects.toMatchObject({ code: 'history-not-available' });
    }
    expect(await chainOf(healthy.rpcUrl).transaction(signature)).toBeNull();
  });
});

describe('one node', () => {
  it.each([
    ['hangs', { kind: 'hang' }, 'timeout'],
    ['limits the rate', { kind: 'http', status: 429 }, 'rate-limited'],
    ['is ill', { kind: 'http', status: 500 }, 'node-unhealthy'],
    ['cuts', { kind: 'cut' }, 'network'],
  ] as const)('is abandoned within the bound when it %s', async (_what, fault, reason) => {
    const node = await faulty();
    node.fault = () => fault;
    const chain = chainOf(node.url, { requestMs: 150, deadlineMs: 800 });
    const start = Date.now();
    await expect(chain.blockHeight()).rejects.toMatchObject({ name: 'ChainUnavailable', reason });
    expect(Date.now() - start).toBeLessThan(2_000);
    expect(node.calls.length).toBeGreaterThan(1);
    expect(node.calls.length).toBeLessThan(12);
  });

  it('is retried after a rate limit, not before the requested delay', async () => {
    const node = await faulty();
    const times: number[] = [];
    node.fault = () => {
      times.push(Date.now());
      return times.length === 1 ? { kind: 'http', status: 429, retryAfter: '1' } : null;
    };
    const chain = chainOf(node.url, { deadlineMs: 5_000 });
    await chain.blockHeight();
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(990);
  });

  it.each([
    ['seconds', () => '30'],
    ['a date', () => new Date(Date.now() + 30_000).toUTCString()],
  ])('is not asked by later calls either during a requested delay, in %s', async (_form, retryAfter) => {
    const node = await faulty();
    node.fault = () => ({ kind: 'http', status: 429, retryAfter: retryAfter() });
    const chain = chainOf(node.url);
    await expect(chain.blockHeight()).rejects.toMatchObject({ reason: 'rate-limited' });
    await expect(chain.blockHeight()).rejects.toMatchObject({ reason: 'rate-limited' });
    expect(node.calls.length).toBe(1);
  });

  it('is not asked again after it refused', async () => {
    const node = await faulty();
    node.fault = ({ method }) =>
      method === 'sendTransaction' ? { kind: 'error', code: -32602, message: 'failed to deserialize' } : null;
    await expect(chainOf(node.url).send('AAAA')).rejects.toMatchObject({ code: 'invalid-transaction' });
    expect(node.count('sendTransaction')).toBe(1);
  });

  it('reports that it keeps no history: neither found nor not found', async () => {
    const node = await faulty();
    const prepared = await chainOf(healthy.rpcUrl).prepareMemo('x', authority);
    node.fault = ({ method }) =>
      method === 'getSignatureStatuses'
        ? { kind: 'error', code: -32011, message: 'Transaction history is not available from this node' }
        : null;
    await expect(chainOf(node.url).status(prepared.signature)).rejects.toMatchObject({ code: 'history-not-available' });
  });

  it('answers nothing after close', async () => {
    const chain = new SolanaChain({ urls: healthy.rpcUrl });
    await chain.close();
    await expect(chain.blockHeight()).rejects.toMatchObject({ name: 'ChainUnavailable' });
    expect(() => new SolanaChain({ urls: ' , ' })).toThrow(RangeError);
  });
});

/** Counts on the healthy node, past every fault, the transactions that contain a memo. */
async function landings(memo: string): Promise<number> {
  const { result } = await rpc(healthy.rpcUrl, 'getSignaturesForAddress', [
    authority.publicKey,
    { commitment: 'confirmed' },
  ]);
  return (result as { memo: string | null }[]).filter((one) => one.memo?.endsWith(`] ${memo}`)).length;
}

describe('a memo in flight', () => {
  async function setUp(memo: string) {
    const node = await faulty();
    const chain = chainOf(node.url);
    let stored: SubmissionIntent = intentFor(memo);
    const step = async () => {
      const save = async (intent: SubmissionIntent) => void (stored = intent);
      const [advanced] = await advance([stored], { chain, signer: authority, save });
      return advanced?.problem?.name ?? advanced?.step.step;
    };
    return { node, step, stored: () => stored };
  }
  const drop = (held: unknown[]) => (call: { method: string; params: readonly unknown[] }) => {
    if (call.method !== 'sendTransaction') return null;
    held.push(call.params);
    return { kind: 'result', result: '1'.repeat(64) } as const;
  };

  it('is dropped: the same bytes are sent again', async () => {
    const { node, step, stored } = await setUp('dropped');
    node.fault = drop([]);
    expect(await step()).toBe('sign');
    expect(await step()).toBe('send');
    node.fault = () => null;
    expect(await step()).toBe('send');
    clock.passSlots(5);
    expect(await step()).toBe('record');
    expect(stored().attempts).toHaveLength(1);
    expect(await landings('dropped')).toBe(1);
  });

  it('expires: signed again once, when it can no longer land', async () => {
    const { node, step, stored } = await setUp('expired');
    node.fault = drop([]);
    await step();
    clock.passSlots(140);
    expect(await step()).toBe('send');
    clock.passSlots(20);
    node.fault = () => null;
    expect(await step()).toBe('sign');
    clock.passSlots(5);
    expect(await step()).toBe('record');
    expect(stored().attempts).toHaveLength(2);
    expect(await landings('expired')).toBe(1);
  });

  it('lands late, at the end of its validity: found, not signed again', async () => {
    const { node, step, stored } = await setUp('late');
    const held: unknown[] = [];
    node.fault = drop(held);
    await step();
    clock.passSlots(148);
    await rpc(healthy.rpcUrl, 'sendTransaction', held[0] as unknown[]);
    clock.passSlots(400);
    expect(await step()).toBe('record');
    expect(stored().attempts).toHaveLength(1);
    expect(await landings('late')).toBe(1);
  });

  it('is looked up at a node that lags or answers null: no second signature', async () => {
    const { node, step, stored } = await setUp('lagging');
    await step();
    clock.passSlots(400);
    // The height is the newest, the machine that answers for statuses is 300 slots behind and knows nothing.
    node.fault = ({ method }) =>
      method === 'getSignatureStatuses' ? { kind: 'result', result: { context: { slot: 3 }, value: [null] } } : null;
    expect(await step()).toBe('ChainUnavailable');
    node.fault = ({ method }) => (method === 'getEpochInfo' ? { kind: 'result', result: null } : null);
    expect(await step()).toBe('ChainUnavailable');
    node.fault = ({ method }) =>
      method === 'getSignatureStatuses' ? { kind: 'result', result: { context: { slot: 1e9 }, value: [] } } : null;
    expect(await step()).toBe('ChainUnavailable');
    node.fault = () => null;
    expect(await step()).toBe('record');
    expect(stored().attempts).toHaveLength(1);
    expect(await landings('lagging')).toBe(1);
  });

  it('is not abandoned when the first node lags as a whole: the other one knows it', async () => {
    const lagging = await faulty();
    const chain = chainOf([lagging.url, healthy.rpcUrl]);
    let stored: SubmissionIntent = intentFor('lagging as a whole');
    const step = async () => {
      const save = async (intent: SubmissionIntent) => void (stored = intent);
      const [advanced] = await advance([stored], { chain, signer: authority, save });
      return advanced?.step.step;
    };
    const { result: before } = await rpc(healthy.rpcUrl, 'getEpochInfo', [{ commitment: 'finalized' }]);
    await step();
    clock.passSlots(400);
    // Height, slot and statuses of 400 slots ago.
    lagging.fault = ({ method, params }) => {
      if (method === 'getEpochInfo') return { kind: 'result', result: before };
      if (method === 'getBlockHeight')
        return { kind: 'result', result: (before as { blockHeight: number }).blockHeight };
      if (method !== 'getSignatureStatuses') return null;
      const slot = (before as { absoluteSlot: number }).absoluteSlot;
      return { kind: 'result', result: { context: { slot }, value: (params[0] as unknown[]).map(() => null) } };
    };
    expect(await step()).toBe('record');
    expect(stored.attempts).toHaveLength(1);
    expect(await landings('lagging as a whole')).toBe(1);
  });

  it('lands twice when a node lies: both have the same memo, the earlier one counts', async () => {
    const { node, step, stored } = await setUp('twice');
    const held: unknown[][] = [];
    node.fault = drop(held);
    await step();
    // It lands, and the node denies it for a long time, with a height beyond its validity.
    await rpc(healthy.rpcUrl, 'sendTransaction', held[0]);
    clock.passSlots(400);
    node.fault = ({ method, params }) =>
      method === 'getSignatureStatuses'
        ? { kind: 'result', result: { context: { slot: 1e9 }, value: (params[0] as unknown[]).map(() => null) } }
        : null;
    expect(await step()).toBe('sign');
    clock.passSlots(40);
    node.fault = () => null;
    expect(await step()).toBe('record');
    expect(stored().attempts).toHaveLength(2);
    expect(stored().landed?.signature).toBe(stored().attempts[0]!.signature);
    expect(await landings('twice')).toBe(2);
  });

  it('cannot be looked up in a history that begins later: waits for a node with more history', async () => {
    const { node, step, stored } = await setUp('short history');
    const held: unknown[] = [];
    node.fault = drop(held);
    await step();
    clock.passSlots(400);
    const { result: slot } = await rpc(healthy.rpcUrl, 'getSlot');
    node.fault = ({ method }) =>
      method === 'getFirstAvailableBlock' ? { kind: 'result', result: Number(slot) - 10 } : null;
    expect(await step()).toBe('wait');
    expect(stored().attempts).toHaveLength(1);
  });

  it('gets a rate limit at each call: nothing is lost, nothing duplicated', async () => {
    const { node, step, stored } = await setUp('limited');
    for (const limited of ['getLatestBlockhash', 'sendTransaction', 'getEpochInfo']) {
      node.fault = ({ method }) => (method === limited ? { kind: 'http', status: 429 } : null);
      await step();
      node.fault = () => null;
    }
    for (let i = 0; i < 6 && stored().landed === null; i++) {
      await step();
      clock.passSlots(4);
    }
    expect(stored().landed).not.toBeNull();
    expect(await landings('limited')).toBe(1);
  });

  it('is accepted although the answer got lost', async () => {
    const { node, step, stored } = await setUp('answer lost');
    node.fault = ({ method, params }) => {
      if (method !== 'sendTransaction') return null;
      void rpc(healthy.rpcUrl, method, [...params]);
      return { kind: 'cut' };
    };
    expect(await step()).toBe('ChainUnavailable');
    node.fault = () => null;
    clock.passSlots(4);
    expect(await step()).toBe('record');
    expect(stored().attempts).toHaveLength(1);
    expect(await landings('answer lost')).toBe(1);
  });
});
