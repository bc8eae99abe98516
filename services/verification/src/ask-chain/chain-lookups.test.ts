import { ChainUnavailable, type ChainTransaction } from '@countersign/chain';
import { limitedLookups } from './chain-lookups.js';

describe('look-ups at the chain', () => {
  it('are so many at once, the others in turn, and none beyond what may wait', async () => {
    const under: { readonly signature: string; end(failed?: boolean): void }[] = [];
    const chain = limitedLookups(
      {
        network: () => Promise.resolve('solana:localnet'),
        transaction: (signature) =>
          new Promise<ChainTransaction | null>((resolve, reject) =>
            under.push({ signature, end: (failed) => (failed === true ? reject(new Error('no')) : resolve(null)) }),
          ),
      },
      { atOnce: 2, waiting: 1 },
    );
    const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    const asked = ['a', 'b', 'c'].map((signature) => chain.transaction(signature).catch(() => 'failed'));
    await expect(chain.transaction('d')).rejects.toBeInstanceOf(ChainUnavailable);
    expect(under.map(({ signature }) => signature)).toEqual(['a', 'b']);
    under[0]!.end(true);
    await turn();
    expect(under.map(({ signature }) => signature)).toEqual(['a', 'b', 'c']);
    under[1]!.end();
    under[2]!.end();
    expect(await Promise.all(asked)).toEqual(['failed', null, null]);
    void chain.transaction('e');
    await turn();
    expect(under.at(-1)?.signature).toBe('e');
    under.at(-1)!.end();
    expect(await chain.network()).toBe('solana:localnet');
  });
});
