import type { AnswerExtras, PiiKind } from '@countersign/contracts';
import type { Violation } from '../violation.js';

const KIND_WORDS: Readonly<Record<PiiKind, string>> = {
  credit_card: 'a payment card number',
  iban: 'an IBAN',
  us_ssn: 'a US social security number',
  us_itin: 'a US taxpayer identification number',
  uk_nhs: 'an NHS number',
  at_svnr: 'an Austrian social insurance number',
  be_rrn: 'a Belgian national register number',
  cz_rodne_cislo: 'a Czech or Slovak birth number',
  de_steuer_id: 'a German tax identification number',
  es_dni: 'a Spanish identity number',
  fi_hetu: 'a Finnish personal identity code',
  fr_nir: 'a French social security number',
  ie_pps: 'an Irish personal public service number',
  it_codice_fiscale: 'an Italian tax code',
  nl_bsn: 'a Dutch citizen service number',
  pl_pesel: 'a Polish PESEL number',
  pt_nif: 'a Portuguese tax number',
  ro_cnp: 'a Romanian personal numeric code',
  se_personnummer: 'a Swedish personal identity number',
  email: 'an e-mail address',
  phone: 'a phone number',
  ip_address: 'an IP address',
  mac_address: 'a MAC address',
  crypto_wallet: 'a crypto wallet address',
};

export function piiFound(kind: PiiKind): Violation {
  return output(
    `The payload holds ${KIND_WORDS[kind]}, which output_rules.blocked_pii forbids. Remove or mask it and check again.`,
    `output_rules.blocked_pii:${kind}`,
    `found ${kind}, none is allowed`,
    { category: 'pii', pii_kind: kind },
  );
}

export function secretFound(): Violation {
  return output(
    'The payload holds what looks like a key, token or password, which output_rules.block_secrets forbids. Remove it and check again.',
    'output_rules.block_secrets',
    'found a secret, none is allowed',
    { category: 'secret' },
  );
}

/** The topic is only in the answer: an event outlives the erasure of its content. */
export function topicFound(topic: string): Violation {
  return output(
    'The payload speaks of a topic that output_rules.blocked_topics forbids. Leave the topic out and check again.',
    'output_rules.blocked_topics',
    'found a blocked topic',
    { category: 'topic', matched_topic: topic },
  );
}

export function outputTooLong(length: number, most: number): Violation {
  return output(
    `The strings of the payload have ${length} characters in all; output_rules.max_length allows ${most}. Shorten it and check again.`,
    `output_rules.max_length:${most}`,
    `limit ${most} characters, ${length} sent`,
    { category: 'length', length },
  );
}

function output(reason: string, rule: string, detail: string, extras: AnswerExtras): Violation {
  return { violation_type: 'unsafe_output', severity: 'P1', reason, rule, detail, extras };
}
