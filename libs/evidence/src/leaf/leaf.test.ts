import {
  ACTION_KINDS,
  CHECK_OUTCOMES,
  LEAF_TYPES,
  LEAF_TYPES_V1,
  REPORTED_OUTCOMES,
  SEVERITIES,
  VIOLATION_TYPES,
  VIOLATION_TYPES_V1,
} from '@countersign/contracts';
import type { EventEnvelope, LeafEvent } from '@countersign/contracts';
import fc from 'fast-check';
import { nodeCrypto } from '../../vectors/node-crypto.mjs';
import { toHex } from '../encoding/hex.js';
import { utf8 } from '../encoding/text.js';
import { canonicalize, NotCanonical } from '../json/canonicalize.js';
import { airlineStory } from '../vectors/airline-story.js';
import { mixedStory, v2Story } from '../vectors/leaf-v2-story.js';
import { canonicalLeaf, leafBytes, leafHashOf } from './canonical-leaf.js';
import { commit } from './commitment.js';
import { type FieldV1, FIELDS_V1, FIELDS_V2 } from './leaf-fields.js';
import { opens } from './opening.js';
import { plainLeaf } from './plain-leaf.js';
import { readEnvelope } from './read-envelope.js';
import { readLeaf } from './read-leaf.js';

const { sha256 } = nodeCrypto;
const story = airlineStory(sha256).agents.flatMap(({ events }) => events);
const leaves: LeafEvent[] = story.map(({ leaf }) => leaf);
const leavesV2 = [...v2Story(sha256).agents, ...mixedStory(sha256).agents]
  .flatMap(({ events }) => events.map(({ leaf }) => leaf))
  .filter(({ v }) => v === 2);
const checkedV2 = leavesV2.find(({ type, outcome }) => type === 'action.checked' && outcome === 'allowed')!;
const checked = leaves.find(({ type, payload }) => type === 'action.checked' && payload !== null)!;
const problem = (value: unknown): string | null => {
  const reading = readLeaf(value);
  return reading.ok ? null : reading.problem;
};

describe('readLeaf', () => {
  it('takes each leaf of the story in any key order', () => {
    for (const leaf of [...leaves, ...leavesV2]) {
      expect(readLeaf(leaf)).toEqual({ ok: true, value: leaf });
      expect(problem(Object.fromEntries(Object.entries(leaf).reverse()))).toBeNull();
    }
  });

  it('knows the closed sets of contracts', () => {
    const among = (name: FieldV1, values: readonly string[]): void => {
      for (const value of values) expect(FIELDS_V1[name].test(value)).toBe(true);
      for (const value of ['', 'toString', values[0]!.toUpperCase().toLowerCase() + 'x']) {
        expect(FIELDS_V1[name].test(value)).toBe(false);
      }
    };
    among('type', LEAF_TYPES_V1);
    among('outcome', [...CHECK_OUTCOMES, ...REPORTED_OUTCOMES]);
    among('severity', SEVERITIES);
    among('violation_type', VIOLATION_TYPES_V1);
    among('actionKind', ACTION_KINDS);
    for (const type of LEAF_TYPES) expect(FIELDS_V2.type.test(type)).toBe(true);
    for (const type of VIOLATION_TYPES) expect(FIELDS_V2.violation_type.test(type)).toBe(true);
  });

  it('refuses a leaf without any one of its fields, or with one more', () => {
    for (const leaf of [checked, checkedV2]) {
      for (const name of Object.keys(leaf)) {
        const { [name as keyof LeafEvent]: _gone, ...rest } = leaf;
        if (name !== 'v') expect(problem(rest)).toBe(`${name} is missing`);
        expect(problem(rest)).not.toBeNull();
      }
      expect(problem({ ...leaf, extra: null })).toBe('a leaf event has no field "extra"');
    }
    expect(problem({ ...checked, context: null })).toBe('a leaf event has no field "context"');
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

describe('readLeaf of version 2', () => {
  it.each<[string, Partial<Record<keyof LeafEvent, unknown>>]>([
    ['no context', { context: null }],
    ['no coverage', { coverage: null }],
    ['coverage that is no list', { coverage: 'rules' }],
    ['coverage that does not ascend', { coverage: ['b', 'a'] }],
    ['coverage with a name twice', { coverage: ['a', 'a'] }],
    ['coverage of more than 32 names', { coverage: Array.from({ length: 33 }, (_, i) => `n${10 + i}`) }],
    ['coverage with a long name', { coverage: ['a'.repeat(65)] }],
    ['a context in upper case', { context: checkedV2.context!.toUpperCase() }],
    ['an outcome that is not of a check', { outcome: 'succeeded' }],
    ['an outcome that is registered nowhere', { outcome: 'odd' }],
    ['a violation type in upper case', { violation_type: 'Rule' }],
    ['a type without a dot', { type: 'checked' }],
    ['a type with a digit', { type: 'a.b2' }],
    ['a type of 65 characters', { type: `a.${'b'.repeat(63)}` }],
    ['a rule without a violation', { rule: 'rules:a' }],
    ['allowed against the outcome', { allowed: false }],
    ['version 3', { v: 3 }],
  ])('refuses %s', (_name, change) => {
    expect(problem({ ...checkedV2, ...change })).not.toBeNull();
  });

  it('takes 32 names in coverage, a type of 64 characters, and anything in a type that is not registered', () => {
    const coverage = Array.from({ length: 32 }, (_, i) => `n${10 + i}`);
    expect(problem({ ...checkedV2, coverage })).toBeNull();
    expect(
      problem({ ...checkedV2, type: `a.${'b'.repeat(62)}`, allowed: false, rule: 'r', outcome: 'odd' }),
    ).toBeNull();
    const bare = plainLeaf({ ...checkedV2, v: 2, type: 'later.event' });
    expect(problem({ ...bare, action: null, context: null, coverage: null, allowed: null })).toBeNull();
  });

  it('fills the fields of each type, and no others', () => {
    for (const leaf of leavesV2) {
      if (!(LEAF_TYPES as readonly string[]).includes(leaf.type)) continue;
      if (leaf.type !== 'action.checked') {
        const allowed = problem({ ...leaf, allowed: true });
        expect(allowed).toBe(`allowed must be null in ${leaf.type}`);
        expect(problem({ ...leaf, coverage: [] })).toBe(`coverage must be null in ${leaf.type}`);
        expect(problem({ ...leaf, context: '0'.repeat(64) })).toBeNull();
        expect(problem({ ...leaf, context: null })).toBeNull();
      }
      if (leaf.type.startsWith('approval.')) {
        expect(problem({ ...leaf, action: null })).toBe(`action must be filled in ${leaf.type}`);
        expect(problem({ ...leaf, outcome: 'granted', refersTo: leaf.eventId, violation_type: 'x' })).toBeNull();
      }
    }
  });

  it('is what plainLeaf fills with null', () => {
    const { eventId, agentId, occurredAt } = checkedV2;
    const head = { eventId, agentId, occurredAt, type: 'agent.created', action: '0'.repeat(64) } as const;
    expect(problem(plainLeaf({ ...head, v: 2 }))).toBeNull();
    expect(problem(plainLeaf(head))).toBeNull();
    expect(Object.keys(plainLeaf(head))).not.toContain('context');
  });
});

describe('canonicalLeaf', () => {
  it('is the canonical form of any leaf', () => {
    const free = fc.option(fc.string({ unit: 'grapheme' }));
    fc.assert(
      fc.property(fc.constantFrom(...leaves, ...leavesV2), free, free, free, (leaf, reason, rule, detail) => {
        const any = { ...leaf, reason, rule, detail };
        expect(canonicalLeaf(any)).toBe(canonicalize(any));
        expect(toHex(leafHashOf(any, sha256))).toBe(toHex(sha256(Uint8Array.of(0, ...utf8(canonicalize(any))))));
        expect(leafBytes(any)).toEqual(utf8(canonicalize(any)));
      }),
    );
    expect(() => canonicalLeaf({ ...checked, detail: '\udc00' })).toThrow(NotCanonical);
  });

  it('is that of any coverage, type, outcome and violation type of version 2', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,63}$/);
    const coverage = fc.option(fc.uniqueArray(name, { maxLength: 32 }).map((names) => names.sort()));
    const type = fc.stringMatching(/^[a-z]{1,8}(\.[a-z_]{1,8}){1,6}$/);
    fc.assert(
      fc.property(type, fc.option(name), fc.option(name), coverage, (kind, outcome, violation, covered) => {
        const any: LeafEvent = {
          ...checkedV2,
          type: `later.${kind}`,
          outcome,
          violation_type: violation,
          coverage: covered,
        };
        expect(problem(any)).toBeNull();
        expect(canonicalLeaf(any)).toBe(canonicalize(any));
      }),
    );
  });
});

describe('commitments', () => {
  const salt = 'AAAAAAAAAAAAAAAAAAAAAA';

  it('are the hash of kind, salt and value', () => {
    const value = { b: [1, 'é'], a: null };
    const commitment = commit('action', salt, value, sha256);
    expect(commitment).toBe(toHex(sha256(utf8(canonicalize(['action', salt, value])))));
    const leaf = { ...checked, action: commitment, payload: commitment };
    expect(opens(leaf, 'action', { salt, value }, sha256)).toBe('opens');
    expect(opens(leaf, 'payload', { salt, value }, sha256)).toBe('wrong');
    expect(opens(leaf, 'action', { salt, value: { ...value, a: 0 } }, sha256)).toBe('wrong');
    expect(opens(leaf, 'action', { salt: 'AAAAAAAAAAAAAAAAAAAAAQ', value }, sha256)).toBe('wrong');
    expect(opens(leaf, 'action', { salt: 'short', value }, sha256)).toBe('wrong');
    expect(opens(leaf, 'action', { salt }, sha256)).toBe('value-not-kept');
    expect(opens({ ...leaf, action: null }, 'action', { salt, value }, sha256)).toBe('wrong');
    expect(opens(leaf, 'context', { salt, value }, sha256)).toBe('wrong');
  });

  it('commit null like any other value', () => {
    const leaf = { ...checked, payload: commit('payload', salt, null, sha256) };
    expect(opens(leaf, 'payload', { salt, value: null }, sha256)).toBe('opens');
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

  it('takes a leaf of version 2 with the opening of its context, in an envelope of version 1', () => {
    const context = { salt: 'AAAAAAAAAAAAAAAAAAAAAA', value: { effect: 'allow' } };
    const given = { ...envelope, leaf: checkedV2, openings: { ...envelope.openings, context } };
    expect(readEnvelope({ ...given, leaf: { ...checkedV2, payload: '0'.repeat(64) } }).ok).toBe(true);
    expect(readEnvelope({ ...given, openings: { context } }).ok).toBe(true);
    expect(readEnvelope({ ...given, openings: { context: { value: 1 } } }).ok).toBe(false);
    expect(readEnvelope({ ...given, openings: { context: { ...context, members: [] } } }).ok).toBe(false);
    expect(readEnvelope({ ...envelope, openings: { context } }).ok).toBe(false);
  });

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
