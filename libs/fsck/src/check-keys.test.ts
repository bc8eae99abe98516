import { generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AnchorInspection } from '@countersign/anchoring';
import type { SigningKeyFacts, TopicName } from '@countersign/contracts';
import { encodeBase58 } from '@countersign/chain';
import type { StoredLog } from '@countersign/event-log';
import { keyId, toHex } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { versionedRecord } from '@countersign/topics';
import { checkKeys } from './check-keys.js';
import { LAYOUT } from './layout.js';
import { Check } from './report.js';

interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: Uint8Array;
  readonly id: string;
}

function keyPair(): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
  return { privateKey, publicKey: raw, id: keyId(raw, nodeCrypto.sha256) };
}

const [own, other] = [keyPair(), keyPair()];
const facts: SigningKeyFacts = {
  publicKeyHex: toHex(own.publicKey),
  status: 'active',
  validFrom: '2026-03-01T00:00:00.000Z',
  validTo: null,
};
const secret = (pair: KeyPair): number[] => {
  const seed = pair.privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
  return [...seed, ...pair.publicKey];
};

describe('the keys of an instance', () => {
  let dataDir: string;
  let keyFile: string;
  let published: SigningKeyFacts;
  const put = (file: string, content: unknown): void => {
    mkdirSync(dirname(join(dataDir, file)), { recursive: true });
    writeFileSync(join(dataDir, file), typeof content === 'string' ? content : JSON.stringify(content));
  };
  const file = (pair: KeyPair): object => ({
    ...{ version: 2, publicKeyHex: toHex(pair.publicKey), validFrom: facts.validFrom },
    privateKeyPem: pair.privateKey.export({ format: 'pem', type: 'pkcs8' }),
  });
  const ring = (of: SigningKeyFacts, version = 1): void =>
    put(`${LAYOUT.keys}/ring.00000001`, { version: 1, keys: [{ id: own.id, version, custody: 'file', facts: of }] });

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'check-keys-'));
    keyFile = `${LAYOUT.keys}/${own.id}.json`;
    published = facts;
    put(keyFile, file(own));
    put(LAYOUT.authority, secret(own));
    ring(facts);
  });
  afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

  async function findings(): Promise<readonly string[]> {
    const records = (topic: TopicName): unknown[] => {
      if (topic !== 'signing-keys') return [];
      return [{ ...versionedRecord(topic, own.id, 1, published), partition: 0, offset: 0 }].map((record) => ({
        ...record,
        value: Buffer.from(record.value),
      }));
    };
    const anchors = {
      async *windows() {
        yield { n: 2, authority: encodeBase58(own.publicKey) };
        yield { n: 1, authority: encodeBase58(other.publicKey) };
        yield { n: 3, authority: null };
      },
    } as unknown as AnchorInspection;
    const check = new Check('keys', 'keys are those that are published', 'look');
    await checkKeys(dataDir, { records } as unknown as StoredLog, anchors, check);
    return check.findings.map(({ place, problem }) => `${place}: ${problem}`);
  }

  it('are found right when they are unchanged', async () => {
    expect(await findings()).toEqual([]);
  });

  it.each<readonly [string, () => void, string]>([
    ['the private key is another', () => put(keyFile, file(other)), `it holds the key ${other.id}`],
    ['the private key is none', () => put(keyFile, { ...file(own), privateKeyPem: 'x' }), 'no Ed25519 key'],
    [
      'its public half is of another key',
      () => put(keyFile, { ...file(own), publicKeyHex: toHex(other.publicKey) }),
      'no Ed25519 key with its public half',
    ],
    ['the file is cut short', () => put(keyFile, JSON.stringify(file(own)).slice(0, 90)), 'no Ed25519 key'],
    ['the file is gone', () => rmSync(join(dataDir, keyFile)), 'the file of the active key is missing'],
    [
      'the file has another name',
      () => renameSync(join(dataDir, keyFile), join(dataDir, `${LAYOUT.keys}/${other.id}.json`)),
      `it holds the key ${own.id}`,
    ],
    ['a key was put beside it', () => put(`${LAYOUT.keys}/${other.id}.json`, file(other)), 'is not published'],
    [
      'another key is published under its name',
      () => (published = { ...facts, publicKeyHex: toHex(own.publicKey.map((byte) => byte ^ 1)) }),
      'another key is published',
    ],
    ['the ring says another validity', () => ring({ ...facts, validFrom: null }), 'something else is published of it'],
    ['the ring calls a revoked key active', () => (published = { ...facts, status: 'revoked' }), 'something else'],
    ['the ring is damaged', () => put(`${LAYOUT.keys}/ring.00000001`, '{'), 'it is no ring of signing keys'],
    ['the authority is another', () => put(LAYOUT.authority, secret(other)), 'the last anchors are signed by'],
    [
      'the authority is no pair',
      () => put(LAYOUT.authority, [...randomBytes(32), ...own.publicKey]),
      'it holds no keypair of 64 bytes',
    ],
    ['the authority is gone', () => rmSync(join(dataDir, LAYOUT.authority)), 'it holds no keypair of 64 bytes'],
  ])('are found wrong where %s', async (_what, tamper, words) => {
    tamper();
    expect((await findings()).join('\n')).toContain(words);
  });
});
