import { chainContract } from '../chain.contract.js';
import { TestBench } from '../localnet/fixtures.test-kit.js';
import { SolanaChain } from './solana-chain.js';

const bench = new TestBench();
afterAll(() => bench.end());

chainContract('Solana JSON-RPC, on the embedded network', async () => {
  const { rpcUrl } = await bench.localnet();
  return { chain: bench.closes(new SolanaChain({ urls: rpcUrl })), finalWithinMs: 5_000 };
});
