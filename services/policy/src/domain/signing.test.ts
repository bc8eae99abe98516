import { emptyProfile } from '@countersign/policy-engine';
import type { Agent } from './agent.js';
import { changeSigning, readNewKey, signingRecord, thumbprint } from './signing.js';
import type { SigningChange } from './signing.js';

/** RFC 8037, appendix A.2 and A.3. */
const X = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
const THUMBPRINT = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';
const ACTOR = { kind: 'user', id: 'u' } as const;
const AGENT = {
  id: 'a',
  revision: 1,
  frozenAtMs: 0,
  facts: { accountId: 'x', status: 'active', updated_at: '', profile: emptyProfile('a') },
} as unknown as Agent;

function after(agent: Agent, change: SigningChange): Agent {
  const made = changeSigning(agent, change, ACTOR, 1000);
  if (made.kind === 'refused') throw new Error(made.words);
  return made.agent;
}

const added = (id: string): SigningChange => ({ kind: 'add', id, publicKey: X });

describe('the key of a body', () => {
  it('has the thumbprint of RFC 8037 as id', () => {
    expect(thumbprint(X)).toBe(THUMBPRINT);
    expect(readNewKey({ publicKey: X })).toEqual({ id: THUMBPRINT, publicKey: X });
    expect(readNewKey({ jwk: { kty: 'OKP', crv: 'Ed25519', x: X } })).toEqual({ id: THUMBPRINT, publicKey: X });
  });

  it.each([
    ['none', {}],
    ['two', { publicKey: X, jwk: { kty: 'OKP', crv: 'Ed25519', x: X } }],
    ['bits after the last byte', { publicKey: `${X.slice(0, -1)}p` }],
    ['a point of small order', { publicKey: Buffer.concat([Buffer.of(1), Buffer.alloc(31)]).toString('base64url') }],
    ['a y that is not reduced', { publicKey: Buffer.alloc(32, 0xff).toString('base64url') }],
  ] as const)('is refused: %s', (_what, body) => {
    expect(typeof readNewKey(body)).toBe('string');
  });
});

describe('how an agent signs', () => {
  it('is changed step by step, and each step is committed', () => {
    const one = after(AGENT, added('k1'));
    const two = after(one, added('k2'));
    expect(signingRecord(two)).toEqual({
      requireSignature: false,
      signingKeys: [
        { id: 'k1', publicKey: X, createdAt: '1970-01-01T00:00:01.000Z' },
        { id: 'k2', publicKey: X, createdAt: '1970-01-01T00:00:01.000Z' },
      ],
    });
    const required = changeSigning(two, { kind: 'require', required: true }, ACTOR, 1000);
    expect(required).toMatchObject({
      event: {
        type: 'agent.updated',
        committed: { requireSignature: true, signingKeys: [{ id: 'k1' }, { id: 'k2' }], by: ACTOR },
      },
    });
    expect(signingRecord(after(two, { kind: 'remove', id: 'k1' })).signingKeys).toHaveLength(1);
  });

  it('stays where nothing changes', () => {
    const one = after(AGENT, added('k1'));
    expect(changeSigning(one, added('k1'), ACTOR, 2000)).toEqual({ kind: 'unchanged', agent: one });
    expect(changeSigning(AGENT, { kind: 'require', required: false }, ACTOR, 1)).toMatchObject({ kind: 'unchanged' });
  });

  it('is required only with a key, and stays required when the last one is removed', () => {
    expect(changeSigning(AGENT, { kind: 'require', required: true }, ACTOR, 1)).toMatchObject({ status: 409 });
    const required = after(after(AGENT, added('k1')), { kind: 'require', required: true });
    expect(signingRecord(after(required, { kind: 'remove', id: 'k1' }))).toEqual({
      requireSignature: true,
      signingKeys: [],
    });
  });

  it('is refused for a key that is not there, one too many, and an inactive agent', () => {
    expect(changeSigning(AGENT, { kind: 'remove', id: 'k' }, ACTOR, 1)).toMatchObject({ status: 404 });
    let agent = AGENT;
    for (let n = 0; n < 16; n += 1) agent = after(agent, added(`k${n}`));
    expect(changeSigning(agent, added('k16'), ACTOR, 1)).toMatchObject({ status: 409 });
    const inactive = { ...AGENT, facts: { ...AGENT.facts, status: 'inactive' } } as Agent;
    expect(changeSigning(inactive, added('k'), ACTOR, 1)).toMatchObject({ status: 409 });
  });
});
