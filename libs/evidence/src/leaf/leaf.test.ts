import {
  ACTION_KINDS,
  CHECK_OUTCOMES,
  LEAF_TYPES,
  REPORTED_OUTCOMES,
  SEVERITIES,
  VIOLATION_TYPES,
} from '@countersign/contracts';
import type { EventEnvelope, LeafEvent } from '@countersign/contracts';
import fc from 'fast-check';
import { nodeCrypto } from '../../vectors/node-crypto.mjs';
import { toHex } from '../encoding/hex.js';
import { utf8 } from '../encoding/text.js';
import { canonicalize, NotCanonical } from '../json/canonicalize.js';
import { airlineStory } from '../vectors/airline-story.js';
import { canonicalLeaf, leafBytes, leafHashOf } from './canonical-leaf.js';
import { commit, opens } from './commitment.js';
import { LEAF_FIELDS } from './leaf-fields.js';
import { readEnvelope } from './read-envelope.js';
import { readLeaf } from './read-leaf.js';

const { sha256 } = nodeCrypto;
const story = airlineStory(sha256).agents.flatMap(({ events }) => events);
const leaves: LeafEvent[] = story.map(({ leaf }) => leaf);
const checked = leaves.find(({ type, payload }) => type === 'action.checked' && payload !== null)!;
const problem = (value: unknown): string | null => {
  const reading = readLeaf(value);
  return reading.ok ? null : reading.problem;
};

describe('readLeaf', () => {
  it('takes each leaf of the story in any key order', () => {
    for (const leaf of leaves) {
      expect(readLeaf(leaf)).toEqual({ ok: true, value: leaf });
      expect(problem(Object.fromEntries(Object.entries(leaf).reverse()))).toBeNull();
    }
  });

  it('knows the closed sets of contracts', () => {
    const among = (name: keyof LeafEvent, values: readonly string[]): void => {
      for (const value of values) expect(LEAF_FIELDS[name].test(value)).toBe(true);
      for (const value of ['', 'toString', values[0]!.toUpperCase().toLowerCase() + 'x']) {
        expect(LEAF_FIELDS[name].test(value)).toBe(false);
      }
    };
    among('type', LEAF_TYPES);
    among('outcome', [...CHECK_OUTCOMES, ...REPORTED_OUTCOMES]);
    among('severity', SEVERITIES);
    among('violation_type', VIOLATION_TYPES);
    among('actionKind', ACTION_KINDS);
  });

  it('refuses a leaf without any one of its fields, or with one more', () => {
    for (const name of Object.keys(checked)) {
      const { [name as keyof LeafEvent]: _gone, ...rest } = checked;
      expect(problem(rest)).toBe(`${name} is missing`);
    }
    expect(problem({ ...checked, extra: null })).toBe('a leaf event has no field "extra"');
    expect(problem(JSON.parse(`{"__proto__":1,${JSON.stringify(checked).slice(1)}`))).toContain('__proto__');
    for (const other of [null, [], 'leaf', 1]) expect(problem(other)).toBe('a leaf event must be an object');
  });

  it.each<[string, Partial<Record<keyof LeafEvent, unknown>>]>([
    ['another version', { v: 2 }],
    ['an unknown type', { type: 'action.guessed' }],
    ['an event id of another version', { eventId: '00000000-0000-4000-8000-000000000000' }],
    ['an agent id in upper case', { agentId: checked.agentId.toUpperCase() }],
    ['a time without milliseconds', { occurredAt: '2026-01-01T00:00:00Z' }],
    ['a day that does not exist', { occurredAt: '2026-02-30T00:00:00.000Z' }],
    ['a lone surrogate', { detail: '\ud800' }],
    ['a commitment in upper case', { action: checked.action!.toUpperCase() }],
    ['a version of zero', { profileVersion: 0 }],
    ['a version that is no whole number', { profileVersion: 1.5 }],
    ['an unknown severity', { severity: 'P4' }],
    ['a number for a text', { reason: 1 }],
    ['a reported outcome of a check', { outcome: 'succeeded' }],
    ['allowed against the outcome', { allowed: false }],
    ['no commitment', { action: null }],
    ['no profile', { profileSha256: null }],
    ['a reference', { refersTo: checked.eventId }],
    ['a reason without need', { reason: 'why' }],
    ['a severity without need', { severity: 'P1' }],
    ['a rule without a violation', { rule: 'a:b' }],
    ['a denial without a violation', { outcome: 'denied', allowed: false, reason: 'r', severity: 'P1' }],
    [
      'a denial without a reason',
      { outcome: 'denied', allowed: false, severity: 'P1', violation_type: 'unsafe_output' },
    ],
    [
      'a violation that was frozen',
      { outcome: 'frozen', allowed: false, reason: 'r', severity: 'P1', violation_type: 'unsafe_output' },
    ],
    ['a frozen check without severity', { outcome: 'frozen', allowed: false, reason: 'r' }],
    ['an observed violation without a reason', { violation_type: 'unsafe_output', severity: 'P1' }],
  ])('refuses %s', (_name, change) => {
    expect(problem({ ...checked, ...change })).not.toBeNull();
  });

  it('requires null where a type fills nothing', () => {
    for (const leaf of leaves.filter(({ type }) => type !== 'action.checked')) {
      for (const name of ['allowed', 'reason', 'severity', 'rule', 'detail', 'actionKind'] as const) {
        const filled = { ...leaf, [name]: checked[name] ?? (name === 'severity' ? 'P1' : 'text') };
        expect(problem(filled)).toBe(`${name} must be null in ${leaf.type}`);
      }
    }
    const outcome = leaves.find(({ type }) => type === 'action.outcome')!;
    expect(problem({ ...outcome, outcome: 'allowed' })).toContain('outcome');
    expect(problem({ ...outcome, refersTo: null })).toContain('refersTo');
    const created = leaves.find(({ type }) => type === 'agent.created')!;
    for (const type of ['content.erased', 'retention.applied'] as const)
      expect(problem({ ...created, type })).toBeNull();
  });
});

describe('canonicalLeaf', () => {
  it('is the canonical form of any leaf', () => {
    const free = fc.option(fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(fc.constantFrom(...leaves), free, free, free, (leaf, reason, rule, detail) => {
        const any = { ...leaf, reason, rule, detail };
        expect(canonicalLeaf(any)).toBe(canonicalize(any));
        expect(toHex(leafHashOf(any, sha256))).toBe(toHex(sha256(Uint8Array.of(0, ...utf8(canonicalize(any))))));
        expect(leafBytes(any)).toEqual(utf8(canonicalize(any)));
      }),
    );
    expect(() => canonicalLeaf({ ...checked, detail: '\udc00' })).toThrow(NotCanonical);
  });
});

describe('commitments', () => {
  const salt = 'AAAAAAAAAAAAAAAAAAAAAA';

  it('are the hash of kind, salt and value', () => {
    const value = { b: [1, 'é'], a: null };
    const commitment = commit('action', salt, value, sha256);
    expect(commitment).toBe(toHex(sha256(utf8(canonicalize(['action', salt, value])))));
    expect(opens(commitment, 'action', { salt, value }, sha256)).toBe('opens');
    expect(opens(commitment, 'payload', { salt, value }, sha256)).toBe('wrong');
    expect(opens(commitment, 'action', { salt, value: { ...value, a: 0 } }, sha256)).toBe('wrong');
    expect(opens(commitment, 'action', { salt: 'AAAAAAAAAAAAAAAAAAAAAQ', value }, sha256)).toBe('wrong');
    expect(opens(commitment, 'action', { salt: 'short', value }, sha256)).toBe('wrong');
    expect(opens(commitment, 'action', { salt }, sha256)).toBe('value-not-kept');
  });

  it('commit null like any other value', () => {
    expect(opens(commit('payload', salt, null, sha256), 'payload', { salt, value: null }, sha256)).toBe('opens');
  });
});

describe('readEnvelope', () => {
  const envelope: EventEnvelope = {
    v: 1,
    leaf: checked,
    openings: story.find(({ leaf }) => leaf === checked)!.openings,
    accountId: 'account',
    cadenceSeconds: 300,
    costMicros: 12_500_000,
    countsAction: true,
    countsRate: false,
    freezesAgent: false,
    apiKeyId: 'key',
    idempotency: { keySha256: '0'.repeat(64), bodySha256: '1'.repeat(64) },
    answer: { category: 'pii', length: 3 },
    coverage: 'governed',
  };

  it('takes what a writer writes, and members of a later version', () => {
    expect(readEnvelope(envelope)).toEqual({ ok: true, value: envelope });
    const bare = {
      ...envelope,
      openings: {},
      apiKeyId: null,
      idempotency: null,
      answer: null,
      coverage: null,
      later: 1,
    };
    expect(readEnvelope(bare).ok).toBe(true);
  });

  it.each<[string, unknown]>([
    ['no object', []],
    ['another version', { ...envelope, v: 2 }],
    ['what is no leaf', { ...envelope, leaf: { ...checked, v: 2 } }],
    ['no openings', { ...envelope, openings: null }],
    ['an opening without a salt', { ...envelope, openings: { action: { value: 1 } } }],
    ['an opening of nothing', { ...envelope, leaf: { ...checked, payload: null } }],
    ['no account', { ...envelope, accountId: '' }],
    ['no cadence', { ...envelope, cadenceSeconds: 0 }],
    ['a cost below zero', { ...envelope, costMicros: -1 }],
    ['a broken cost', { ...envelope, costMicros: 0.5 }],
    ['a flag as text', { ...envelope, countsAction: 'yes' }],
    ['a flag that is missing', { ...envelope, freezesAgent: undefined }],
    ['a key id as number', { ...envelope, apiKeyId: 1 }],
    ['half a stamp', { ...envelope, idempotency: { keySha256: '0'.repeat(64) } }],
    ['an answer as text', { ...envelope, answer: 'no' }],
    ['an answer with a number', { ...envelope, answer: { code: 1 } }],
    ['an answer with a broken length', { ...envelope, answer: { length: -1 } }],
    ['another coverage', { ...envelope, coverage: 'some' }],
  ])('refuses %s', (_name, value) => {
    expect(readEnvelope(value).ok).toBe(false);
  });
});
