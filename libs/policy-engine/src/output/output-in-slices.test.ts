import fc from 'fast-check';
import { PII_KINDS } from '@countersign/contracts';
import { compileProfile } from '../compile-profile.js';
import { decide, decideInSlices } from '../decide.js';
import type { Decision } from '../decide.js';
import { emptyProfile } from '../profile/profile-fields.js';
import { wholeOutputRules } from '../profile/read-output-rules.js';
import { SLICE_CHARACTERS } from './judge-output.js';
import { PII_CASES, SECRETS } from './output.test-cases.js';
import { PiiScanner } from './pii/scanner.js';

const NONE = emptyProfile('018f4d5e-0000-7000-8000-000000000001');
const ALL = compileProfile({
  ...NONE,
  blocked_data_scopes: ['secret'],
  output_rules: wholeOutputRules({
    blocked_pii: PII_KINDS,
    block_secrets: true,
    blocked_topics: ['insider trading'],
    max_length: 900_000,
  }),
});
const HOLDS = [...Object.values(PII_CASES).flatMap(({ holds }) => holds), ...SECRETS, 'insider  trading'];

function taken(payload: unknown, more: object = {}): { readonly slices: number; readonly decision: Decision } {
  const steps = decideInSlices(ALL, { type: 'llm_response', payload, ...more });
  for (let slices = 1; ; slices += 1) {
    const step = steps.next();
    if (step.done === true) return { slices, decision: step.value };
  }
}

describe('output that is judged in time slices', () => {
  it.each(HOLDS)('is judged as in one piece wherever it is cut: %s', (text) => {
    for (const before of [0, 1, Math.floor(text.length / 2), text.length, text.length + 1]) {
      const payload = `${'; '.repeat((SLICE_CHARACTERS - before) >> 1)}${before % 2 === 0 ? '' : ' '}${text} . `;
      const whole = decide(ALL, { type: 'llm_response', payload });
      expect(taken(payload).decision).toEqual(whole);
    }
  });

  it('is judged as in one piece for any payload', () => {
    const piece = fc.constantFrom('a', '4111 1111 1111 1111', ' ', 'x@y.example', '\ufdfa', '. ', '12-34-', 'é');
    const long = fc
      .tuple(piece, fc.nat(SLICE_CHARACTERS), piece)
      .map(([text, length, last]) => text.repeat(SLICE_CHARACTERS).slice(0, SLICE_CHARACTERS - 9 + length) + last);
    const payload = fc.array(fc.oneof(piece, long, fc.dictionary(fc.string(), piece, { maxKeys: 2 })), {
      maxLength: 4,
    });
    const scope = fc.constantFrom({}, { dataScope: 'secret' });
    fc.assert(
      fc.property(payload, scope, (value, more) => {
        expect(taken(value, more).decision).toEqual(decide(ALL, { type: 'llm_response', payload: value, ...more }));
      }),
      { numRuns: 40 },
    );
  });

  it('reads a bounded number of characters in a slice', () => {
    const looked = jest.spyOn(PiiScanner.prototype, 'first');
    const text = '1 '.repeat(131_072);
    const { slices, decision } = taken([text, text, text, text]);
    expect(decision.violation?.rule).toBe('output_rules.max_length:900000');
    expect(slices).toBeGreaterThanOrEqual((4 * text.length) / SLICE_CHARACTERS);
    for (const [, , from, to] of looked.mock.calls) expect(to! - from!).toBeLessThanOrEqual(SLICE_CHARACTERS);
    looked.mockRestore();
  });

  it('takes many small texts together, and none longer', () => {
    const small = Array.from({ length: 40_000 }, () => 'a word');
    const { slices } = taken(small);
    expect(slices).toBeGreaterThan(10);
    expect(slices).toBeLessThan(20);
    expect(taken({ a: 'short' }).slices).toBe(1);
    expect(taken(undefined).slices).toBe(1);
  });
});
