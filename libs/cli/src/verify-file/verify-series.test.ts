import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from '../commands/verify.js';
import { verifyFile } from './verify-file.js';
import type { VerifyReport } from './verify-report.js';

const VECTORS = new URL('../../../../libs/evidence/vectors/series/', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'countersign-series-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a vector as `countersign export` writes a folder, with its key. */
function written(name: string): { readonly at: string; readonly key: string } {
  const vector = JSON.parse(readFileSync(new URL(`${name}.json`, VECTORS), 'utf8')) as {
    readonly series: object;
    readonly packages: readonly object[];
    readonly keys: readonly { readonly pem: string }[];
  };
  const at = mkdtempSync(join(folder, `${name}-`));
  writeFileSync(join(at, 'series.json'), JSON.stringify(vector.series));
  vector.packages.forEach((pkg, i) => writeFileSync(join(at, `package-${i}.json`), JSON.stringify(pkg)));
  return { at, key: vector.keys[0]!.pem };
}

const verified = (file: string, key: string): Promise<VerifyReport> =>
  verifyFile({ file, keys: [key], rpcUrls: [], authorities: [] });

describe('a folder with a series', () => {
  it('holds with all its packages, and says that nothing lies between them', async () => {
    const { at, key } = written('valid-three');
    const report = await verified(at, key);
    expect(report.problems).toEqual([]);
    expect(report.exitCode).toBe(0);
    const words = text(at, report);
    expect(words).toContain('3 packages, 2 agents, 10 events: 5 allowed, 5 denied');
    expect(words).toContain('nothing lies between packages');
    expect(words).toContain('3 packages: each is the one that is listed');
    expect(words).toContain('VERIFIED');
  });

  it.each([
    ['package-missing', 'series-package-missing'],
    ['byte-altered', 'series-package-unlisted'],
    ['of-another-account', 'series-package-unlisted'],
    ['entries-swapped', 'series-range-differs'],
    ['numbers-between', 'series-sequence-missing'],
    ['totals-differ', 'series-totals-differ'],
    ['package-does-not-hold', 'series-package-invalid'],
  ])('is refused: %s', async (name, code) => {
    const { at, key } = written(name);
    const report = await verified(at, key);
    expect(report.exitCode).toBe(1);
    expect(report.problems[0]).toContain(`[${code}]`);
  });

  it('without a series is a wrong use', async () => {
    const at = mkdtempSync(join(folder, 'empty-'));
    await expect(verified(at, written('valid-three').key)).rejects.toMatchObject({ exitCode: 64 });
  });

  it('with a package of which the series knows nothing is refused', async () => {
    const { at, key } = written('valid-three');
    const { packages } = JSON.parse(readFileSync(new URL('of-another-account.json', VECTORS), 'utf8')) as {
      readonly packages: readonly object[];
    };
    writeFileSync(join(at, 'other.json'), JSON.stringify(packages[1]));
    expect((await verified(at, key)).problems[0]).toContain('the series does not list it');
    // Beside a manifest that was named, it is another file.
    expect((await verified(join(at, 'series.json'), key)).exitCode).toBe(0);
  });
});

describe('a manifest', () => {
  it('is taken with the packages beside it', async () => {
    const { at, key } = written('valid-three');
    expect((await verified(join(at, 'series.json'), key)).exitCode).toBe(0);
    rmSync(join(at, 'package-1.json'));
    const report = await verified(join(at, 'series.json'), key);
    expect([report.exitCode, report.problems[0]]).toEqual([1, expect.stringContaining('[series-package-missing]')]);
  });

  it('alone is intact, and no more than that', async () => {
    const { at, key } = written('valid-alone');
    const report = await verified(join(at, 'series.json'), key);
    expect(report).toMatchObject({ exitCode: 2, problems: [] });
    expect(report.notChecked).toContain('3 packages of the series: none was given');
  });
});
