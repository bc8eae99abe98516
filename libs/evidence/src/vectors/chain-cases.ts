import type { SignedPackage } from '@countersign/contracts';
import { parseWindowMemo, windowMemo } from '../chain/memo.js';
import type { ChainTransaction } from '../verify/options.js';
import type { ProblemCode, Vouched } from '../verify/result.js';
import type { Surroundings } from './surroundings.js';

export interface ChainCase {
  readonly name: string;
  readonly description: string;
  readonly change: (around: Surroundings, pkg: SignedPackage) => void;
  readonly expected: ProblemCode | null;
  /** Where nothing is wrong; both are `true` by default. */
  readonly vouched?: Partial<Vouched>;
}

const reportTx = (pkg: SignedPackage): string => pkg.timestamp.anchor_tx_signature!;
const windowTx = (pkg: SignedPackage): string => pkg.windows[0]!.txSignature;

function changed(around: Surroundings, signature: string, change: Partial<ChainTransaction>): void {
  around.transactions[signature] = { ...(around.transactions[signature] as ChainTransaction), ...change };
}

function rewritten(around: Surroundings, pkg: SignedPackage, change: Parameters<typeof windowMemo>[0] | object): void {
  const transaction = around.transactions[windowTx(pkg)] as ChainTransaction;
  const memo = parseWindowMemo(transaction.memos[0]!)!;
  changed(around, windowTx(pkg), { memos: [windowMemo({ ...memo, ...change })] });
}

/** A sound package, and a chain or a key that contradicts it. */
export const CHAIN_CASES: readonly ChainCase[] = [
  {
    name: 'window-no-events',
    description: 'The memo of a window counts no event, which no window has: it is none of ours.',
    change: (around, pkg) => rewritten(around, pkg, { events: 0 }),
    expected: 'transaction-memo',
  },
  {
    name: 'no-key',
    description: 'No key is given: integrity only, the issuer is not checked.',
    change: (around) => (around.withoutKey = true),
    expected: null,
    vouched: { issuer: false },
  },
  {
    name: 'no-answer',
    description: 'The chain does not answer: nothing is wrong, and the chain is named as not checked.',
    change: (around) => Object.keys(around.transactions).forEach((tx) => (around.transactions[tx] = 'unavailable')),
    expected: null,
    vouched: { anchor: false },
  },
  {
    name: 'other-network',
    description: 'Another network was asked: nothing is wrong, and the chain is named as not checked.',
    change: (around) => (around.network = 'solana:mainnet-beta'),
    expected: null,
    vouched: { anchor: false },
  },
  {
    name: 'no-authority',
    description: 'No authority is given: who anchored is named as not checked.',
    change: (around) => (around.authorities = null),
    expected: null,
    vouched: { anchor: false },
  },
  {
    name: 'key-retired',
    description: 'A retired key keeps verifying what it signed inside its validity.',
    change: (around) => (around.key = { ...around.key, status: 'retired', validTo: '2026-03-03T00:00:00.000Z' }),
    expected: null,
  },
  {
    name: 'key-retired-no-answer',
    description: 'Nothing proves that a retired key signed while it was valid: nothing is wrong, and nobody vouches.',
    change: (around, pkg) => {
      around.key = { ...around.key, status: 'retired', validTo: '2026-03-03T00:00:00.000Z' };
      around.transactions[reportTx(pkg)] = 'unavailable';
    },
    expected: null,
    vouched: { issuer: false, anchor: false },
  },
  {
    name: 'key-ends-no-time',
    description:
      'The chain keeps no time of the transaction, and the validity of the key, which is in use, has an end.',
    change: (around, pkg) => {
      around.key = { ...around.key, validTo: '2027-03-03T00:00:00.000Z' };
      changed(around, reportTx(pkg), { blockTime: null });
    },
    expected: null,
    vouched: { issuer: false },
  },
  {
    name: 'window-not-final',
    description: "A window's transaction is not final yet: nothing is wrong, and it is named as not checked.",
    change: (around, pkg) => changed(around, windowTx(pkg), { finalized: false }),
    expected: null,
    vouched: { anchor: false },
  },
  {
    name: 'window-one-unasked',
    description: "The chain was not asked for a window's transaction.",
    change: (around, pkg) => delete around.transactions[windowTx(pkg)],
    expected: null,
    vouched: { anchor: false },
  },
  {
    name: 'key-ended-before',
    description: 'The key had ended when the report was anchored.',
    change: (around) => (around.key = { ...around.key, status: 'retired', validTo: '2026-03-02T11:00:00.000Z' }),
    expected: 'key-outside-validity',
  },
  {
    name: 'key-not-yet-valid',
    description: 'The key was not valid yet when the report was anchored.',
    change: (around) => (around.key = { ...around.key, validFrom: '2026-03-02T11:30:00.000Z' }),
    expected: 'key-outside-validity',
  },
  {
    name: 'key-revoked',
    description: 'The key was revoked.',
    change: (around) => (around.key = { ...around.key, status: 'revoked' }),
    expected: 'key-revoked',
  },
  {
    name: 'report-not-found',
    description: "The report's transaction does not exist.",
    change: (around, pkg) => (around.transactions[reportTx(pkg)] = 'not-found'),
    expected: 'transaction-not-found',
  },
  {
    name: 'report-other-hash',
    description: "The report's transaction names another content hash.",
    change: (around, pkg) => changed(around, reportTx(pkg), { memos: [`countersign/1 report=${'0'.repeat(64)}`] }),
    expected: 'transaction-root-differs',
  },
  {
    name: 'report-height',
    description: "The report's transaction lies in another block.",
    change: (around, pkg) => changed(around, reportTx(pkg), { blockHeight: 5001 }),
    expected: 'transaction-height-differs',
  },
  {
    name: 'window-not-found',
    description: "A window's transaction does not exist.",
    change: (around, pkg) => (around.transactions[windowTx(pkg)] = 'not-found'),
    expected: 'transaction-not-found',
  },
  {
    name: 'window-failed',
    description: "A window's transaction failed.",
    change: (around, pkg) => changed(around, windowTx(pkg), { succeeded: false }),
    expected: 'transaction-failed',
  },
  {
    name: 'window-stranger',
    description: 'Someone else wrote the same memo.',
    change: (around, pkg) =>
      changed(around, windowTx(pkg), { signers: ['Stranger11111111111111111111111111111111111'] }),
    expected: 'transaction-authority',
  },
  {
    name: 'authority-ended',
    description: 'The authority was not valid any more at the block time.',
    change: (around) =>
      (around.authorities = around.authorities!.map((authority) => ({
        ...authority,
        validTo: '2026-03-02T10:10:00.000Z',
      }))),
    expected: 'transaction-authority',
  },
  {
    name: 'window-no-memo',
    description: "A window's transaction holds no memo of ours.",
    change: (around, pkg) => changed(around, windowTx(pkg), { memos: ['hello'] }),
    expected: 'transaction-memo',
  },
  {
    name: 'window-other-root',
    description: 'The memo holds another root.',
    change: (around, pkg) => rewritten(around, pkg, { root: 'f'.repeat(64) }),
    expected: 'transaction-root-differs',
  },
  {
    name: 'window-other-size',
    description: 'The memo names one agent more than the tree is said to have.',
    change: (around, pkg) => rewritten(around, pkg, { agents: pkg.windows[0]!.treeSize + 1 }),
    expected: 'transaction-size-differs',
  },
  {
    name: 'window-other-label',
    description: 'The memo names another window.',
    change: (around, pkg) => rewritten(around, pkg, { windowStart: '2026-03-02T09:55:00.000Z' }),
    expected: 'transaction-window-differs',
  },
  {
    name: 'window-other-duration',
    description: 'The memo names a window of another length.',
    change: (around, pkg) => rewritten(around, pkg, { durationSeconds: 3600 }),
    expected: 'transaction-window-differs',
  },
];
