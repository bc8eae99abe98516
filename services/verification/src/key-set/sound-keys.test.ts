import type { SigningKeyFacts } from '@countersign/contracts';
import { keyId, toHex, type EvidenceCrypto } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { KeySetController } from '../http/key-set-controller.js';
import { PublicController } from '../http/public-controller.js';
import { PublicVerification } from '../public-verification.js';
import type { PublicFacts } from '../store/port.js';
import { soundKeys, type KeptKey } from './sound-keys.js';

const crypto: EvidenceCrypto = nodeCrypto;
const kept = (fill: number, status: SigningKeyFacts['status'], stored = fill): KeptKey => ({
  id: keyId(new Uint8Array(32).fill(fill), crypto.sha256),
  facts: { publicKeyHex: toHex(new Uint8Array(32).fill(stored)), status, validFrom: null, validTo: null },
});
const [SOUND, CHANGED] = [kept(1, 'retired'), kept(2, 'active', 3)];
const DAMAGED: KeptKey = { ...kept(4, 'published'), facts: { ...SOUND.facts, publicKeyHex: 'no hex' } };
const WHY = [`what is stored as ${CHANGED.id} is another key`, `what is stored as ${DAMAGED.id} is no key`];

describe('stored keys that were changed', () => {
  it('are withheld, each with the reason, and the others stay', () => {
    const why: string[] = [];
    expect(soundKeys([CHANGED, SOUND, DAMAGED], ({ message }) => why.push(message))).toEqual([SOUND]);
    expect(why).toEqual(WHY);
  });

  it('are in no list of keys and in no set, and the log says so', async () => {
    const logged: string[] = [];
    const log = { error: ({ err }: { readonly err: Error }) => logged.push(err.message) } as never;
    const facts = { keys: async () => [CHANGED, SOUND, DAMAGED], authorities: async () => [] };
    const chain = (): Promise<never> => Promise.reject(new Error('no chain'));
    const bodies = { get: async () => null, close: async () => undefined };
    const verification = new PublicVerification(facts as unknown as PublicFacts, bodies, chain, log, () => '');
    try {
      const input = { params: {}, headers: {} } as never;
      const list = (await new PublicController(verification, log).keys(input)).content;
      const set = (await new KeySetController(verification, log).keySet(input)).content;
      if (list.kind !== 'text' || set.kind !== 'text') throw new Error('no text');
      const { keys, activeKeyId } = JSON.parse(String(list.content)) as { keys: KeptKey[]; activeKeyId: string };
      // The active key is the one that was changed: none is named in its place.
      expect([keys.map(({ id }) => id), activeKeyId]).toEqual([[SOUND.id], '']);
      expect((JSON.parse(String(set.content)) as { keys: { kid: string }[] }).keys).toMatchObject([{ kid: SOUND.id }]);
      expect(logged).toEqual([...WHY, ...WHY]);
    } finally {
      verification.end();
    }
  });
});
