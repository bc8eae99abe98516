import type { Tally } from '../verify/use-many-verifier.js';

/** Texts of what is verified in the browser. */
export const verifyWords = {
  action: 'Verify in this browser',
  failed: 'It could not be verified',
  verdicts: {
    holds: ['Verified', 'Everything that can be checked was checked in this browser, and holds.'],
    partly: ['Nothing is wrong, but not everything was checked', 'What was not checked, and why, stands below.'],
    refused: ['Does not hold', 'Do not rely on it: something in it is wrong.'],
  },
  details: (checked: number, open: number) => `${checked} checked, ${open} not checked`,
  oversight: 'Human oversight',
  checked: 'Checked',
  notChecked: 'Not checked',
  key: 'Key',
  chain: 'Chain',
  recomputed: {
    same: 'Computed again: every verdict follows from the policy',
    partly: 'Computed again: not every verdict could be confirmed',
    differs: 'Computed again: something does not follow from the policy',
  },
  more: (count: number) => `and ${count} more`,
  rpc: 'Solana RPC address',
  rpcHint: 'Your own node, or one that you trust: only this browser asks it. Empty: the chain is not asked.',
} as const;

/** Texts of several events that are verified in the browser. */
export const manyWords = {
  action: 'Verify rows on screen',
  chosen: (count: number) => `Verify ${count} chosen`,
  stop: 'Stop',
  progress: (done: number, of: number) => `Verifying ${done} of ${of} …`,
  result: ({ of, holds, partly, waiting, refused, failed }: Tally): string => {
    const anchored = of - waiting;
    const open = anchored - holds - partly - refused.length - failed.length;
    const parts = [
      ...(anchored === 0 ? [] : [`${holds + partly} of ${anchored} hold`]),
      ...(refused.length === 0 ? [] : [`${refused.length} do not hold`]),
      ...(failed.length === 0 ? [] : [`${failed.length} could not be verified`]),
      ...(open === 0 ? [] : [`${open} stopped before`]),
      ...(waiting === 0 ? [] : [`${waiting} not anchored yet`]),
    ];
    return parts.join(', ');
  },
  partly:
    'Leaf, hash and both paths hold. Not all of it was compared with the chain: open an event to choose a node, or to see what is missing.',
  verified: 'Leaf, hash, both paths, and the transaction that holds the root, by the node that you chose.',
  nothing: 'No row is on screen',
  more: (count: number) => `and ${count} more`,
} as const;
