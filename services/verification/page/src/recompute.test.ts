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
interface Entry {
  readonly opened: { readonly context?: { readonly value: { readonly engine: object } } };
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

/** As {@link judged}, where signature, key and chain are taken to vouch for all of the file. */
function vouched({ package: pkg, keys }: Vector, parts = PARTS): Promise<Outcome> {
  const vouching: typeof library = {
    ...library,
    verifyPackage: (value, given) => ({
      ...library.verifyPackage(value, given),
      ...{ ok: true, problems: [], problemCount: 0, unsettled: [] },
      vouched: { issuer: true, anchor: true },
    }),
  };
  const question = { keys: { from: 'pem', text: keys[0]!.pem }, rpc: null } as const;
  return judge(vouching, parts, bytesOf(pkg), question, () => undefined);
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

  it('finds that all holds, where the chain vouches for it too', async () => {
    expect(await vouched(vector('same'))).toMatchObject({ verdict: 'holds', redecision: { result: 'same', open: [] } });
  });

  it('leaves open a verdict of another version of the engine that this one does not give', async () => {
    const { verdict, problems, notChecked, redecision: shown } = await vouched(vector('other-engine-differs'));
    expect([verdict, problems, shown!.result]).toEqual(['partly', [], 'partly']);
    const words =
      '1 verdict names another version of the engine, and this one has another verdict: it is not verified.';
    expect(notChecked).toContain(words);
    expect(shown!.events[0]).toMatchObject({ sequence: 10, verdict: 'not_checked' });
  });

  it('lists what differs first, then verdicts of another engine, then what is withheld', async () => {
    const withheldFirst: typeof redecision = {
      ...redecision,
      redecide: (pkg, options) => {
        const result = redecision.redecide(pkg, options);
        const [first, second, ...rest] = result.events;
        const withheld = { verdict: 'withheld', reason: 'action' } as const;
        const different = { verdict: 'different', reason: 'verdict' } as const;
        return { ...result, events: [{ ...first!, ...withheld }, { ...second!, ...different }, ...rest] };
      },
    };
    const outcome = await vouched(vector('other-engine-differs'), { ...PARTS, library: async () => withheldFirst });
    const found = outcome.redecision!.events.map(({ verdict }) => verdict);
    expect(found.slice(0, 4)).toEqual(['different', 'not_checked', 'withheld', 'same']);
  });

  it('refuses a contradicted profile, whatever engine the check names', async () => {
    const { package: pkg, keys } = vector('policy-contradicted');
    const { events } = pkg as { readonly events: readonly Entry[] };
    const renamed = events.map((entry) => {
      const { context } = entry.opened;
      if (context === undefined) return entry;
      const engine = { ...context.value.engine, engine: '2' };
      return { ...entry, opened: { ...entry.opened, context: { ...context, value: { ...context.value, engine } } } };
    });
    const outcome = await vouched({ package: { ...(pkg as object), events: renamed }, keys });
    expect([outcome.verdict, outcome.redecision!.result]).toEqual(['refused', 'differs']);
    expect(outcome.problems[0]!.message).toContain('judged by another version of the engine');
  });

  it('refuses a package in which nothing but its own statement is false', async () => {
    const { package: pkg, keys } = vector('same');
    const result = redecision.redecide(pkg as Parameters<typeof redecision.redecide>[0], {
      sha256: library.browserCrypto.sha256,
    });
    const { rule, engine, totals } = result;
    const stated = { rule, engine, totals: { ...totals, same: totals.same - 1, withheld: 1 }, breaks: [] };
    const outcome = await vouched({ package: { ...(pkg as object), redecision: stated }, keys });
    expect([outcome.verdict, outcome.redecision!.result]).toEqual(['refused', 'differs']);
    expect(outcome.problems[0]!.message).toContain('the statement of the package: redecision.totals.same');
  });

  it('says so where a part of the page cannot be loaded', async () => {
    const outcome = await judged(vector('same'), { ...PARTS, library: () => Promise.reject(new Error('offline')) });
    expect(outcome.redecision).toMatchObject({ result: 'partly', events: [] });
    expect(outcome.redecision!.summary.join()).toContain('could not be loaded');
    expect(outcome.notChecked.join()).toContain('The verdicts were not computed: the part of this page');
  });

  it('leaves open a file whose verdicts cannot be computed', async () => {
    const failing: typeof redecision = {
      ...redecision,
      redecide: () => {
        throw new TypeError('not iterable');
      },
    };
    const outcome = await vouched(vector('same'), { ...PARTS, library: async () => failing });
    expect([outcome.verdict, outcome.redecision!.result]).toEqual(['partly', 'partly']);
    const words = 'The verdicts were not computed: this file has a member that cannot be evaluated.';
    expect(outcome.notChecked).toContain(words);
  });
});
