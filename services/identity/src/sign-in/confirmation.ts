import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { randomUUID as uuidV4 } from 'node:crypto';
import type { Mail, Mailer } from '@countersign/service-kit/mail';

/** A registration that awaits confirmation. Its ids are chosen here, so that confirming it twice creates one account. */
export interface PendingRegistration {
  readonly accountId: string;
  readonly userId: string;
  readonly accountName: string;
  /** In normal form. */
  readonly email: string;
  readonly passwordHash: string;
  /** ms */
  readonly expiresAt: number;
}

const VALID_MS = 3600 * 1000;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

/**
 * Asks the owner of an address by e-mail to confirm a registration. Nothing is stored before: the token in the mail
 * holds the registration, encrypted (AES-256-GCM). The caller cannot distinguish an address with an account from one without.
 */
export class Confirmations {
  readonly #mailer: Mailer;
  readonly #key: Uint8Array;
  readonly #publicUrl: () => string;
  readonly #clock: () => number;

  /** @param key 32 bytes */
  constructor(mailer: Mailer, key: Uint8Array, publicUrl: () => string, clock: () => number) {
    this.#mailer = mailer;
    this.#key = key;
    this.#publicUrl = publicUrl;
    this.#clock = clock;
  }

  /** Resolves to `false` if the mail server refuses the message. */
  async ask(registration: Pick<PendingRegistration, 'accountName' | 'email' | 'passwordHash'>): Promise<boolean> {
    const expiresAt = this.#clock() + VALID_MS;
    const token = this.#seal({ ...registration, accountId: uuidV4(), userId: uuidV4(), expiresAt });
    return this.#send(registration.email, [
      'A Countersign account was asked for with this e-mail address. To make it, confirm within an hour:',
      '',
      `curl -sS ${this.#publicUrl()}/v1/auth/register/confirm -H 'content-type: application/json' -d '{"token":"${token}"}'`,
      '',
      'If you did not ask for it, ignore this message: no account is made without the confirmation.',
    ]);
  }

  /** Sends the message for an address that has an account. */
  async refuse(email: string): Promise<boolean> {
    return this.#send(email, [
      'A Countersign account was asked for with this e-mail address, which has one already.',
      'If it was you, sign in with the password of that account. If not, ignore this message: nothing was changed.',
    ]);
  }

  /** `null`: the token is not of this installation, or has expired. */
  open(token: string): PendingRegistration | null {
    const sealed = Buffer.from(token, 'base64url');
    if (sealed.length <= NONCE_BYTES + TAG_BYTES) return null;
    const decipher = createDecipheriv(CIPHER, this.#key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      const text = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
      const pending = JSON.parse(text.toString('utf8')) as PendingRegistration;
      return pending.expiresAt > this.#clock() ? pending : null;
    } catch {
      return null;
    }
  }

  #seal(pending: PendingRegistration): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#key, nonce, { authTagLength: TAG_BYTES });
    const text = Buffer.concat([cipher.update(JSON.stringify(pending), 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
  }

  async #send(to: string, lines: readonly string[]): Promise<boolean> {
    const mail: Mail = { id: uuidV4(), to, subject: 'Countersign: your registration', text: [...lines, ''].join('\n') };
    return (await this.#mailer.send(mail)).error === null;
  }
}
