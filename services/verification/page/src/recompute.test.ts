import { readFileSync } from 'node:fs';
import * as library from '@countersign/evidence/browser';
import * as redecision from '@countersign/redecide/browser';
import { judge, type Outcome } from './judge.js';
import type { Recomputing } from './recompute.js';

const FOLDER = new URL('../../../../libs/evidence/vectors/redecide/', import.meta.url);
interface Vector {
  readonly package: unknown;
  readonly keys: readonly { readonly pem: string }[];
}
const vector = (name: string): Vector => JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')) as Vector;
const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const PARTS: Recomputing = {
  library: async () => redecision,
  sqlParser: () => Promise.reject(new Error('not fetched')),
};

function judged({ package: pkg, keys }: Vector, parts = PARTS): Promise<Outcome> {
  const question = { keys: { from: 'pem', text: keys[0]!.pem }, rpc: null } as const;
  return judge(library, parts, bytesOf(pkg), question, () => undefined);
}

describe('what the page says of the verdicts of a package', () => {
  it('computes all of them, and finds them the same', async () => {
    const { verdict, problems, redecision: shown } = await judged(vector('same'));
    expect([verdict, problems, shown!.result]).toEqual(['partly', [], 'same']);
    expect(shown!.summary[0]).toBe('9 verdicts: 9 same, 0 different, 0 withheld, 0 erased, 0 not checked');
    expect(shown!.agents).toMatchObject([{ checks: 9, balances: 'continuous', missing: 0, breaks: [] }]);
    expect(shown!.events.map(({ verdict: found }) => found)).toEqual(Array(9).fill('same'));
  });

  it.each([
    ['verdict-flipped', 'outcome is recorded as "allowed", and computed as "denied"'],
    ['debit-skipped', 'the balance spent.day is recorded as 0, and by the checks before it is 4000000'],
    ['policy-altered', 'rule is recorded as "off_limits_actions:wire", and computed as null'],
  ])('refuses what was altered, signed and anchored again: %s', async (name, words) => {
    const { verdict, problems, problemCount, redecision: shown } = await judged(vector(name));
    expect([verdict, shown!.result, problemCount]).toEqual(['refused', 'differs', problems.length]);
    expect(problems[0]!.message).toContain(words);
  });

  it.each([
    ['erased', 'erased'],
    ['payload-not-kept', 'withheld'],
    ['profile-missing', 'withheld'],
  ])('names what cannot be computed, and why, before the rest: %s', async (name, kind) => {
    const { verdict, redecision: shown } = await judged(vector(name));
    expect([verdict, shown!.result, shown!.events[0]!.verdict]).toEqual(['partly', 'partly', kind]);
    if (kind === 'withheld')
      expect(shown!.events[0]!.why).toMatch(/its payload was not kept|the profile in force is not/);
  });

  it('leaves open what another version of the engine judged in another way', async () => {
    const altered = vector('policy-altered');
    const older: typeof redecision = {
      ...redecision,
      redecide: (pkg, options) => {
        const result = redecision.redecide(pkg, options);
        return { ...result, events: result.events.map((event) => ({ ...event, otherEngine: true })) };
      },
    };
    const outcome = await judged(altered, { ...PARTS, library: async () => older });
    expect([outcome.verdict, outcome.problems]).toEqual(['partly', []]);
    expect(outcome.notChecked.join()).toContain('judged by another version of the engine');
  });

  it('says so where a part of the page cannot be loaded', async () => {
    const outcome = await judged(vector('same'), { ...PARTS, library: () => Promise.reject(new Error('offline')) });
    expect(outcome.redecision).toMatchObject({ result: 'partly', events: [] });
    expect(outcome.redecision!.summary.join()).toContain('could not be loaded');
  });
});
