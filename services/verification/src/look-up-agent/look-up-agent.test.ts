import fc from 'fast-check';
import type { AgentFacts, AgentHeadFacts } from '@countersign/contracts';
import { blockchainSsn, readSsn } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { HttpRefusal } from '@countersign/http-edge';
import type { RegisteredAgent } from '../store/port.js';
import { lookUpAgent } from './look-up-agent.js';
import { registeredAgent } from './registered-agent.js';

const ID = '0198a1b2-0000-4000-8000-000000000001';
const WALLET = 'W'.repeat(44);
const TRANSACTION = '5'.repeat(88);
const SSN = blockchainSsn({ agentId: ID, transactionSignature: TRANSACTION, walletAddress: WALLET }, nodeCrypto.sha256);

const FACTS: AgentFacts = {
  accountId: 'the account',
  name: 'the name',
  type: 'support',
  purpose: 'the purpose',
  version: '7',
  status: 'active',
  blockchain_ssn: SSN,
  wallet_address: WALLET,
  chain_tx_signature: TRANSACTION,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-03T00:00:00.000Z',
  registered_at: '2026-01-02T00:00:00.000Z',
  unfrozenAtMs: 0,
  profile: { agent_id: ID } as AgentFacts['profile'],
  profileSha256: 'ab'.repeat(32),
};

function factsOf(agent: RegisteredAgent | null, head: AgentHeadFacts | null = null): Parameters<typeof lookUpAgent>[1] {
  return {
    agentBySsn: async (ssn) => (agent !== null && ssn === agent.ssn ? { id: ID, facts: agent } : null),
    agentHead: async (id) => (id === ID ? head : null),
  };
}

const known = factsOf(registeredAgent(ID, FACTS), { lastSequence: 12, checks: 9 });
const statusOf = (text: string): Promise<number> =>
  lookUpAgent(text, known).then(
    () => 200,
    (error: unknown) => {
      if (error instanceof HttpRefusal) return error.status;
      throw error;
    },
  );

describe('the public record of an agent', () => {
  it('holds what is public of it and nothing else', async () => {
    expect(await lookUpAgent(SSN, known)).toEqual({
      verified: true,
      agent_type: 'support',
      registered_at: '2026-01-02T00:00:00.000Z',
      created_at: '2026-01-01T00:00:00.000Z',
      action_count: 9,
      status: 'Active',
      owner_wallet: WALLET,
    });
    expect(await lookUpAgent(SSN.toLowerCase(), known)).toMatchObject({ verified: true });
  });

  it('keeps nothing of the account, the name or the profile', () => {
    const kept = JSON.stringify(registeredAgent(ID, FACTS));
    for (const hidden of ['the account', 'the name', 'the purpose', 'ab'.repeat(32), ID]) {
      expect(kept).not.toContain(hidden);
    }
  });

  it.each([
    ['active', 'Active'],
    ['frozen', 'Frozen'],
    ['inactive', 'Inactive'],
  ] as const)('stays after the agent became %s', async (status, shown) => {
    const facts = factsOf(registeredAgent(ID, { ...FACTS, status, type: null, registered_at: null }));
    expect(await lookUpAgent(SSN, facts)).toMatchObject({
      verified: true,
      status: shown,
      agent_type: null,
      registered_at: null,
      action_count: 0,
    });
  });

  it.each([
    ['without an SSN', { blockchain_ssn: null }],
    ['without a wallet', { wallet_address: null }],
    ['without a transaction', { chain_tx_signature: null }],
    ['with the SSN of another wallet', { wallet_address: 'V'.repeat(44) }],
    ['with the SSN of another transaction', { chain_tx_signature: '4'.repeat(88) }],
  ] as const)('is none for an agent %s', async (_what, more) => {
    expect(registeredAgent(ID, { ...FACTS, ...more })).toBeNull();
    await expect(lookUpAgent(SSN, factsOf(null))).rejects.toMatchObject({ status: 404 });
  });
});

describe('what is asked for as an SSN', () => {
  const CHARACTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

  it('is 400 with any one character wrong', async () => {
    for (let at = 4; at < SSN.length; at += 1) {
      if (SSN[at] === '-') continue;
      for (const other of CHARACTERS) {
        if (other === SSN[at]) continue;
        expect(await statusOf(SSN.slice(0, at) + other + SSN.slice(at + 1))).toBe(400);
      }
    }
  });

  it('is 404 where it is well formed and no agent has it', async () => {
    const any = fc.record({
      agentId: fc.uuid(),
      transactionSignature: fc.string({ minLength: 1 }),
      walletAddress: fc.string({ minLength: 1 }),
    });
    await fc.assert(
      fc.asyncProperty(any, async (registration) => {
        expect(await statusOf(blockchainSsn(registration, nodeCrypto.sha256).toLowerCase())).toBe(404);
      }),
    );
  });

  /** Any code point, surrogates too. */
  const character = fc.nat(0x10ffff).map((code) => String.fromCodePoint(code));

  it('is 200, 400 or 404, whatever it is', async () => {
    const near = fc
      .array(fc.constantFrom(...CHARACTERS, 'I', 'O', 'ſ', 'ı', '-', ' ', '\u0000', '%'), { maxLength: 24 })
      .map((characters) => `CSN-${characters.join('')}`);
    const text = fc.oneof(
      fc.string({ unit: character, maxLength: 40 }),
      near,
      fc.constantFrom(SSN, `${SSN}\n`, ` ${SSN}`),
    );
    await fc.assert(
      fc.asyncProperty(text, async (asked) => {
        const wanted = asked.toUpperCase() === SSN ? 200 : readSsn(asked) === null ? 400 : 404;
        expect(await statusOf(asked)).toBe(wanted);
      }),
      { numRuns: 500 },
    );
  });
});
