import type { PiiKind } from '@countersign/contracts';
import { creditCardEnd } from './credit-card.js';
import { cryptoWalletEnd } from './crypto-wallet.js';
import { emailEnd } from './email.js';
import { ibanEnd } from './iban.js';
import type { Beginning, PiiMatcher } from './matcher.js';
import { esDniEnd, fiHetuEnd, frNirEnd, iePpsEnd, itCodiceFiscaleEnd } from './lettered-national-id.js';
import {
  atSvnrEnd,
  beRrnEnd,
  czRodneCisloEnd,
  deSteuerIdEnd,
  nlBsnEnd,
  plPeselEnd,
  ptNifEnd,
  roCnpEnd,
  sePersonnummerEnd,
} from './national-id.js';
import { ipAddressEnd, macAddressEnd } from './network-address.js';
import { phoneEnd } from './phone.js';
import { ukNhsEnd } from './uk-nhs.js';
import { usItinEnd, usSsnEnd } from './us-tax-number.js';

interface KindForm {
  readonly begins: readonly Beginning[];
  /** Minimum number of its digits, in groups, where it begins with one. */
  readonly leastDigits?: number;
  readonly end: PiiMatcher;
}

const DIGIT = ['digit'] as const;
const HEX = ['digit', 'hex letter'] as const;
const LETTER = ['hex letter', 'other letter'] as const;

/** Recognition of each kind. */
export const KIND_FORMS: Readonly<Record<PiiKind, KindForm>> = {
  credit_card: { begins: HEX, leastDigits: 12, end: creditCardEnd },
  iban: { begins: LETTER, end: ibanEnd },
  us_ssn: { begins: DIGIT, leastDigits: 9, end: usSsnEnd },
  us_itin: { begins: DIGIT, leastDigits: 9, end: usItinEnd },
  uk_nhs: { begins: DIGIT, leastDigits: 10, end: ukNhsEnd },
  at_svnr: { begins: DIGIT, leastDigits: 10, end: atSvnrEnd },
  be_rrn: { begins: DIGIT, leastDigits: 11, end: beRrnEnd },
  cz_rodne_cislo: { begins: DIGIT, leastDigits: 10, end: czRodneCisloEnd },
  de_steuer_id: { begins: DIGIT, leastDigits: 11, end: deSteuerIdEnd },
  es_dni: { begins: [...DIGIT, 'other letter'], leastDigits: 8, end: esDniEnd },
  fi_hetu: { begins: DIGIT, leastDigits: 6, end: fiHetuEnd },
  fr_nir: { begins: DIGIT, leastDigits: 6, end: frNirEnd },
  ie_pps: { begins: DIGIT, leastDigits: 7, end: iePpsEnd },
  it_codice_fiscale: { begins: LETTER, end: itCodiceFiscaleEnd },
  nl_bsn: { begins: DIGIT, leastDigits: 9, end: nlBsnEnd },
  pl_pesel: { begins: DIGIT, leastDigits: 11, end: plPeselEnd },
  pt_nif: { begins: DIGIT, leastDigits: 9, end: ptNifEnd },
  ro_cnp: { begins: DIGIT, leastDigits: 13, end: roCnpEnd },
  se_personnummer: { begins: DIGIT, leastDigits: 10, end: sePersonnummerEnd },
  email: { begins: ['@'], end: emailEnd },
  phone: { begins: ['digit', '+ or ('], end: phoneEnd },
  ip_address: { begins: [...HEX, ':'], end: ipAddressEnd },
  mac_address: { begins: HEX, end: macAddressEnd },
  crypto_wallet: { begins: [...DIGIT, ...LETTER], end: cryptoWalletEnd },
};
