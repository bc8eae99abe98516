import { readFileSync } from 'node:fs';
import { ChainUnavailable, type Network } from '@countersign/chain';
import { publicKeyFromPem, type ChainFacts, type InclusionAnswer } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { askChain } from '../ask-chain/ask-chain.js';
import { openInclusion, type OpenedInclusion } from './verify-inclusion.js';

function read<T>(name: string): T {
  const file = new URL(`../../../../libs/evidence/vectors/${name}`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}

const vector = read<{ readonly event: object; readonly proof: { readonly network: string } }>('event-valid.json');

function chainOf(network: string): ChainFacts {
  const authorities = [{ address: 'authority', network, validFrom: null, validTo: null }];
  return { network, transactions: new Map(), authorities };
}

function answered(request: { event: object; proof: object }, network: string): InclusionAnswer {
  return openInclusion(request, { crypto: nodeCrypto, keys: [] }).finish(chainOf(network));
}

describe('a proof that stands alone', () => {
  const { event, proof } = vector;

  it('does not hold while the chain cannot be asked: a root of one’s own making would pass', async () => {
    const silent = {
      network: () => Promise.resolve(proof.network as Network),
      transaction: () => Promise.reject(new ChainUnavailable('network', 'no node answers')),
    };
    const { authorities } = chainOf(proof.network);
    const inclusion = openInclusion({ event, proof }, { crypto: nodeCrypto, keys: [] });
    const answer = inclusion.finish(await askChain(silent, inclusion.asks!, authorities!));
    expect(answer).toMatchObject({
      ok: false,
      event: { ok: false, anchored: true, rootMatches: true },
      chain: { checked: false, detail: 'The chain did not answer.' },
      problems: [],
    });
    expect(answer.detail).toContain('The chain did not answer.');
    const unknown = { ...silent, network: () => Promise.reject(new ChainUnavailable('network', 'no node answers')) };
    const again = openInclusion({ event, proof }, { crypto: nodeCrypto, keys: [] });
    const unasked = again.finish(await askChain(unknown, again.asks!, authorities!));
    expect(unasked).toMatchObject({ ok: false, chain: { checked: false }, problems: [] });
  });

  it('does not hold on a network where no authority of ours anchors: its maker chose the root', () => {
    const answer = answered({ event, proof }, 'solana:elsewhere');
    expect(answer).toMatchObject({ ok: false, event: { ok: false, anchored: true, chain: { checked: false } } });
    expect(answer.problems).toHaveLength(1);
    expect(answer.problems[0]).toMatchObject({ code: 'transaction-authority', path: 'proof' });
  });
});

describe('a package', () => {
  interface Vector {
    readonly package: Record<string, unknown>;
    readonly keys: readonly [{ readonly pem: string }];
  }
  const valid = read<Vector>('valid-small.json');
  const publicKey = publicKeyFromPem(valid.keys[0].pem)!;
  const key = { publicKey, status: 'active', validFrom: null, validTo: null } as const;
  const opened = (given: object, keys: readonly (typeof key)[] = [key]): OpenedInclusion =>
    openInclusion({ package: given }, { crypto: nodeCrypto, keys });

  it('has its transactions asked for once its signature holds', () => {
    const inclusion = opened(valid.package);
    expect(inclusion.asks?.length).toBeGreaterThan(1);
    expect(inclusion.finish(null)).toMatchObject({
      ok: true,
      anchoredCount: 5,
      unanchoredCount: 1,
      signature: { valid: true },
    });
  });

  it('that we signed and that lacks an event has its signature, and the detail says what is wrong', () => {
    const answer = opened(read<Vector>('resigned-event-left-out.json').package).finish(null);
    expect(answer).toMatchObject({ ok: true, signature: { valid: true } });
    expect(answer.problems[0]).toMatchObject({ code: 'sequence-missing' });
    expect(answer.detail).toContain(answer.problems[0]!.message);
  });

  it.each([
    ['of an unknown key', valid.package, []],
    ['that was changed', { ...valid.package, reportId: '00000000-0000-7000-8000-000000000000' }, [key]],
    ['without a signature', { ...valid.package, signature: '' }, [key]],
    ['that is none', {}, [key]],
  ])('%s is refused before anything is asked or any tree is walked', (_what, given, keys) => {
    const inclusion = opened(given, keys);
    expect(inclusion.asks).toBeNull();
    const answer = inclusion.finish(null);
    expect(answer).toMatchObject({ ok: false, events: [], signature: { valid: false } });
    expect(answer.problems.length).toBeGreaterThan(0);
    expect(answer.detail).toBe(answer.problems[0]!.message);
  });
});
