import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { PII_KINDS } from '@countersign/contracts';
import type { PiiKind } from '@countersign/contracts';
import { compileOutputRules } from './compile-output-rules.js';
import { judgeOutput } from './judge-output.js';
import { normalText } from './normal-text.js';
import { PiiScanner } from './pii/scanner.js';

const FILE = new URL('../../vectors/pii/synth_dataset_v2.json', import.meta.url);

interface Sentence {
  readonly full_text: string;
  readonly spans: readonly { readonly entity_type: string; readonly entity_value: string }[];
}

/**
 * The labels of the data, and the aims: minimum recall of the labelled sentences, maximum false positives of the
 * others.
 */
const AIMS: readonly (readonly [kind: PiiKind, label: string, recall: number, falsePositives: number])[] = [
  ['credit_card', 'CREDIT_CARD', 0.9, 0.02],
  ['iban', 'IBAN_CODE', 0.9, 0.02],
  ['email', 'EMAIL_ADDRESS', 0.9, 0.02],
  ['us_ssn', 'US_SSN', 0.9, 0.02],
  ['ip_address', 'IP_ADDRESS', 0.9, 0.02],
  ['phone', 'PHONE_NUMBER', 0.7, 0.05],
];

describe('detection in independently labelled sentences', () => {
  const sentences = JSON.parse(readFileSync(FILE, 'utf8')) as readonly Sentence[];

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

describe('detection in what agents write', () => {
  const read = <T>(name: string): T => JSON.parse(readFileSync(resolve('test-e2e/bench/detection', name), 'utf8')) as T;
  const clean = read<readonly string[]>('clean-texts.json').map((text) =>
    text.startsWith('{') ? (JSON.parse(text) as unknown) : text,
  );
  const written = read<Readonly<Record<string, readonly unknown[]>>>('in-the-wild.json');

  it.each([...PII_KINDS, 'secret'])('finds %s in every way of writing it, and seldom where it is not', (kind) => {
    const secret = kind === 'secret';
    const rules = { blocked_pii: secret ? [] : [kind], block_secrets: secret, blocked_topics: [], max_length: null };
    const compiled = compileOutputRules(rules)!;
    const ways = written[kind]!;
    expect(ways.length).toBeGreaterThan(2);
    expect(ways.filter((payload) => judgeOutput(compiled, payload) === null)).toEqual([]);
    expect(clean.length).toBeGreaterThanOrEqual(200);
    const wrong = clean.filter((payload) => judgeOutput(compiled, payload) !== null);
    expect(wrong.length / clean.length).toBeLessThanOrEqual(0.01);
  });
});
