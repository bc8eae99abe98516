import { createConnection } from 'node:net';
import WebSocket from 'ws';
import { encodeBase58 } from '../../base58.js';
import { SolanaChain } from '../../solana/solana-chain.js';
import { HandClock, newKey, post, rpc, TestBench } from '../fixtures.test-kit.js';
import type { TestKey } from '../fixtures.test-kit.js';
import { LARGEST_BODY } from './http-server.js';

const bench = new TestBench();
const clock = new HandClock();
const key = newKey();
let url: string;
let wsUrl: string;
let chain: SolanaChain;

beforeAll(async () => {
  ({ rpcUrl: url, wsUrl } = await bench.localnet({ clock }));
  chain = bench.closes(new SolanaChain({ urls: url }));
  await chain.requestAirdrop(key.publicKey, 1e10);
});
afterAll(() => bench.end());

const prepare = async (memo: string, signer: TestKey = key) => chain.prepareMemo(memo, signer);
const send = (wire: string, config: object = {}) =>
  rpc(url, 'sendTransaction', [wire, { encoding: 'base64', ...config }]);

describe('JSON-RPC', () => {
  it.each([
    ['no JSON', '{', -32700],
    ['a text', '"x"', -32600],
    ['an empty batch', '[]', -32600],
    ['no version', '{"id":1,"method":"getSlot"}', -32600],
    ['no method', '{"jsonrpc":"2.0","id":1}', -32600],
    ['an id that is a list', '{"jsonrpc":"2.0","id":[],"method":"getSlot"}', -32600],
    ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"getNothing"}', -32601],
    ['a name of the prototype', '{"jsonrpc":"2.0","id":1,"method":"constructor"}', -32601],
    ['named parameters', '{"jsonrpc":"2.0","id":1,"method":"getSlot","params":{}}', -32602],
    ['an unknown commitment', '{"jsonrpc":"2.0","id":1,"method":"getSlot","params":[{"commitment":"maybe"}]}', -32602],
    ['a short address', '{"jsonrpc":"2.0","id":1,"method":"getBalance","params":["abc"]}', -32602],
    [
      'a context of the future',
      '{"jsonrpc":"2.0","id":1,"method":"getSlot","params":[{"minContextSlot":1e9}]}',
      -32016,
    ],
    ['a slot of the future', '{"jsonrpc":"2.0","id":1,"method":"getBlock","params":[1000000]}', -32004],
  ])('refuses %s', async (_what, body, code) => {
    expect(await post(url, body)).toMatchObject({ jsonrpc: '2.0', error: { code, message: expect.any(String) } });
  });

  it('answers a batch call by call, without notifications', async () => {
    const calls = [
      { jsonrpc: '2.0', id: 'a', method: 'getSlot' },
      { jsonrpc: '2.0', method: 'getSlot' },
      { jsonrpc: '2.0', id: 7, method: 'getNothing' },
      3,
    ];
    expect(await post(url, JSON.stringify(calls))).toMatchObject([
      { id: 'a', result: expect.any(Number) },
      { id: 7, error: { code: -32601 } },
      { id: null, error: { code: -32600 } },
    ]);
    expect(await post(url, JSON.stringify(calls[1]))).toBe(204);
    expect(await post(url, JSON.stringify(Array(1001).fill(calls[0])))).toMatchObject({ error: { code: -32600 } });
  });

  it('takes POST only, up to its limit, from pages of any origin', async () => {
    expect((await fetch(url)).status).toBe(405);
    expect(await (await fetch(`${url}/health`)).text()).toBe('ok');
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: { 'access-control-request-headers': 'content-type,solana-client' },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-headers')).toBe('content-type,solana-client');
    const large = await fetch(url, { method: 'POST', body: ' '.repeat(LARGEST_BODY + 1) });
    expect(large.status).toBe(413);
  });

  it('stops reading a body of no declared length at its limit', async () => {
    const socket = createConnection(Number(new URL(url).port), '127.0.0.1');
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    for (let i = 0; i < 20; i++) socket.write(chunk);
    const answer = await new Promise<string>((resolve) => {
      socket.once('data', (data) => resolve(data.toString()));
      socket.once('error', () => resolve('cut'));
      socket.once('close', () => resolve('cut'));
    });
    socket.destroy();
    expect(answer === 'cut' || answer.startsWith('HTTP/1.1 413')).toBe(true);
  });
});

describe('sendTransaction', () => {
  it('refuses a duplicate with preflight, and otherwise accepts it without executing it again', async () => {
    const { wire, signature } = await prepare('twice');
    expect((await send(wire)).result).toBe(signature);
    expect((await send(wire)).error).toMatchObject({
      code: -32002,
      message: 'Transaction simulation failed: This transaction has already been processed',
      data: { err: 'AlreadyProcessed', logs: [] },
    });
    expect((await send(wire, { skipPreflight: true })).result).toBe(signature);
    const both = await prepare('twins');
    await Promise.all([send(both.wire), send(both.wire), send(both.wire, { skipPreflight: true })]);
    clock.passSlots(1);
    const { result } = await rpc(url, 'getSignaturesForAddress', [key.publicKey, { commitment: 'confirmed' }]);
    const memos = (result as { memo: string | null }[]).map(({ memo }) => memo);
    expect(memos.filter((memo) => memo === '[5] twice' || memo === '[5] twins')).toHaveLength(2);
  });

  it('refuses an expired blockhash, and one of another network', async () => {
    const { wire, signature } = await prepare('over');
    clock.passSlots(152);
    expect((await send(wire)).error).toMatchObject({ code: -32002, data: { err: 'BlockhashNotFound' } });
    expect((await send(wire, { skipPreflight: true })).result).toBe(signature);
    const statuses = await rpc(url, 'getSignatureStatuses', [[signature], { searchTransactionHistory: true }]);
    expect(statuses.result).toMatchObject({ value: [null] });
  });

  it('refuses a signature that does not verify, with and without preflight', async () => {
    const wire = Buffer.from((await prepare('changed')).wire, 'base64');
    wire[wire.length - 1] = (wire.at(-1) ?? 0) ^ 1;
    for (const skipPreflight of [false, true]) {
      expect((await send(wire.toString('base64'), { skipPreflight })).error).toMatchObject({
        code: -32003,
        message: 'Transaction signature verification failure',
      });
    }
  });

  it('refuses a payer without funds; such a transaction never lands', async () => {
    const { wire, signature } = await prepare('poor', newKey());
    expect((await send(wire)).error).toMatchObject({ code: -32002, data: { err: 'AccountNotFound' } });
    expect((await send(wire, { skipPreflight: true })).result).toBe(signature);
    const statuses = await rpc(url, 'getSignatureStatuses', [[signature]]);
    expect(statuses.result).toMatchObject({ value: [null] });
  });

  it('takes base58, and refuses what is neither', async () => {
    const { wire, signature } = await prepare('in base58');
    const bytes = Buffer.from(wire, 'base64');
    expect((await rpc(url, 'sendTransaction', [encodeBase58(bytes)])).result).toBe(signature);
    for (const params of [[wire], ['AAA', { encoding: 'base64' }], ['AA==', { encoding: 'hex' }], [7], []]) {
      expect((await rpc(url, 'sendTransaction', params)).error?.code).toBe(-32602);
    }
  });

  it('shows a status without the history only while it is recent', async () => {
    const { wire, signature } = await prepare('old');
    await send(wire);
    clock.passSlots(400);
    const recent = await rpc(url, 'getSignatureStatuses', [[signature]]);
    const searched = await rpc(url, 'getSignatureStatuses', [[signature], { searchTransactionHistory: true }]);
    expect(recent.result).toMatchObject({ value: [null] });
    expect(searched.result).toMatchObject({ value: [{ confirmationStatus: 'finalized', err: null }] });
  });

  it('reads history at confirmed and finalized only', async () => {
    const { wire, signature } = await prepare('commitments');
    await send(wire);
    const get = async (commitment: string) => rpc(url, 'getTransaction', [signature, { commitment }]);
    expect((await get('processed')).error?.code).toBe(-32602);
    expect((await get('confirmed')).result).toBeNull();
    clock.passSlots(1);
    expect((await get('confirmed')).result).not.toBeNull();
    expect((await get('finalized')).result).toBeNull();
    clock.passSlots(2);
    expect((await get('finalized')).result).toMatchObject({ meta: { err: null } });
    const base64 = await rpc(url, 'getTransaction', [signature, 'base64']);
    expect(base64.result).toMatchObject({ transaction: [wire, 'base64'] });
    expect((await rpc(url, 'getTransaction', [signature, 'yaml'])).error?.code).toBe(-32602);
  });
});

describe('WebSocket', () => {
  async function open() {
    const socket = new WebSocket(wsUrl);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const messages: Record<string, unknown>[] = [];
    let wake: () => void = () => undefined;
    socket.on('message', (data: Buffer) => {
      messages.push(JSON.parse(data.toString('utf8')) as Record<string, unknown>);
      wake();
    });
    const next = async (): Promise<Record<string, unknown>> => {
      while (messages.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return messages.shift() as Record<string, unknown>;
    };
    const call = (method: string, params: unknown[]) =>
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 5, method, params }));
    return { socket, next, call, messages };
  }

  it('notifies once when a transaction arrives', async () => {
    const { socket, next, call, messages } = await open();
    const { wire, signature } = await prepare('watched');
    call('signatureSubscribe', [signature, { commitment: 'processed' }]);
    const { result: subscription } = await next();
    await send(wire);
    expect(await next()).toMatchObject({
      method: 'signatureNotification',
      params: { subscription, result: { value: { err: null } } },
    });
    const other = await prepare('unrelated');
    await send(other.wire);
    call('signatureSubscribe', [signature]);
    expect(await next()).toMatchObject({ id: 5, result: expect.any(Number) });
    expect(messages).toHaveLength(0);
    socket.terminate();
  });

  it('answers errors, pings and the end of a subscription', async () => {
    const { socket, next, call } = await open();
    call('signatureUnsubscribe', [99]);
    expect(await next()).toMatchObject({ error: { code: -32602 } });
    call('blockSubscribe', []);
    expect(await next()).toMatchObject({ error: { code: -32601 } });
    call('signatureSubscribe', ['x']);
    expect(await next()).toMatchObject({ error: { code: -32602 } });
    socket.send('no JSON');
    expect(await next()).toMatchObject({ error: { code: -32600 } });
    socket.send('{"jsonrpc":"2.0","method":"ping","params":null}');
    call('signatureSubscribe', ['1'.repeat(64)]);
    const { result } = await next();
    call('signatureUnsubscribe', [result]);
    expect(await next()).toMatchObject({ result: true });
    socket.send('x'.repeat(100_000));
    await new Promise((resolve) => socket.once('close', resolve));
  });
});
