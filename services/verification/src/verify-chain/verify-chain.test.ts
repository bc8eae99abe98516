import { ChainRejected, ChainUnavailable, type Chain, type ChainTransaction } from '@countersign/chain';
import { reportMemo } from '@countersign/evidence';
import type { PublicFacts } from '../store/port.js';
import { checkReportAnchor } from './verify-chain.js';

const CONTENT = 'ef'.repeat(32);
const SHA = 'cd'.repeat(32);
const SIGNATURE = '5'.repeat(88);

const transaction: ChainTransaction = {
  signature: SIGNATURE,
  slot: 12,
  blockHeight: 11,
  blockTime: 1,
  succeeded: true,
  signers: ['authority'],
  feePayer: 'authority',
  memos: [reportMemo(CONTENT)],
  confirmations: 3,
};

const facts = {
  reportBySha256: async (sha256: string) =>
    sha256 === SHA ? { id: 'r', facts: { contentHash: CONTENT, signature: 'c2ln' } } : null,
  authorities: async () => [{ kind: 'authority', address: 'authority', network: 'n', validFrom: null, validTo: null }],
} as unknown as PublicFacts;

function chainThat(answer: () => Promise<ChainTransaction | null>): () => Promise<Chain> {
  return () => Promise.resolve({ network: async () => 'n', transaction: answer } as unknown as Chain);
}
const chain = chainThat(() => Promise.resolve(transaction));
const body = { anchor_tx_signature: SIGNATURE, sha256: SHA, signature: 'c2ln' };

describe('whether a transaction names the content hash of a report', () => {
  it('is confirmed by the package’s sha256 and signature', async () => {
    expect(await checkReportAnchor(body, facts, chain)).toMatchObject({
      status: 200,
      body: { confirmed: true, block_height: 11, slot: 12, confirmations: 3 },
    });
  });

  it('is confirmed by the content hash itself, and says that the signature was not judged', async () => {
    const answer = await checkReportAnchor({ ...body, sha256: CONTENT, signature: 'any' }, facts, chain);
    expect(answer.body.confirmed).toBe(true);
    expect(answer.body.detail).toContain('not judged');
  });

  it.each([
    ['another signature', { ...body, signature: 'bm8=' }, transaction],
    ['an unknown hash', { ...body, sha256: 'aa'.repeat(32) }, transaction],
    ['a failed transaction', body, { ...transaction, succeeded: false }],
    ['another memo', body, { ...transaction, memos: [reportMemo('aa'.repeat(32))] }],
    ['another signer', body, { ...transaction, signers: ['another'] }],
    ['no transaction', body, null],
  ])('is not confirmed for %s', async (_what, request, found) => {
    const answer = await checkReportAnchor(
      request,
      facts,
      chainThat(() => Promise.resolve(found)),
    );
    expect(answer).toMatchObject({ status: 200, body: { confirmed: false } });
  });

  it.each([
    ['before its time', { validFrom: '2026-01-01T00:00:00.000Z', validTo: null }, false],
    ['after its time', { validFrom: null, validTo: '1970-01-01T00:00:01.000Z' }, false],
    ['in its time', { validFrom: '1970-01-01T00:00:01.000Z', validTo: '1970-01-01T00:00:02.000Z' }, true],
    ['of another network', { network: 'm', validFrom: null, validTo: null }, false],
  ])('of an authority %s', async (_what, more, confirmed) => {
    const one = { kind: 'authority', address: 'authority', network: 'n', ...more };
    const others = { ...facts, authorities: async () => [one] } as unknown as PublicFacts;
    expect((await checkReportAnchor(body, others, chain)).body.confirmed).toBe(confirmed);
  });

  it('takes nothing that breaks for the word of the chain', async () => {
    const broken = chainThat(() => Promise.reject(new TypeError('no such function')));
    await expect(checkReportAnchor(body, facts, broken)).rejects.toThrow('no such function');
    const refused = chainThat(() => Promise.reject(new ChainRejected('invalid-transaction', 'not 64 bytes')));
    expect(await checkReportAnchor(body, facts, refused)).toMatchObject({ status: 200, body: { confirmed: false } });
  });

  it.each([
    ['nothing', {}],
    ['no object', []],
    ['a short hash', { ...body, sha256: 'ab' }],
    ['a signature that is no base58', { ...body, anchor_tx_signature: '0OIl' }],
    ['an empty signature', { ...body, signature: '' }],
  ])('is 400 in the same shape for %s', async (_what, request) => {
    const answer = await checkReportAnchor(request, facts, chain);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({ confirmed: false, error: expect.any(String) });
  });

  it('is 500 in the same shape when no node answers', async () => {
    const silent = chainThat(() => Promise.reject(new ChainUnavailable('network', 'no answer')));
    const forgetful = chainThat(() => Promise.reject(new ChainRejected('history-not-available', 'too old for me')));
    const closed = (): Promise<Chain> => Promise.reject(new Error('no network'));
    for (const unavailable of [silent, forgetful, closed]) {
      const answer = await checkReportAnchor(body, facts, unavailable);
      expect(answer).toMatchObject({ status: 500, body: { confirmed: false } });
    }
  });

  it('blames no chain for a store that cannot be read', async () => {
    const broken = { ...facts, authorities: () => Promise.reject(new Error('no store')) };
    await expect(checkReportAnchor(body, broken, chain)).rejects.toThrow('no store');
  });
});
