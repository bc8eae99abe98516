import { ChainRejected, ChainUnavailable } from '@countersign/chain';
import type { Chain, ChainTransaction, TransactionStatus } from '@countersign/chain';
import { ChainNotAsked, lookUp } from './look-up.js';

const FOUND = { signature: 's', succeeded: true } as ChainTransaction;
const final = (): Promise<TransactionStatus> => Promise.resolve({ state: 'finalized', slot: 1, err: null });

/** Answers each call for the transaction by the next of `found`. */
function chain(found: (ChainTransaction | null)[], status: () => Promise<TransactionStatus>): () => Promise<Chain> {
  const asked: Partial<Chain> = { transaction: async () => found.shift() ?? null, status };
  return async () => asked as Chain;
}

describe('lookUp', () => {
  it('asks for nothing more than a transaction that is final', async () => {
    const never = () => Promise.reject(new Error('was asked'));
    expect(await lookUp(chain([FOUND], never), 's')).toBe(FOUND);
  });

  it.each([
    ['unknown', { state: 'not-found' }],
    ['not-finalized', { state: 'pending', slot: 1 }],
    ['not-finalized', { state: 'confirmed', slot: 1, err: null }],
    ['not-finalized', { state: 'confirmed', slot: 1, err: 'AccountNotFound' }],
  ] as const)('calls %s what is %j', async (answer, status) => {
    expect(
      await lookUp(
        chain([], async () => status),
        's',
      ),
    ).toBe(answer);
  });

  it('calls not final what one node sees on its way and another keeps no history of', async () => {
    const transaction = () => Promise.reject(new ChainRejected('history-not-available', ''));
    const status = async (): Promise<TransactionStatus> => ({ state: 'pending', slot: 1 });
    expect(await lookUp(async () => ({ transaction, status }) as unknown as Chain, 's')).toBe('not-finalized');
  });

  it('takes one that became final in between', async () => {
    expect(await lookUp(chain([null, FOUND], final), 's')).toBe(FOUND);
  });

  it('believes no node that calls final what it does not show', async () => {
    await expect(lookUp(chain([], final), 's')).rejects.toThrow(ChainNotAsked);
  });

  it('says why the chain cannot be asked, and names no node', async () => {
    for (const [error, why] of [
      [new ChainUnavailable('timeout', 'node.example did not answer'), '(timeout)'],
      [new ChainRejected('history-not-available', 'node.example has none'), '(history-not-available)'],
    ] as const) {
      const status = async (): Promise<TransactionStatus> => ({ state: 'not-found' });
      const asked = lookUp(async () => ({ transaction: () => Promise.reject(error), status }) as unknown as Chain, 's');
      await expect(asked).rejects.toThrow(why);
      await expect(asked).rejects.not.toThrow('node.example');
    }
    const none = lookUp(() => Promise.reject(new Error('node.example')), 's');
    await expect(none).rejects.toThrow(ChainNotAsked);
  });

  it('hides no fault of its own', async () => {
    const broken = async () => ({ transaction: () => Promise.reject(new TypeError('x')) }) as unknown as Chain;
    await expect(lookUp(broken, 's')).rejects.toThrow(TypeError);
  });
});
