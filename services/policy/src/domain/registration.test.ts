import { generateKeyPairSync } from 'node:crypto';
import { encodeBase58 } from '@countersign/chain';
import type { ChainTransaction } from '@countersign/chain';
import { blockchainSsn, registrationMemo } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { createAgent, deactivateAgent, freezeAgent } from './life-cycle.js';
import { refuseRegistration, registerAgent, transactionProblem } from './registration.js';

const { sha256 } = nodeCrypto;
const T = Date.UTC(2026, 2, 1);
const BY = { kind: 'user', id: 'u-1' } as const;
const ID = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const OTHER_ID = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
const address = (): string =>
  encodeBase58(generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
const [WALLET, STRANGER] = [address(), address()];
const TRANSACTION = encodeBase58(new Uint8Array(64).fill(7));
const REGISTRATION = { walletAddress: WALLET, transactionSignature: TRANSACTION };

const { agent } = createAgent(
  ID,
  'account',
  { name: 'Booking', type: null, purpose: null, version: null },
  BY,
  T,
  sha256,
);
const changed = (change: ReturnType<typeof registerAgent>) => {
  if (change.kind !== 'changed') throw new Error('expected a change');
  return change;
};

describe('registerAgent', () => {
  it('sets wallet, transaction and the number that anyone can compute, and commits what was given', () => {
    const { agent: registered, event } = changed(registerAgent(agent, REGISTRATION, BY, T + 5, sha256));
    expect(registered).toMatchObject({ revision: 2, frozenAtMs: 0 });
    expect(registered.facts).toEqual({
      ...agent.facts,
      blockchain_ssn: blockchainSsn({ agentId: ID, ...REGISTRATION }, sha256),
      wallet_address: WALLET,
      chain_tx_signature: TRANSACTION,
      registered_at: new Date(T + 5).toISOString(),
      updated_at: new Date(T + 5).toISOString(),
    });
    expect(event).toEqual({
      type: 'agent.registered',
      committed: { ...REGISTRATION, by: { kind: 'user', id: 'u-1' } },
      profileVersion: null,
      profileSha256: null,
    });
  });

  it('takes a frozen agent, which stays frozen', () => {
    const { agent: frozen } = changed(freezeAgent(agent, null, BY, T, T));
    expect(changed(registerAgent(frozen, REGISTRATION, BY, T, sha256)).agent).toMatchObject({
      frozenAtMs: frozen.frozenAtMs,
      facts: { status: 'frozen' },
    });
  });

  it('refuses an inactive agent and one that is registered, also by the same transaction', () => {
    const { agent: gone } = changed(deactivateAgent(agent, null, BY, T));
    const { agent: registered } = changed(registerAgent(agent, REGISTRATION, BY, T, sha256));
    for (const [one, words] of [
      [gone, 'inactive'],
      [registered, registered.facts.blockchain_ssn!],
    ] as const) {
      const refusal = { kind: 'refused', status: 409, words: expect.stringContaining(words) };
      expect(registerAgent(one, REGISTRATION, BY, T, sha256)).toEqual(refusal);
      expect(refuseRegistration(one)).toEqual(refusal);
    }
    expect(refuseRegistration(agent)).toBeNull();
  });
});

describe('transactionProblem', () => {
  const memo = registrationMemo(ID, sha256);
  const landed = (over: Partial<ChainTransaction> = {}): ChainTransaction => ({
    signature: TRANSACTION,
    slot: 5,
    blockHeight: 5,
    blockTime: 1,
    succeeded: true,
    signers: [WALLET],
    feePayer: WALLET,
    memos: [memo],
    confirmations: 3,
    ...over,
  });
  const problem = (over?: Partial<ChainTransaction>) => transactionProblem(ID, WALLET, landed(over), sha256);

  it('has nothing against the one that was built, nor against more signers and other memos', () => {
    expect(problem()).toBeNull();
    expect(problem({ signers: [WALLET, STRANGER], memos: ['from my wallet', memo] })).toBeNull();
    expect(transactionProblem(ID.toUpperCase(), WALLET, landed(), sha256)).toBeNull();
  });

  it.each([
    ['failed', { succeeded: false }, 'failed'],
    ['was signed by another', { signers: [STRANGER], feePayer: STRANGER }, 'did not sign'],
    ['was paid by another', { signers: [STRANGER, WALLET], feePayer: STRANGER }, 'did not pay'],
    ['has no memo', { memos: [] }, 'has no memo'],
    ['says something else', { memos: ['hello', ` ${memo}`] }, 'no memo of the transaction is a registration'],
    ['says it in upper case', { memos: [memo.toUpperCase()] }, 'no memo of the transaction is a registration'],
    ['says it twice', { memos: [memo, memo] }, '2 memos that register'],
    ['registers another beside', { memos: [memo, registrationMemo(OTHER_ID, sha256)] }, '2 memos that register'],
    ['names another agent', { memos: [registrationMemo(OTHER_ID, sha256)] }, 'names another agent'],
  ] as const)('refuses one that %s', (_what, over, words) => {
    expect(problem(over)).toContain(words);
  });
});
