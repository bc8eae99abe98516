import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from '../commands/verify.js';
import { verifyFile } from './verify-file.js';
import type { VerifyReport } from './verify-report.js';

const FOLDER = new URL('../../../evidence/vectors/redecide/', import.meta.url);

interface Vector {
  readonly package: object;
  readonly keys: readonly { readonly pem: string }[];
}

describe('countersign verify --redecide', () => {
  const folder = mkdtempSync(join(tmpdir(), 'redecide-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const verify = async (name: string): Promise<VerifyReport> => {
    const { package: pkg, keys } = JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')) as Vector;
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(pkg));
    return verifyFile({ file, keys: keys.map(({ pem }) => pem), rpcUrls: [], authorities: [], redecide: true });
  };

  it('ends with 0 where every verdict is the same and the balances go on', async () => {
    const report = await verify('same');
    expect(report.exitCode).toBe(0);
    expect(text('a.json', report)).toContain('9 verdicts: 9 same, 0 different');
  });

  it.each([
    ['verdict-flipped', 'outcome is recorded as "allowed", and computed as "denied"'],
    ['debit-skipped', 'the balance spent.day is recorded as 0, and by the checks before it is 4000000'],
    ['policy-altered', 'rule is recorded as "off_limits_actions:wire", and computed as null'],
  ])('ends with 1 and names what was altered, signed and anchored again: %s', async (name, words) => {
    const report = await verify(name);
    expect(report.exitCode).toBe(1);
    expect(report.result?.ok).toBe(true);
    expect(text('a.json', report)).toContain(words);
  });

  it.each(['erased', 'payload-not-kept', 'profile-missing', 'order-missing'])(
    'ends with 2 where something is not computed: %s',
    async (name) => {
      expect((await verify(name)).exitCode).toBe(2);
    },
  );
});
