import type { SigningKeyFacts } from '@countersign/contracts';
import { keyId, publicKeyToPem, toHex } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import type { PublicVerification } from '../public-verification.js';
import { PublicController } from './public-controller.js';

const KEY = new Uint8Array(32).fill(7);
const KEY_ID = keyId(KEY, nodeCrypto.sha256);

describe('a key by its id', () => {
  const logged: string[] = [];
  const controller = (publicKeyHex: string): PublicController => {
    const facts: SigningKeyFacts = { publicKeyHex, status: 'active', validFrom: null, validTo: null };
    const verification = { facts: { key: async () => facts } } as unknown as PublicVerification;
    const log = { error: ({ err }: { readonly err: unknown }) => logged.push(String(err)) };
    return new PublicController(verification, log as never);
  };
  const ask = (stored: Uint8Array): ReturnType<PublicController['key']> =>
    controller(toHex(stored)).key({ params: { keyId: KEY_ID }, headers: {} } as never);

  it('is the one that the id is the hash of', async () => {
    expect((await ask(KEY)).content).toMatchObject({ kind: 'text', content: publicKeyToPem(KEY) });
  });

  it('is no other one, whatever was put in its place', async () => {
    await expect(ask(KEY.map((byte) => byte ^ 1))).rejects.toMatchObject({ status: 500 });
    expect(logged).toEqual([`Error: what is stored as ${KEY_ID} is another key`]);
  });
});
