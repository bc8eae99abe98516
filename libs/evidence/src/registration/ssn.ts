import type { Sha256 } from '../crypto.js';
import { canonicalBytes } from '../json/canonicalize.js';

/** Crockford's base32: no I, L, O, U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const FORM = /^CSN-([0-9A-Z]{4})-([0-9A-Z]{4})-([0-9A-Z]{4})-([0-9A-Z]{4})$/;
const DATA_CHARACTERS = 15;

export interface Registration {
  readonly agentId: string;
  readonly transactionSignature: string;
  readonly walletAddress: string;
}

/**
 * `CSN-XXXX-XXXX-XXXX-XXXX`: the first 75 bits of SHA-256 over the canonical form of the registration, and a check
 * character. The agent id is hashed in lower case.
 */
export function blockchainSsn(registration: Registration, sha256: Sha256): string {
  const { agentId, transactionSignature, walletAddress } = registration;
  const hash = sha256(canonicalBytes({ agentId: agentId.toLowerCase(), transactionSignature, walletAddress }));
  let data = '';
  let held = 0;
  let bits = 0;
  for (let i = 0; data.length < DATA_CHARACTERS; i += 1) {
    held = ((held << 8) | hash[i]!) & 0xffff;
    bits += 8;
    while (bits >= 5 && data.length < DATA_CHARACTERS) {
      bits -= 5;
      data += ALPHABET[(held >> bits) & 31]!;
    }
  }
  const text = data + checkCharacter(data);
  return `CSN-${text.slice(0, 4)}-${text.slice(4, 8)}-${text.slice(8, 12)}-${text.slice(12)}`;
}

/** The number in upper case; `null` where its form or its check character is wrong. Lower case is accepted. */
export function readSsn(text: string): string | null {
  const upper = text.toUpperCase();
  // toUpperCase maps some letters outside ASCII into it: only ASCII input is accepted.
  if (upper.length !== text.length || !/^[\x20-\x7e]*$/.test(text)) return null;
  const groups = FORM.exec(upper);
  if (groups === null) return null;
  const characters = groups.slice(1).join('');
  for (const character of characters) if (!ALPHABET.includes(character)) return null;
  const data = characters.slice(0, DATA_CHARACTERS);
  return checkCharacter(data) === characters[DATA_CHARACTERS] ? upper : null;
}

/** Luhn mod 32. */
function checkCharacter(data: string): string {
  let factor = 2;
  let sum = 0;
  for (let i = data.length - 1; i >= 0; i -= 1) {
    const product = factor * ALPHABET.indexOf(data[i]!);
    sum += Math.floor(product / 32) + (product % 32);
    factor = 3 - factor;
  }
  return ALPHABET[(32 - (sum % 32)) % 32]!;
}
