import { Keypair } from '@solana/web3.js';
import { encodeBase58 } from '../base58.js';
import { newKey, rpc, TestBench } from '../localnet/fixtures.test-kit.js';
import { FaultyRpc } from './faulty-rpc.test-kit.js';
import { SolanaChain } from './solana-chain.js';

interface Shown {
  readonly transaction: {
    readonly signatures: string[];
    readonly message: { readonly accountKeys: string[]; readonly instructions: { data: string }[] };
  };
}

const bench = new TestBench();
const signer = newKey();
let honest: SolanaChain;
let liar: FaultyRpc;
let signature: string;
let others: string;
let shown: Shown;
let rpcUrl: string;

const show = async (of: string): Promise<Shown> => {
  const config = { commitment: 'finalized', maxSupportedTransactionVersion: 0 };
  return (await rpc(rpcUrl, 'getTransaction', [of, config])).result as Shown;
};

beforeAll(async () => {
  ({ rpcUrl } = await bench.localnet({ finalityMs: 400 }));
  honest = bench.closes(new SolanaChain({ urls: rpcUrl }));
  liar = bench.closes(await new FaultyRpc(rpcUrl).start());
  const final = async (one: string): Promise<void> => {
    while ((await honest.transaction(one)) === null) await new Promise((resolve) => setTimeout(resolve, 25));
  };
  await final(await honest.requestAirdrop(signer.publicKey, 1_000_000_000));
  const send = async (memo: string): Promise<string> => {
    const prepared = await honest.prepareMemo(memo, signer);
    await honest.send(prepared.wire);
    await final(prepared.signature);
    return prepared.signature;
  };
  [signature, others] = [await send('what was signed'), await send('something else')];
});
beforeEach(async () => {
  shown = await show(signature);
});
afterAll(() => bench.end());

const answerWith = (result: unknown): void => {
  liar.fault = ({ method }) => (method === 'getTransaction' ? { kind: 'result', result } : null);
};

describe('a transaction shown by a node', () => {
  it.each([
    ['another memo', () => (shown.transaction.message.instructions[0]!.data = encodeBase58(Buffer.from('a lie')))],
    ['another payer', () => (shown.transaction.message.accountKeys[0] = Keypair.generate().publicKey.toBase58())],
    ['another transaction', async () => (shown = await show(others))],
  ])('is not trusted with %s: another node is asked, and without one it is unknown', async (_what, lie) => {
    await lie();
    answerWith(shown);
    const both = bench.closes(new SolanaChain({ urls: [liar.url, rpcUrl] }));
    expect((await both.transaction(signature))?.memos).toEqual(['what was signed']);
    const alone = bench.closes(new SolanaChain({ urls: liar.url, deadlineMs: 200 }));
    await expect(alone.transaction(signature)).rejects.toMatchObject({
      name: 'ChainUnavailable',
      reason: 'node-unhealthy',
    });
  });

  it('is trusted as it was signed', async () => {
    answerWith(shown);
    const chain = bench.closes(new SolanaChain({ urls: liar.url }));
    expect((await chain.transaction(signature))?.feePayer).toBe(signer.publicKey);
  });
});
