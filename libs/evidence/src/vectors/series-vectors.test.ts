import { readdirSync, readFileSync } from 'node:fs';
import { nodeCrypto, seededKey } from '../../vectors/node-crypto.mjs';
import { parseJsonStrict, VERIFICATION_LIMITS } from '../json/parse-strict.js';
import { openSeries, type SeriesResult } from '../series/verify-series.js';
import { publicKeyFromPem } from '../signature/public-key.js';
import { PROBLEM_CODES } from '../verify/result.js';
import { verifyPackage } from '../verify/verify-package.js';
import { type SeriesVector, seriesVectorFiles } from './series-cases.js';

const FOLDER = new URL('../../vectors/series/', import.meta.url);
const names = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
const text = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');
const load = (name: string): SeriesVector => parseJsonStrict(text(name), VERIFICATION_LIMITS) as SeriesVector;

function judged({ series, packages, keys, chain }: SeriesVector): SeriesResult {
  const given = {
    crypto: nodeCrypto,
    keys:
      keys?.map(({ pem, ...rest }) => ({
        ...rest,
        publicKey: publicKeyFromPem(pem)!,
      })) ?? null,
  };
  const facts = chain === null ? null : { ...chain, transactions: new Map(Object.entries(chain.transactions)) };
  const opened = openSeries(series, given);
  for (const pkg of packages) opened.addPackage(pkg, verifyPackage(pkg, { ...given, chain: facts }));
  return opened.finish(facts);
}

describe('the test vectors of series', () => {
  it.each(names)('%s is judged as it says', (name) => {
    const vector = load(name);
    const { ok, problems, vouched } = judged(vector);
    expect({ ok, firstProblem: problems[0]?.code ?? null, vouched }).toEqual(vector.expected);
  });

  it('are the files that the generator writes, byte for byte', () => {
    const made = seriesVectorFiles(nodeCrypto.sha256, seededKey);
    expect(made.map(([name]) => name).sort()).toEqual([...names].sort());
    for (const [name, content] of made) expect(content === text(name) ? name : `${name} differs`).toBe(name);
  });

  it('name every problem of a series', () => {
    const named = new Set(names.map((name) => load(name).expected.firstProblem));
    expect(PROBLEM_CODES.filter((code) => code.startsWith('series-') && !named.has(code))).toEqual([]);
  });

  it('a series alone says that its packages were not given, and what its entries show', () => {
    const { checked, notChecked, packages } = judged(load('valid-alone.json'));
    expect(notChecked).toContain('3 packages of the series: none was given');
    expect(checked).toContain('the numbers of every agent: nothing lies between packages');
    expect(packages.map(({ given }) => given)).toEqual([false, false, false]);
  });

  it.each([null, [], 'series', 1, {}, { kind: 'series' }, { packages: null, schemaVersion: 'series-1.0.0' }])(
    'what is no series is a problem and never throws: %j',
    (value) => {
      const opened = openSeries(value, { crypto: nodeCrypto, keys: null });
      opened.addPackage(value, verifyPackage(value, { crypto: nodeCrypto, keys: null, chain: null }));
      expect(opened.finish(null).ok).toBe(false);
    },
  );
});
