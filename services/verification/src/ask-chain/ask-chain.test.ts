import { readFileSync } from 'node:fs';
import { ChainRejected, ChainUnavailable, type ChainTransaction, type Network } from '@countersign/chain';
import { transactionsToAsk, type NamedTransaction } from '@countersign/evidence';
import { askChain } from './ask-chain.js';

const NETWORK: Network = 'solana:localnet';

/** A chain that counts; `answer` gives what it returns for a signature. */
function countingChain(answer: (signature: string) => Promise<ChainTransaction | null>): {
  readonly asked: string[];
  readonly chain: Parameters<typeof askChain>[0];
} {
  const asked: string[] = [];
  const transaction = (signature: string): Promise<ChainTransaction | null> => {
    asked.push(signature);
    return answer(signature);
  };
  return { asked, chain: { network: async () => NETWORK, transaction } };
}

const named = (...signatures: string[]): NamedTransaction[] =>
  signatures.map((txSignature) => ({ txSignature, network: NETWORK }));

describe('asking the chain', () => {
  it('asks for each transaction of a package once, however many proofs name it', async () => {
    const file = new URL('../../../../libs/evidence/vectors/valid-small.json', import.meta.url);
    const { package: pkg } = JSON.parse(readFileSync(file, 'utf8')) as {
      readonly package: {
        readonly timestamp: { readonly anchor: string; readonly anchor_tx_signature: string };
        readonly inclusionProofs: readonly { readonly txSignature?: string; readonly network?: string }[];
      };
    };
    const { timestamp, inclusionProofs } = pkg;
    const places = [timestamp.anchor_tx_signature, ...inclusionProofs.map(({ txSignature }) => txSignature)];
    const all = places.filter((signature) => signature !== undefined);
    expect(all.length).toBeGreaterThan(new Set(all).size);
    const { asked, chain } = countingChain(async () => null);
    const network = async (): Promise<Network> => timestamp.anchor as Network;
    const found = await askChain({ ...chain, network }, transactionsToAsk(pkg), []);
    expect(asked.toSorted()).toEqual([...new Set(all)].toSorted());
    expect([...found.transactions.keys()].toSorted()).toEqual(asked.toSorted());
  });

  it('asks once for what is named twice, and not for what is said to be on another network', async () => {
    const { asked, chain } = countingChain(async () => null);
    const elsewhere = { txSignature: 'c', network: 'solana:mainnet-beta' };
    const found = await askChain(chain, [...named('a', 'b', 'a', 'a'), elsewhere], []);
    expect(asked.toSorted()).toEqual(['a', 'b']);
    expect([...found.transactions]).toEqual([
      ['a', 'not-found'],
      ['b', 'not-found'],
    ]);
  });

  it('stops after three in a row without an answer', async () => {
    const { asked, chain } = countingChain(() => Promise.reject(new ChainUnavailable('network', 'no answer')));
    const many = Array.from({ length: 200 }, (_, i) => `t${i}`);
    const found = await askChain(chain, named(...many), []);
    // Three, and what was under way beside them.
    expect(asked.length).toBeLessThan(20);
    expect([...found.transactions.values()]).toEqual(many.map(() => 'unavailable'));
  });

  it('distinguishes what is not a signature from what a node does not know, and from a failure', async () => {
    const refusing = countingChain(() => Promise.reject(new ChainRejected('invalid-transaction', 'not 64 bytes')));
    expect([...(await askChain(refusing.chain, named('a'), [])).transactions]).toEqual([['a', 'not-found']]);
    const refused = countingChain(() => Promise.reject(new ChainRejected('history-not-available', 'too old for me')));
    expect([...(await askChain(refused.chain, named('a'), [])).transactions]).toEqual([['a', 'unavailable']]);
    const broken = countingChain(() => Promise.reject(new TypeError('no such function')));
    await expect(askChain(broken.chain, named('a'), [])).rejects.toThrow('no such function');
  });
});
