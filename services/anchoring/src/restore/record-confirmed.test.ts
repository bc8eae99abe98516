import type { Chain, ListedTransaction } from '@countersign/chain';
import type { Landed, Submission } from '../store/port.js';
import { recordConfirmed } from './record-confirmed.js';

const OURS = 'the authority';
const submission = (id: string, memo: string): Submission => ({ id, memo, attempts: [], landed: null });

interface Sent {
  readonly memo: string;
  readonly signer?: string;
  readonly succeeded?: boolean;
  /** Height from which on it is finalized. */
  readonly at?: number;
}

function world(sent: readonly Sent[]) {
  let height = 100;
  const saved = new Map<string, Landed>();
  const listed = (): ListedTransaction[] =>
    sent.flatMap(({ memo, succeeded = true, at = 0 }, n) =>
      at > height ? [] : [{ signature: `${n}`, slot: n, blockTime: 1, succeeded, memos: [memo] }],
    );
  const chain = {
    blockHeight: async () => (height += 25),
    network: async () => 'solana:localnet',
    transactionsOf: async () => listed(),
    transaction: async (signature: string) => {
      const { signer = OURS, memo } = sent[Number(signature)]!;
      return { signature, slot: 1, blockHeight: 7, blockTime: 1, succeeded: true, signers: [signer], memos: [memo] };
    },
  } as unknown as Chain;
  const store = {
    closedWindow: async () => null,
    saveAnchored: async (id: string, landed: Landed) => void saved.set(id, landed),
  };
  const tools = { chain, store, authority: OURS, clock: () => 1_000, progress: () => undefined, lookMs: 0 };
  return { saved, tools, height: () => height };
}

describe('memos that were confirmed and not published', () => {
  it('are found by what they say and who signed them, and the others can be sent', async () => {
    const { saved, tools } = world([
      { memo: 'first', signer: 'a stranger' },
      { memo: 'second' },
      { memo: 'third', succeeded: false },
    ]);
    const unpublished = [
      submission('window:1-1', 'first'),
      submission('report:a', 'second'),
      submission('report:b', 'third'),
    ];
    expect(await recordConfirmed(tools, unpublished)).toEqual(['report:a']);
    expect([...saved]).toEqual([['report:a', expect.objectContaining({ signature: '1', authority: OURS })]]);
  });

  it('are waited for until none can land any more', async () => {
    const { saved, tools, height } = world([{ memo: 'late', at: 260 }]);
    expect(await recordConfirmed(tools, [submission('window:1-1', 'late')])).toEqual(['window:1-1']);
    expect(saved.size).toBe(1);
    expect(height()).toBeGreaterThan(100 + 150);
  });

  it('need no chain where all anchors are published', async () => {
    const { tools, height } = world([]);
    expect(await recordConfirmed(tools, [])).toEqual([]);
    expect(height()).toBe(100);
  });
});
