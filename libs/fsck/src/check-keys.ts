import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { AnchorInspection } from '@countersign/anchoring';
import type { AnchorFacts, SigningKeyFacts } from '@countersign/contracts';
import { encodeBase58 } from '@countersign/chain';
import type { StoredLog } from '@countersign/event-log';
import { fromHex, keyId, toHex, type VerificationKey } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { readKeyRing, type KeyInRing } from './key-ring.js';
import { LAYOUT, placeOf } from './layout.js';
import { newestRecords } from './newest-records.js';
import type { Check } from './report.js';

type Published = ReadonlyMap<string, { readonly version: number; readonly value: SigningKeyFacts | null }>;

/**
 * Each key file holds the key that the topic publishes under its name, the ring says what the topic does, and the
 * authority's key file holds the one that the anchors are signed with. Gives the published keys.
 */
export async function checkKeys(
  dataDir: string,
  log: StoredLog,
  anchors: Pick<AnchorInspection, 'windows'> | null,
  check: Check,
): Promise<VerificationKey[]> {
  const published = newestRecords<SigningKeyFacts>(log, 'signing-keys', { values: true });
  const held = new Set<string>();
  for (const name of keyFiles(dataDir)) {
    check.examined += 1;
    const place = `${LAYOUT.keys}/${name}`;
    const publicKey = publicKeyOf(join(placeOf(dataDir, 'keys'), name));
    if (publicKey === null) {
      check.wrong(place, 'it holds no Ed25519 key with its public half');
      continue;
    }
    const id = keyId(publicKey, nodeCrypto.sha256);
    held.add(id);
    const facts = published.get(id)?.value ?? null;
    if (basename(name, '.json') !== id) check.wrong(place, `it holds the key ${id}`);
    else if (facts === null) check.wrong(place, 'its key is not published in the topic signing-keys');
    else if (facts.publicKeyHex !== toHex(publicKey)) check.wrong(place, 'another key is published under its name');
  }
  const elsewhere = checkRing(readKeyRing(dataDir, check), published, check);
  for (const [id, { value }] of published) {
    const isInUse = value?.status === 'active' || value?.status === 'published';
    if (isInUse && !held.has(id) && !elsewhere.has(id)) {
      check.wrong(`${LAYOUT.keys}/${id}.json`, `the file of the ${value.status} key is missing`);
    }
  }
  if (anchors !== null) await checkAuthority(dataDir, log, anchors, check);
  return [...published.values()].flatMap(({ value }) => {
    const publicKey = value === null ? null : fromHex(value.publicKeyHex);
    return value === null || publicKey === null ? [] : { ...value, publicKey };
  });
}

/** Compares the ring with the topic, and gives the ids of keys that an external signer has. */
function checkRing(ring: readonly KeyInRing[], published: Published, check: Check): ReadonlySet<string> {
  for (const { id, version, facts } of ring) {
    check.examined += 1;
    const place = `${LAYOUT.keys} ring ${id}`;
    const known = published.get(id) ?? null;
    if (known === null || known.version < version)
      check.note(`${id} is published at the next start: version ${version}`);
    else if (known.version > version) {
      check.wrong(place, `version ${known.version} was published, and the folder has ${version}: it is an older copy`);
    } else if (!isDeepStrictEqual(known.value, facts)) check.wrong(place, 'something else is published of it');
  }
  return new Set(ring.filter(({ custody }) => custody === 'signer').map(({ id }) => id));
}

function keyFiles(dataDir: string): string[] {
  try {
    return readdirSync(placeOf(dataDir, 'keys')).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}

function publicKeyOf(file: string): Uint8Array | null {
  try {
    const { privateKeyPem, publicKeyHex } = JSON.parse(readFileSync(file, 'utf8')) as {
      privateKeyPem: string;
      publicKeyHex?: string;
    };
    // Without its passphrase an encrypted key is what it says it is.
    if (privateKeyPem.startsWith('-----BEGIN ENCRYPTED PRIVATE KEY-----')) return fromHex(publicKeyHex ?? '');
    const { crv, x } = createPublicKey(createPrivateKey(privateKeyPem)).export({ format: 'jwk' });
    if (crv !== 'Ed25519' || x === undefined) return null;
    const publicKey = new Uint8Array(Buffer.from(x, 'base64url'));
    return publicKeyHex === undefined || publicKeyHex === toHex(publicKey) ? publicKey : null;
  } catch {
    return null;
  }
}

async function checkAuthority(
  dataDir: string,
  log: StoredLog,
  anchors: Pick<AnchorInspection, 'windows'>,
  check: Check,
): Promise<void> {
  check.examined += 1;
  let address: string;
  try {
    const bytes = JSON.parse(readFileSync(placeOf(dataDir, 'authority'), 'utf8')) as number[];
    if (bytes.length !== 64) throw new Error('not 64 bytes');
    address = encodeBase58(Uint8Array.from(bytes.slice(32)));
    const { x } = createPublicKey(authorityKey(bytes)).export({ format: 'jwk' });
    if (encodeBase58(Buffer.from(x ?? '', 'base64url')) !== address) throw new Error('not a pair');
  } catch {
    check.wrong(LAYOUT.authority, 'it holds no keypair of 64 bytes');
    return;
  }
  const last = await lastAnchored(anchors);
  if (last !== null && last.authority !== address)
    check.wrong(LAYOUT.authority, `its address is ${address}, the last anchors are signed by ${last.authority}`);
  const ofAuthorities = { keys: (key: string) => key.startsWith('authority:'), values: true };
  for (const { value } of newestRecords<AnchorFacts>(log, 'anchors', ofAuthorities).values()) {
    if (value?.kind === 'authority' && value.address !== address)
      check.wrong(LAYOUT.authority, `its address is ${address}, and ${value.address} is published as an authority`);
  }
}

async function lastAnchored(anchors: Pick<AnchorInspection, 'windows'>) {
  let last: { readonly n: number; readonly authority: string } | null = null;
  for await (const { n, authority } of anchors.windows()) {
    if (authority !== null && n > (last?.n ?? -Infinity)) last = { n, authority };
  }
  return last;
}

/** DER of an Ed25519 private key up to its seed (RFC 8410 section 7). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

function authorityKey(bytes: readonly number[]): ReturnType<typeof createPrivateKey> {
  const der = Buffer.concat([PKCS8, Uint8Array.from(bytes.slice(0, 32))]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}
