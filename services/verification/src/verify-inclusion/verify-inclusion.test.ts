import { readFileSync } from 'node:fs';
import type { ChainFacts } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/service-kit';
import { answerInclusion } from './verify-inclusion.js';
import type { TrustedFacts } from './verify-inclusion.js';

const vector = JSON.parse(
  readFileSync(new URL('../../../../libs/evidence/vectors/event-valid.json', import.meta.url), 'utf8'),
) as { readonly event: object; readonly proof: { readonly network: string } };

function trusting(network: string): TrustedFacts {
  const authorities = [{ address: 'authority', network, validFrom: null, validTo: null }];
  const chain: ChainFacts = { network, transactions: new Map(), authorities };
  return {
    crypto: nodeCrypto,
    keys: () => [],
    authorities: () => authorities,
    askChain: () => Promise.resolve(chain),
  };
}

describe('a proof that stands alone', () => {
  const { event, proof } = vector;

  it('holds as far as it could be checked on a network of ours', async () => {
    const answer = await answerInclusion({ event, proof }, trusting(proof.network));
    expect([answer.ok, answer.chain?.checked]).toEqual([true, false]);
  });

  it('does not hold on a network where no authority of ours anchors: its maker chose the root', async () => {
    const answer = await answerInclusion({ event, proof }, trusting('solana:elsewhere'));
    expect(answer).toMatchObject({ ok: false, event: { ok: false, anchored: true, chain: { checked: false } } });
    expect(answer.problems).toHaveLength(1);
    expect(answer.problems[0]).toMatchObject({ code: 'transaction-authority', path: 'proof' });
  });
});
