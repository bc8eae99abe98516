import type { PiiKind } from '@countersign/contracts';
import { creditCardEnd } from './credit-card.js';
import { cryptoWalletEnd } from './crypto-wallet.js';
import { emailEnd } from './email.js';
import { ibanEnd } from './iban.js';
import type { Beginning, PiiMatcher } from './matcher.js';
import { ipAddressEnd, macAddressEnd } from './network-address.js';
import { phoneEnd } from './phone.js';
import { ukNhsEnd } from './uk-nhs.js';
import { usItinEnd, usSsnEnd } from './us-tax-number.js';

interface KindForm {
  readonly begins: readonly Beginning[];
  readonly end: PiiMatcher;
}

const DIGIT = ['digit'] as const;
const HEX = ['digit', 'hex letter'] as const;
const LETTER = ['hex letter', 'other letter'] as const;

/** How each kind is recognised. */
export const KIND_FORMS: Readonly<Record<PiiKind, KindForm>> = {
  credit_card: { begins: HEX, end: creditCardEnd },
  iban: { begins: LETTER, end: ibanEnd },
  us_ssn: { begins: DIGIT, end: usSsnEnd },
  us_itin: { begins: DIGIT, end: usItinEnd },
  uk_nhs: { begins: DIGIT, end: ukNhsEnd },
  email: { begins: ['@'], end: emailEnd },
  phone: { begins: ['digit', '+ or ('], end: phoneEnd },
  ip_address: { begins: [...HEX, ':'], end: ipAddressEnd },
  mac_address: { begins: HEX, end: macAddressEnd },
  crypto_wallet: { begins: [...DIGIT, ...LETTER], end: cryptoWalletEnd },
};
