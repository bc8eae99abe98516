import { readdirSync, readFileSync } from 'node:fs';
import * as library from '@countersign/evidence/browser';
import * as redecision from '@countersign/redecide/browser';
import { judge, judgeTogether, type GivenFile, type Outcome, type Question } from './judge.js';
import type { Recomputing } from './recompute.js';

const VECTORS = new URL('../../../../libs/evidence/vectors/series/', import.meta.url);
interface Vector {
  readonly series: unknown;
  readonly packages: readonly unknown[];
  readonly keys: readonly { readonly pem: string }[];
  readonly expected: { readonly ok: boolean; readonly firstProblem: string | null };
}
const names = readdirSync(VECTORS).filter((name) => name.endsWith('.json'));
const vector = (name: string): Vector => JSON.parse(readFileSync(new URL(name, VECTORS), 'utf8')) as Vector;

const RECOMPUTING: Recomputing = {
  library: async () => redecision,
  sqlParser: () => Promise.reject(new Error('none')),
};
const question = ({ keys }: Vector): Question => ({ keys: { from: 'pem', text: keys[0]!.pem }, rpc: null });
const file = (name: string, value: unknown): GivenFile => ({ name, content: new Blob([JSON.stringify(value)]) });

function verified(of: Vector, files: readonly GivenFile[]): Promise<Outcome> {
  return judgeTogether(library, RECOMPUTING, files, question(of), () => undefined);
}

/** The packages first, and the series under a name of its own: its place and name do not matter. */
const filesOf = ({ series, packages }: Vector): GivenFile[] => [
  ...packages.map((one, i) => file(`package-${i}.json`, one)),
  file('quarter.json', series),
];

describe('a series with its packages', () => {
  it.each(names.filter((name) => name !== 'a-package.json'))('%s is judged as its vector says', async (name) => {
    const of = vector(name);
    const { verdict, what, problems } = await verified(of, filesOf(of));
    expect({ what, refused: verdict === 'refused' }).toEqual({ what: 'series', refused: !of.expected.ok });
    if (of.expected.firstProblem !== null) {
      expect(problems.map(({ code }) => code)).toContain(of.expected.firstProblem);
    }
  });

  it('holds no further than the chain was asked, and names what was given', async () => {
    const of = vector('valid-three.json');
    const { verdict, facts, notChecked } = await verified(of, filesOf(of));
    expect(verdict).toBe('partly');
    expect(facts).toContainEqual(['Packages', '3, 3 of them among the files']);
    expect(notChecked.join()).toMatch(/chain/);
  });

  it('stays open where it comes alone', async () => {
    const of = vector('valid-three.json');
    const bytes = new TextEncoder().encode(JSON.stringify(of.series));
    const { verdict, what, notChecked } = await judge(library, RECOMPUTING, bytes, question(of), () => undefined);
    expect([verdict, what]).toEqual(['partly', 'series']);
    expect(notChecked).toContain('3 packages of the series: none was given');
  });

  it('is refused with a package left out, and with a file that is none of its packages', async () => {
    const of = vector('valid-three.json');
    const missing = await verified(of, filesOf(of).slice(1));
    expect(missing.problems.map(({ code }) => code)).toContain('series-package-missing');
    const foreign = await verified(of, [...filesOf(of), file('notes.json', { hello: 'world' })]);
    expect(foreign.verdict).toBe('refused');
    expect(foreign.problems.some(({ path }) => path.startsWith('notes.json'))).toBe(true);
  });

  it('has to be among the files', async () => {
    const of = vector('valid-three.json');
    await expect(verified(of, filesOf(of).slice(0, 2))).rejects.toThrow('none of these files is a series');
  });
});
