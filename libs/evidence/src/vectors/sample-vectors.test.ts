import { readdirSync, readFileSync } from 'node:fs';
import { nodeCrypto } from '../../vectors/node-crypto.mjs';
import { checkSample, SAMPLE_PROBLEM_CODES } from '../sample/check-sample.js';
import { readSampledPackage } from '../sample/population.js';
import { readSample } from '../sample/read-sample.js';
import { type SampleVector, sampleVectorFiles } from './sample-cases.js';

const FOLDER = new URL('../../vectors/sample/', import.meta.url);
const names = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
const text = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8');
const load = (name: string): SampleVector => JSON.parse(text(name)) as SampleVector;
const packageFile = (name: string): ReturnType<typeof JSON.parse> =>
  JSON.parse(readFileSync(new URL(`../${name}`, FOLDER), 'utf8'));

describe('the test vectors of samples', () => {
  it.each(names)('%s is judged as it says', (name) => {
    const { packageOf, sample, expected } = load(name);
    const pkg = readSampledPackage(packageFile(packageOf).package, nodeCrypto.sha256);
    const reading = readSample(sample);
    if (!pkg.ok || !reading.ok) throw new Error('not readable');
    const problems = checkSample(reading.value, pkg.value, nodeCrypto.sha256);
    expect({ ok: problems.length === 0, firstProblem: problems[0]?.code ?? null }).toEqual(expected);
  });

  it('are the files that the generator writes, byte for byte', () => {
    const made = sampleVectorFiles(packageFile, nodeCrypto.sha256);
    expect(made.map(([name]) => name).sort()).toEqual([...names].sort());
    for (const [name, content] of made) expect(content === text(name) ? name : `${name} differs`).toBe(name);
  });

  it('name every problem, as FORMAT.md does', () => {
    const named = names.map((name) => load(name).expected.firstProblem);
    const format = readFileSync(new URL('../../FORMAT.md', FOLDER), 'utf8');
    for (const code of SAMPLE_PROBLEM_CODES) {
      expect(named).toContain(code);
      expect(format).toContain(`\`${code}\``);
    }
  });
});
