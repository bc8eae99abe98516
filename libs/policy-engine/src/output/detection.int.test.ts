import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { normalText } from './normal-text.js';
import type { PiiKind } from '@countersign/contracts';
import { PiiScanner } from './pii/scanner.js';

const FILE = resolve('../shared/data/pii/synth_dataset_v2.json');

interface Sentence {
  readonly full_text: string;
  readonly spans: readonly { readonly entity_type: string; readonly entity_value: string }[];
}

/** The labels of the data, and what is asked for: of the labelled at least, of the sentences without at most. */
const AIMS: readonly (readonly [kind: PiiKind, label: string, recall: number, falsePositives: number])[] = [
  ['credit_card', 'CREDIT_CARD', 0.9, 0.02],
  ['iban', 'IBAN_CODE', 0.9, 0.02],
  ['email', 'EMAIL_ADDRESS', 0.9, 0.02],
  ['us_ssn', 'US_SSN', 0.9, 0.02],
  ['ip_address', 'IP_ADDRESS', 0.9, 0.02],
  ['phone', 'PHONE_NUMBER', 0.7, 0.05],
];

const present = existsSync(FILE);
if (!present) process.stderr.write(`skipped, because ${FILE} is absent: the quality of detection\n`);

(present ? describe : describe.skip)('detection in sentences that others labelled', () => {
  const sentences = present ? (JSON.parse(readFileSync(FILE, 'utf8')) as readonly Sentence[]) : [];

  it.each(AIMS)('finds %s where it is, and seldom where it is not', (kind, label, recall, falsePositives) => {
    const scanner = new PiiScanner([kind]);
    let labelled = 0;
    let found = 0;
    let without = 0;
    let wrong = 0;
    for (const { full_text: text, spans } of sentences) {
      const normal = normalText(text);
      const pieces = scanner.spans(normal).map(({ start, end }) => normal.slice(start, end));
      const wanted = spans.filter(({ entity_type: type }) => type === label).map(({ entity_value: value }) => value);
      if (wanted.length === 0) {
        without += 1;
        if (pieces.length > 0) wrong += 1;
      }
      labelled += wanted.length;
      found += wanted.filter((value) => pieces.some((piece) => value.includes(piece) || piece.includes(value))).length;
    }
    expect(labelled).toBeGreaterThan(10);
    expect(without).toBeGreaterThan(1000);
    expect(found / labelled).toBeGreaterThanOrEqual(recall);
    expect(wrong / without).toBeLessThanOrEqual(falsePositives);
  });
});
