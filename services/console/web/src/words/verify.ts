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
