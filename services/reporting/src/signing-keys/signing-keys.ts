import { messageOf } from '@countersign/async';
import type { SigningKeyFacts } from '@countersign/contracts';
import { fromHex, keyId as keyIdOf, sameBytes, toHex, type EvidenceCrypto } from '@countersign/evidence';
import type { ListedSigningKey, ServiceContext, SigningKeyChange, SigningKeyOperator } from '@countersign/service-kit';
import type { Projection } from '@countersign/topics';
import type { KeyFolder } from './key-folder.js';
import type { Keyring } from './keyring.js';
import {
  activeKey,
  isInUse,
  KeyChangeRefused,
  validSince,
  waitingKey,
  withActive,
  withKey,
  withoutLost,
  withRevoked,
  type LostKeys,
  type Ring,
  type RingKey,
} from './ring.js';
import { checked, SignerUnavailable, type KeyCustody, type Signer } from './signer.js';

export interface SigningKeysParts {
  readonly ring: Keyring;
  readonly folder: KeyFolder;
  /** `null`: new keys are files. */
  readonly elsewhere: KeyCustody | null;
  readonly crypto: EvidenceCrypto;
  readonly log: Pick<ServiceContext['log'], 'warn' | 'error'>;
}

/** This service's read model of the topic `signing-keys`. */
export type PublishedKeys = Pick<Projection<SigningKeyFacts>, 'get' | 'waitFor'>;

/** Timeout for a newly published key to arrive from the topic, ms. */
const PUBLISHED_WITHIN_MS = 5_000;
const LONGEST_REASON = 500;
const NOT_NOW = 'reports cannot be signed at the moment: try again';
/** Not the form of any package: signed to test whether a key can sign. */
const TRIAL = new TextEncoder().encode('countersign: does this key sign?');

/** The keys that sign reports, and the operator's commands on them. */
export class SigningKeys implements SigningKeyOperator {
  readonly #parts: SigningKeysParts;
  readonly #signers = new Map<string, Signer>();
  /** Queue of changes by this instance. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(parts: SigningKeysParts) {
    this.#parts = parts;
  }

  /**
   * The key for a report that is begun now. Its `sign` may be called much later: it works while the key is valid, also
   * if it was retired in between, and refuses if it was revoked.
   * @param published the key must be published in the version that the folder has
   * @throws SignerUnavailable if no key is active, or the active one is unavailable
   */
  async forReport(published: PublishedKeys): Promise<Signer> {
    const key = await this.#published(published);
    const signer = await this.#refusing(key.id, () => this.#signerOf(key));
    return {
      keyId: signer.keyId,
      publicKey: signer.publicKey,
      sign: (message) =>
        this.#refusing(key.id, async () => {
          await this.#requireValid(key.id);
          return signer.sign(message);
        }),
    };
  }

  async list(): Promise<readonly ListedSigningKey[]> {
    return this.#listed((await this.#parts.ring.read()).keys);
  }

  create(): Promise<SigningKeyChange> {
    return this.#enqueue(() => this.#create());
  }

  rotate(keyId: string | null): Promise<SigningKeyChange> {
    return this.#enqueue(async () => {
      const { ring } = this.#parts;
      const stored = await ring.read();
      // Publishes changes left by a crash: the key must be published before it signs.
      await ring.publish(stored);
      const lost = await this.#lost(stored.keys);
      const next = keyId ?? waitingKey(stored.keys, lost)?.id ?? (await this.#create()).keyId;
      const key = (await ring.read()).keys.find(({ id }) => id === next);
      if (key?.facts.status === 'published') await this.#requireSigning(key);
      const keys = await ring.change((now) => withoutLost(withActive(now, next, ring.clock()), lost));
      return { keyId: next, keys: await this.#listed(keys) };
    });
  }

  revoke(keyId: string, reason: string): Promise<SigningKeyChange> {
    return this.#enqueue(async () => {
      const { ring } = this.#parts;
      const why = reason.trim();
      if (why === '' || why.length > LONGEST_REASON || /\p{C}/u.test(why)) {
        throw new KeyChangeRefused(
          `a revocation has a reason of one line, 1 to ${LONGEST_REASON} characters: all read it`,
        );
      }
      const stored = await ring.read();
      await ring.publish(stored);
      const lost = await this.#lost(stored.keys);
      const keys = await ring.change((now) => withoutLost(withRevoked(now, keyId, why, ring.clock(), lost), lost));
      return { keyId, keys: await this.#listed(keys) };
    });
  }

  /**
   * Requires that the private half of a key is available and opens.
   * @throws SigningKeyMissing, SigningKeyDamaged, SigningKeyLocked, SignerRefused, SignerUnavailable
   */
  async requireHeld(key: RingKey): Promise<void> {
    await this.#signerOf(key);
  }

  async #create(): Promise<SigningKeyChange> {
    const { ring, folder, elsewhere, crypto } = this.#parts;
    const publicKey = await (elsewhere ?? folder).create();
    const id = keyIdOf(publicKey, crypto.sha256);
    const custody = elsewhere === null ? 'file' : 'signer';
    const validFrom = validSince(ring.clock());
    const facts = { publicKeyHex: toHex(publicKey), status: 'published', validFrom, validTo: null } as const;
    const keys = await ring.change((now) => withKey(now, { id, custody }, facts));
    return { keyId: id, keys: await this.#listed(keys) };
  }

  /** Keys in use whose private half is missing here. A signer that does not answer may still have its keys. */
  async #lost(keys: Ring): Promise<LostKeys> {
    const lost = new Set<string>();
    for (const key of keys.filter(isInUse)) {
      if (key.custody === 'signer' && this.#parts.elsewhere !== null) continue;
      await this.#signerOf(key).catch(() => lost.add(key.id));
    }
    return lost;
  }

  async #listed(keys: Ring): Promise<readonly ListedSigningKey[]> {
    const lost = await this.#lost(keys);
    return keys.map(({ id, custody, facts: { status, validFrom, validTo, revocation } }) => ({
      id,
      status,
      validFrom,
      validTo,
      custody: lost.has(id) ? 'missing' : custody,
      revokedFor: revocation?.reason ?? null,
    }));
  }

  async #published(published: PublishedKeys): Promise<RingKey> {
    const { ring } = this.#parts;
    let problem = '';
    // Another instance may change the ring between the reads of folder and topic.
    for (let look = 0; look < 2; look += 1) {
      const stored = await ring.read();
      await ring.publish(stored);
      const key = activeKey(stored.keys);
      if (key === null) {
        throw this.#logged('', 'no signing key is active: whoever operates this service must rotate to a new one', '');
      }
      await published.waitFor(key.id, 1, PUBLISHED_WITHIN_MS);
      const known = published.get(key.id);
      if (known !== undefined && known.version <= key.version) return key;
      problem =
        known === undefined
          ? `${key.id} has not come back from the topic signing-keys`
          : `the topic signing-keys has version ${known.version} of ${key.id}, the folder ${key.version}: is it another folder?`;
    }
    throw this.#logged('', NOT_NOW, problem);
  }

  async #requireValid(keyId: string): Promise<void> {
    const { ring } = this.#parts;
    const facts = (await ring.read()).keys.find(({ id }) => id === keyId)?.facts;
    const isOver = (facts?.validTo ?? null) !== null && Date.parse(facts!.validTo!) <= ring.clock();
    if (facts === undefined || facts.status === 'revoked' || isOver) {
      const what = facts?.status === 'revoked' ? 'revoked' : 'retired';
      throw new SignerUnavailable(`the signing key was ${what} while this report was made: try again`, what);
    }
  }

  async #requireSigning(key: RingKey): Promise<void> {
    try {
      await (await this.#signerOf(key)).sign(TRIAL);
    } catch (error) {
      const why = error instanceof SignerUnavailable ? String(error.cause) : messageOf(error);
      throw new KeyChangeRefused(`${key.id} cannot sign, so nothing was changed: ${why}`);
    }
  }

  async #signerOf({ id, custody, facts }: RingKey): Promise<Signer> {
    const known = this.#signers.get(id);
    if (known !== undefined) return known;
    const { folder, elsewhere, crypto } = this.#parts;
    const custodian = custody === 'signer' ? elsewhere : folder;
    if (custodian === null) throw new KeyChangeRefused(`${id} is at a signer: COUNTERSIGN_SIGNER_URL is missing`);
    const signer = await custodian.signer(id);
    const publicKey = fromHex(facts.publicKeyHex);
    if (publicKey === null || !sameBytes(publicKey, signer.publicKey)) {
      throw new KeyChangeRefused(`another key than ${id} came from where it is kept`);
    }
    const sound = checked(signer, crypto);
    this.#signers.set(id, sound);
    return sound;
  }

  /** Logs an error of a key; the caller gets a retryable refusal. */
  async #refusing<T>(keyId: string, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (error instanceof SignerUnavailable) throw this.#logged(keyId, error.message, String(error.cause));
      throw this.#logged(keyId, NOT_NOW, messageOf(error));
    }
  }

  #logged(keyId: string, message: string, why: string): SignerUnavailable {
    this.#parts.log.error({ keyId, why }, message);
    return new SignerUnavailable(message, why);
  }

  #enqueue<T>(act: () => Promise<T>): Promise<T> {
    const change = this.#changing.then(act, act);
    this.#changing = change.catch(() => undefined);
    return change;
  }
}
